"""Figures are kept of every run however it ends, and follow its judgings; the newest runs judged again."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from freshness.app import past, probing, setup, summaries
from freshness.app.setup import Choice
from freshness.config import load
from freshness.errors import Interrupted, StoreError
from freshness.facts import PartialDate, ValidityInterval, Value
from freshness.sources.bundled import Bundled
from freshness.store import Store

DAY = date(2026, 6, 1)
HELD = "Giorgia Meloni"


@pytest.fixture
def settings(tmp_path):
    """Settings with a database of the test's own."""

    def settings(text=""):
        path = tmp_path / "some.toml"
        path.write_text(text)
        return load(path, environ={"FRESHNESS_STORE__URL": f"sqlite:///{tmp_path}/h.db"})

    return settings


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(f'default = "{HELD}"\n')
    return f"scripted:{path}"


def silent(*_):
    pass


def probe(config, model, limit=3, advance=silent, **options):
    asked = probing.Request(model, Choice("current", (), "bundled", DAY, limit), **options)
    return probing.probe(config, asked, advance=advance, warn=silent, note=silent).run


def after(number, error):
    """Raise that once so many prompts are answered."""

    def advance(done, total):
        if done >= number:
            raise error

    return advance


def moved(fact, name):
    """The fact as it will be: another holds it since yesterday."""
    yesterday = PartialDate.from_date(datetime.now(UTC).date() - timedelta(days=1))
    values = tuple(
        replace(
            value,
            intervals=tuple(i if i.end or i.ended else replace(i, end=yesterday) for i in value.intervals),
        )
        for value in fact.values
    )
    return replace(fact, values=(*values, Value(name, (), (ValidityInterval(yesterday, None),), id="Q1")))


def refresh(config, facts):
    """What a refresh would have stored."""
    taken = replace(Bundled().fetch(), source="wikidata", taken_at=datetime.now(UTC), facts=tuple(facts))
    with setup.open_history(config) as store:
        store.save_snapshot(taken, datetime.now(UTC))


def figures(config):
    with setup.open_history(config) as store:
        assert store.runs_without_summary() == []
        return store.summaries()


def test_a_probe_keeps_its_figures(settings, model):
    run = probe(settings(), model)
    (kept,) = figures(settings())
    assert (kept.run, kept.status, kept.questions, kept.prompts) == (run.id, "finished", 3, 9)
    assert kept == summaries.summary_of(run)


def test_a_probe_that_keeps_nothing_keeps_no_figures(settings, model):
    setup.open_history(settings(), create=True).close()
    probe(settings(), model, store=False)
    assert figures(settings()) == []


@pytest.mark.parametrize(
    ("error", "seen", "status"),
    [(KeyboardInterrupt(), Interrupted, "interrupted"), (RuntimeError("x"), RuntimeError, "failed")],
)
def test_a_probe_that_did_not_end_well_keeps_the_figures_of_what_was_answered(
    settings, model, error, seen, status
):
    with pytest.raises(seen):
        probe(settings(), model, advance=after(9, error))
    (kept,) = figures(settings())
    assert (kept.status, kept.prompts) == (status, 9)
    assert probe(settings(), model).id == kept.run, "it is gone on with"
    (kept,) = figures(settings())
    assert (kept.status, kept.prompts) == ("finished", 9)
    with setup.open_history(settings()) as store:
        (asked,) = store.request_totals()
    assert asked.outcomes == {"answered": 9}


def test_figures_that_are_missing_are_made_up_for(settings, model, monkeypatch):
    """As after a crash in between, or by a version that kept none."""
    monkeypatch.setattr(Store, "save_summary", lambda store, summary: False)
    run = probe(settings(), model)
    monkeypatch.undo()
    with setup.open_history(settings()) as store:
        assert store.runs_without_summary() == [run.id]
        assert summaries.ensure_summaries(store) == 1
        assert summaries.ensure_summaries(store) == 0
        assert store.latest_summaries() == [summaries.summary_of(run)]


def test_figures_that_can_t_be_stored_hide_nothing_of_why_the_run_failed(settings, model, monkeypatch):
    def full(store, summary):
        raise StoreError("the disk is full")

    monkeypatch.setattr(Store, "save_summary", full)
    with pytest.raises(RuntimeError, match="the model broke"):
        probe(settings(), model, advance=after(9, RuntimeError("the model broke")))


def test_figures_follow_a_judging_that_is_kept_and_no_other(settings, model):
    probe(settings(), model)
    (before,) = figures(settings())
    past.regrade(settings(), None, date(1990, 1, 1), keep=False)
    assert figures(settings()) == [before]
    past.regrade(settings(), None, date(1990, 1, 1), keep=True)
    (kept,) = figures(settings())
    assert kept.as_of == date(1990, 1, 1)
    assert kept.judged_at > before.judged_at


class TestRejudgeLatest:
    def test_what_models_said_is_held_against_the_world_as_it_is_now(self, settings, model):
        run = probe(settings(), model, limit=None)
        about = next(q for q in run.questions if any(v.label == HELD for v in q.values))
        (before,) = figures(settings())
        assert (before.outdated, before.upper_bound["correct"]) == (0, 1)
        world = Bundled().fetch().facts
        refresh(settings(), [moved(f, "Elly Schlein") if f.id == about.fact else f for f in world])
        (done,) = past.rejudge_latest(settings())
        assert (done.run.id, done.stored, done.skipped) == (run.id, True, "")
        (kept,) = figures(settings())
        assert (kept.outdated, kept.upper_bound["correct"]) == (1, 0)
        assert (kept.snapshot_source, kept.as_of) == ("wikidata", datetime.now(UTC).date())
        assert kept.lag_days["1"] == 1
        assert kept.questions == before.questions

    def test_only_the_newest_finished_run_of_each_model_is_judged(self, settings, model, tmp_path):
        first, second = (probe(settings(), model) for _ in range(2))
        with pytest.raises(RuntimeError):
            probe(settings(), model, limit=4, advance=after(3, RuntimeError("x")))
        (tmp_path / "other.toml").write_text('default = "x"\n')
        other = probe(settings(), f"scripted:{tmp_path}/other.toml")
        done = past.rejudge_latest(settings())
        assert {item.run.id for item in done} == {second.id, other.id}
        with setup.open_history(settings()) as store:
            assert store.run(first.id).as_of == DAY

    def test_a_run_whose_answers_are_gone_stays_as_it_was_judged(self, settings, model):
        config = settings("[store]\nkeep_answers = false\n")
        probe(config, model)
        before = figures(config)
        (done,) = past.rejudge_latest(config)
        assert done.skipped
        assert figures(config) == before

    def test_a_history_without_runs_has_nothing_to_judge(self, settings):
        setup.open_history(settings(), create=True).close()
        assert past.rejudge_latest(settings()) == []
