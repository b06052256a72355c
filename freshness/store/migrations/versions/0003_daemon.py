"""What the daemon keeps: summaries of runs, events of models, jobs and who runs them."""

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | None = None
depends_on: str | None = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _index("runs", "status", "model_id", "suite")
    _run_summaries()
    _model_requests()
    _model_events()
    _jobs()
    _job_runs()


def downgrade() -> None:
    for table in ("job_runs", "jobs", "model_events", "model_requests", "run_summaries"):
        op.drop_table(table)
    op.drop_index("ix_runs_status_model_id_suite", "runs")


def _run_summaries() -> None:
    op.create_table(
        "run_summaries",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        _one_of("run_summaries", "status", "'running', 'finished', 'interrupted', 'failed'"),
        _refers("run_summaries", "run_id", "runs"),
        sa.PrimaryKeyConstraint("run_id", name="pk_run_summaries"),
    )
    _index("run_summaries", "model", "suite", "started_at", "status")
    _index("run_summaries", "started_at")


def _model_requests() -> None:
    op.create_table(
        "model_requests",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("outcomes", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.JSON(), nullable=False),
        sa.Column("seconds_sum", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("model", name="pk_model_requests"),
    )


def _model_events() -> None:
    op.create_table(
        "model_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("p_value", sa.Float(), nullable=True),
        _one_of("model_events", "kind", "'served_model_changed', 'fingerprint_changed', 'answers_shifted'"),
        _refers("model_events", "run_id", "runs"),
        sa.PrimaryKeyConstraint("id", name="pk_model_events"),
        sa.UniqueConstraint("run_id", "kind", name="uq_model_events_run_id_kind"),
    )
    _index("model_events", "model", "seen_at")
    _index("model_events", "seen_at")


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("slot", MOMENT, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("succeeded_slot", MOMENT, nullable=True),
        sa.Column("last_started_at", MOMENT, nullable=False),
        sa.Column("last_finished_at", MOMENT, nullable=True),
        sa.Column("last_success_at", MOMENT, nullable=True),
        sa.Column("last_outcome", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("failures_in_a_row", sa.Integer(), nullable=False),
        sa.Column("outcomes", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.JSON(), nullable=False),
        sa.Column("seconds_sum", sa.Float(), nullable=False),
        _one_of("jobs", "last_outcome", "'succeeded', 'failed', 'interrupted'"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("name", name="uq_jobs_name"),
    )


def _job_runs() -> None:
    op.create_table(
        "job_runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("slot", MOMENT, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("owner_host", sa.Text(), nullable=False),
        sa.Column("owner_pid", sa.Integer(), nullable=False),
        sa.Column("owner_token", sa.Text(), nullable=False),
        sa.Column("owner_until", MOMENT, nullable=False),
        _one_of("job_runs", "status", "'running', 'succeeded', 'failed', 'interrupted'"),
        _refers("job_runs", "job_id", "jobs"),
        sa.PrimaryKeyConstraint("id", name="pk_job_runs"),
        sa.UniqueConstraint("job_id", "slot", name="uq_job_runs_job_id_slot"),
    )
    _index("job_runs", "started_at")


def _one_of(table: str, column: str, words: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(f"{column} IN ({words})", name=op.f(f"ck_{table}_{column}"))


def _refers(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{to}")
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete="CASCADE")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
