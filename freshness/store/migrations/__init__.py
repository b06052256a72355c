"""Alembic's migrations. A version that was released never changes; a new one goes on top."""
