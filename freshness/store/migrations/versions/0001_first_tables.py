"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    _facts()
    _snapshots()
    _runs()
    _questions()
    _trials()
    _judgements()


def downgrade() -> None:
    for name in (
        "judgements",
        "judgings",
        "trials",
        "run_questions",
        "questions",
        "runs",
        "models",
        "snapshot_facts",
        "snapshots",
        "fact_intervals",
        "fact_values",
        "facts",
    ):
        op.drop_table(name)


def _facts() -> None:
    op.create_table(
        "facts",
        _id(),
        _text("digest"),
        _text("group"),
        _text("subject_id"),
        _text("subject_name"),
        _text("property"),
        _text("holders"),
        _check("facts", "holders", "one", "many"),
        sa.UniqueConstraint("digest", name="uq_facts_digest"),
        sa.PrimaryKeyConstraint("id", name="pk_facts"),
    )
    op.create_index("ix_facts_subject_id_property", "facts", ["subject_id", "property"])
    op.create_index("ix_facts_subject_name_property", "facts", ["subject_name", "property"])
    op.create_table(
        "fact_values",
        _id(),
        _number("fact_id"),
        _number("position"),
        _text("item", nullable=True),
        _text("label"),
        sa.Column("aliases", sa.JSON(), nullable=False),
        _text("rank"),
        _check("fact_values", "rank", "preferred", "normal", "deprecated"),
        _refers("fact_values", "fact_id", "facts", cascade=True),
        sa.UniqueConstraint("fact_id", "position", name="uq_fact_values_fact_id_position"),
        sa.PrimaryKeyConstraint("id", name="pk_fact_values"),
    )
    op.create_table(
        "fact_intervals",
        _number("value_id"),
        _number("position"),
        _text("start", nullable=True),
        _text("end", nullable=True),
        sa.Column("ended", sa.Boolean(), nullable=False),
        _refers("fact_intervals", "value_id", "fact_values", cascade=True),
        sa.PrimaryKeyConstraint("value_id", "position", name="pk_fact_intervals"),
    )


def _snapshots() -> None:
    op.create_table(
        "snapshots",
        _id(),
        _text("source"),
        _text("digest"),
        _time("taken_at"),
        _time("first_seen"),
        _time("last_seen"),
        sa.PrimaryKeyConstraint("id", name="pk_snapshots"),
    )
    op.create_index("ix_snapshots_source_first_seen", "snapshots", ["source", "first_seen"])
    op.create_index("ix_snapshots_digest", "snapshots", ["digest"])
    op.create_table(
        "snapshot_facts",
        _number("snapshot_id"),
        _number("position"),
        _number("fact_id"),
        _refers("snapshot_facts", "snapshot_id", "snapshots", cascade=True),
        _refers("snapshot_facts", "fact_id", "facts"),
        sa.PrimaryKeyConstraint("snapshot_id", "position", name="pk_snapshot_facts"),
    )
    op.create_index("ix_snapshot_facts_fact_id", "snapshot_facts", ["fact_id"])


def _runs() -> None:
    op.create_table(
        "models",
        _id(),
        _text("name"),
        _text("spec"),
        sa.UniqueConstraint("name", "spec", name="uq_models_name_spec"),
        sa.PrimaryKeyConstraint("id", name="pk_models"),
    )
    op.create_table(
        "runs",
        _id(),
        _text("name"),
        _number("model_id"),
        _text("suite"),
        sa.Column("as_of", sa.Date(), nullable=False),
        _time("started_at"),
        _time("finished_at", nullable=True),
        _text("status"),
        sa.Column("seconds", sa.Float(), nullable=True),
        _text("snapshot_source"),
        _time("snapshot_taken_at"),
        _text("snapshot_digest"),
        _text("judge"),
        _text("served_model"),
        sa.Column("details", sa.JSON(), nullable=False),
        _text("request"),
        _text("owner_host", nullable=True),
        _number("owner_pid", nullable=True),
        _text("owner_token", nullable=True),
        _time("owner_until", nullable=True),
        _check("runs", "status", "running", "finished", "interrupted", "failed"),
        _refers("runs", "model_id", "models"),
        sa.UniqueConstraint("name", name="uq_runs_name"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_model_id_suite_started_at", "runs", ["model_id", "suite", "started_at"])
    op.create_index("ix_runs_request", "runs", ["request"])


def _questions() -> None:
    op.create_table(
        "questions",
        _id(),
        _text("digest"),
        _text("suite"),
        _text("name"),
        _text("group"),
        _text("fact"),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.UniqueConstraint("digest", name="uq_questions_digest"),
        sa.PrimaryKeyConstraint("id", name="pk_questions"),
    )
    op.create_index("ix_questions_fact", "questions", ["fact"])
    op.create_table(
        "run_questions",
        _number("run_id"),
        _number("question_id"),
        _number("position"),
        sa.Column("as_of", sa.Date(), nullable=False),
        _refers("run_questions", "run_id", "runs", cascade=True),
        _refers("run_questions", "question_id", "questions"),
        sa.PrimaryKeyConstraint("run_id", "question_id", name="pk_run_questions"),
    )
    op.create_index("ix_run_questions_question_id", "run_questions", ["question_id"])


def _trials() -> None:
    op.create_table(
        "trials",
        _id(),
        _number("run_id"),
        _number("question_id"),
        _text("prompt"),
        _text("asked"),
        _text("answer", nullable=True),
        _text("error", nullable=True),
        _text("error_kind", nullable=True),
        _text("finish", nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        _text("served_model", nullable=True),
        _text("fingerprint", nullable=True),
        sa.Column("flags", sa.JSON(), nullable=False),
        _check("trials", "finish", "stop", "length"),
        sa.ForeignKeyConstraint(
            ["run_id", "question_id"],
            ["run_questions.run_id", "run_questions.question_id"],
            name="fk_trials_run_id_question_id_run_questions",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("run_id", "question_id", "prompt", name="uq_trials_run_id_question_id_prompt"),
        sa.PrimaryKeyConstraint("id", name="pk_trials"),
    )


def _judgements() -> None:
    op.create_table(
        "judgings",
        _id(),
        _number("run_id"),
        _text("judge"),
        sa.Column("as_of", sa.Date(), nullable=False),
        _time("judged_at"),
        _refers("judgings", "run_id", "runs", cascade=True),
        sa.PrimaryKeyConstraint("id", name="pk_judgings"),
    )
    op.create_index("ix_judgings_run_id", "judgings", ["run_id"])
    op.create_table(
        "judgements",
        _number("trial_id"),
        _number("judging_id"),
        _text("verdict"),
        _text("rule"),
        _text("matched", nullable=True),
        _text("mention", nullable=True),
        _number("span_start", nullable=True),
        _number("span_end", nullable=True),
        _number("lag_days", nullable=True),
        _number("lag_values", nullable=True),
        _check("judgements", "verdict", "correct", "outdated", "irrelevant", "refused", "unreadable"),
        _refers("judgements", "trial_id", "trials", cascade=True),
        _refers("judgements", "judging_id", "judgings", cascade=True),
        sa.PrimaryKeyConstraint("trial_id", "judging_id", name="pk_judgements"),
    )
    op.create_index("ix_judgements_judging_id", "judgements", ["judging_id"])


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), nullable=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _check(table: str, column: str, *words: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=op.f(f"ck_{table}_{column}"))


def _refers(table: str, column: str, to: str, *, cascade: bool = False) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{to}")
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete="CASCADE" if cascade else None)
