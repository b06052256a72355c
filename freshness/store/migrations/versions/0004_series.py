"""Numbers: series with their vintages and what happened to them, and the verdicts of multiple choice."""

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: str | None = None
depends_on: str | None = None

MOMENT = sa.DateTime(timezone=True)
CLAIMS = "'correct', 'outdated', 'irrelevant', 'refused', 'unreadable'"
VERDICTS = f"{CLAIMS}, 'incorrect', 'not_available'"


def upgrade() -> None:
    _allow(VERDICTS)
    _judging_questions()
    _series()
    _vintages()
    _series_events()
    _series_faults()


def downgrade() -> None:
    for table in (
        "series_faults",
        "series_events",
        "vintage_series",
        "vintages",
        "series",
        "judging_questions",
    ):
        op.drop_table(table)
    # The older version can neither hold these verdicts nor judge such questions again.
    op.execute("DELETE FROM judgements WHERE verdict IN ('incorrect', 'not_available')")
    _allow(CLAIMS)


def _allow(verdicts: str) -> None:
    """Replace the check on the verdicts; SQLite copies the table for that."""
    check = sa.CheckConstraint(f"verdict IN ({verdicts})", name=op.f("ck_judgements_verdict"))
    with op.batch_alter_table("judgements") as table:
        table.drop_constraint(op.f("ck_judgements_verdict"), type_="check")
        table.create_check_constraint(op.f("ck_judgements_verdict"), check.sqltext)


def _judging_questions() -> None:
    op.create_table(
        "judging_questions",
        sa.Column("judging_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("renewed_id", sa.Integer(), nullable=False),
        _refers("judging_questions", "judging_id", "judgings", cascade=True),
        _refers("judging_questions", "question_id", "questions"),
        _refers("judging_questions", "renewed_id", "questions"),
        sa.PrimaryKeyConstraint("judging_id", "question_id", name="pk_judging_questions"),
    )
    _index("judging_questions", "question_id")
    _index("judging_questions", "renewed_id")


def _series() -> None:
    op.create_table(
        "series",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("indicator", sa.Text(), nullable=False),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("points", sa.JSON(), nullable=False),
        sa.UniqueConstraint("digest", name="uq_series_digest"),
        sa.PrimaryKeyConstraint("id", name="pk_series"),
    )
    _index("series", "indicator")


def _vintages() -> None:
    op.create_table(
        "vintages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("indicator", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("fetched_at", MOMENT, nullable=False),
        sa.Column("first_seen", MOMENT, nullable=False),
        sa.Column("last_seen", MOMENT, nullable=False),
        sa.Column("newest_year", sa.Integer(), nullable=True),
        sa.Column("countries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_vintages"),
    )
    _index("vintages", "source", "indicator")
    op.create_table(
        "vintage_series",
        sa.Column("vintage_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("series_id", sa.Integer(), nullable=False),
        _refers("vintage_series", "vintage_id", "vintages", cascade=True),
        _refers("vintage_series", "series_id", "series"),
        sa.PrimaryKeyConstraint("vintage_id", "position", name="pk_vintage_series"),
    )
    _index("vintage_series", "series_id")


def _series_events() -> None:
    op.create_table(
        "series_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("vintage_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("indicator", sa.Text(), nullable=False),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('revision', 'new_years', 'series_gone', 'new_series', 'renamed')",
            name=op.f("ck_series_events_kind"),
        ),
        _refers("series_events", "vintage_id", "vintages", cascade=True),
        sa.PrimaryKeyConstraint("id", name="pk_series_events"),
    )
    _index("series_events", "seen_at")
    _index("series_events", "vintage_id")


def _series_faults() -> None:
    op.create_table(
        "series_faults",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("indicator", sa.Text(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "indicator", name="pk_series_faults"),
    )


def _refers(table: str, column: str, to: str, *, cascade: bool = False) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{to}")
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete="CASCADE" if cascade else None)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
