"""Parts of ``soak.py``."""
