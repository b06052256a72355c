"""Facts followed live: offices and flaws, events, facts that were kept, judgings by other facts."""

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("facts", sa.Column("office", sa.Text(), nullable=True))
    op.add_column("facts", sa.Column("dissolved", sa.Text(), nullable=True))
    op.add_column("facts", sa.Column("flaws", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("snapshot_facts", sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("judgings", sa.Column("key_source", sa.Text(), nullable=True))
    op.add_column("judgings", sa.Column("key_taken_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("judgings", sa.Column("key_digest", sa.Text(), nullable=True))
    _events()
    _judging_facts()


def downgrade() -> None:
    op.drop_table("judging_facts")
    op.drop_table("events")
    for table, column in (
        ("judgings", "key_digest"),
        ("judgings", "key_taken_at"),
        ("judgings", "key_source"),
        ("snapshot_facts", "seen_at"),
        ("facts", "flaws"),
        ("facts", "dissolved"),
        ("facts", "office"),
    ):
        op.drop_column(table, column)


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("snapshot_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("before_fact_id", sa.Integer(), nullable=False),
        sa.Column("after_fact_id", sa.Integer(), nullable=False),
        sa.Column("was", sa.JSON(), nullable=False),
        sa.Column("now", sa.JSON(), nullable=False),
        sa.Column("effects", sa.JSON(), nullable=False),
        sa.CheckConstraint("kind IN ('change', 'revision')", name=op.f("ck_events_kind")),
        _refers("events", "snapshot_id", "snapshots", cascade=True),
        _refers("events", "before_fact_id", "facts"),
        _refers("events", "after_fact_id", "facts"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    for column in ("seen_at", "snapshot_id", "before_fact_id", "after_fact_id"):
        op.create_index(f"ix_events_{column}", "events", [column])


def _judging_facts() -> None:
    op.create_table(
        "judging_facts",
        sa.Column("judging_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("fact_id", sa.Integer(), nullable=False),
        _refers("judging_facts", "judging_id", "judgings", cascade=True),
        _refers("judging_facts", "question_id", "questions"),
        _refers("judging_facts", "fact_id", "facts"),
        sa.PrimaryKeyConstraint("judging_id", "question_id", name="pk_judging_facts"),
    )
    for column in ("question_id", "fact_id"):
        op.create_index(f"ix_judging_facts_{column}", "judging_facts", [column])


def _refers(table: str, column: str, to: str, *, cascade: bool = False) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{to}")
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete="CASCADE" if cascade else None)
