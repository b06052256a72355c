"""A small world to look at over HTTP: models that know, are behind, fail, lie and were never asked."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from made_charts import COUNTRIES, former_chart, save_charts
from numeric_runs import KNOWN, choosing
from stores import questions, run

from freshness.app import probing, setup
from freshness.app.setup import Choice
from freshness.app.summaries import ensure_summaries, summary_of
from freshness.changes import compare
from freshness.changes.events import Effect
from freshness.config import load
from freshness.facts import PartialDate, Snapshot, ValidityInterval, Value
from freshness.grading.timeline import current_labels
from freshness.history import ModelEvent
from freshness.sources.bundled import Bundled
from freshness.verdicts import Verdict

NOW = datetime.now(UTC)
FACTS = 12
HOSTILE_NAME = '<script>alert("model")</script>/?#"quoted" evil'
SECRET = "hunter2-s3cret"
SCRIPT = "<script>alert('answer')</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
OVERRIDE = "\u202eidrev\u202c"
LONG = "A" * 1_000_000
NOWHERE = f"Land {IMAGE}"


class Daemon:
    """What the web asks of a service, without any work behind it."""

    def __init__(self, settings):
        self.settings = settings
        self.is_ready = True
        self.accepts = True
        self.begun = []
        self.reloads = 0

    def ready(self):
        return self.is_ready

    def next_runs(self):
        return {"refresh:wikidata": NOW + timedelta(hours=2), "probe:knows:current": NOW + timedelta(hours=1)}

    def run_now(self, job):
        self.begun.append(job)
        return self.accepts

    def reload(self):
        self.reloads += 1
        return self.accepts


class World:
    """Settings, a history with runs of all kinds, and a daemon."""

    def __init__(self, folder, url):
        self.folder = folder
        self.url = url
        self.snapshot = Bundled().fetch()
        self.facts = self.snapshot.facts
        self.settings = self._settings()
        self.daemon = Daemon(self.settings)
        self.store = setup.open_history(self.settings, create=True)

    def _settings(self):
        models = {
            "knows": self.script("knows", self.answers(NOW.date())),
            "is behind": self.script("behind", self.answers(datetime(2021, 1, 1, tzinfo=UTC).date())),
            "fails": "http://127.0.0.1:9/v1#m",
            HOSTILE_NAME: self.script("hostile", self.lies()),
            "never asked": f"http://127.0.0.1:9/v1?api_key={SECRET}#m",
            "counts": self.script("counts", {}),
        }
        suites = {"counts": ["numeric"]}
        path = self.folder / "freshness.toml"
        tables = (
            f"[[models]]\nname = {json.dumps(n)}\nmodel = {json.dumps(m)}\n"
            f"suites = {json.dumps(suites.get(n, ['current']))}\n"
            for n, m in models.items()
        )
        path.write_text("\n".join(tables))
        return load(path, environ={"FRESHNESS_STORE__URL": self.url})

    def answers(self, day):
        """What was true on that day of each fact."""
        held = {fact.id: current_labels(fact.values, day, fact.holders) for fact in self.facts}
        return {fact: f"It is {labels[0]}." for fact, labels in held.items() if labels}

    def lies(self):
        named = {fact.id: fact.values[0].label for fact in self.facts}
        kinds = (SCRIPT, IMAGE, OVERRIDE, "\x00\x1b[31m", "")
        said = {fact: f"{label} {kinds[n % 5]}" for n, (fact, label) in enumerate(named.items())}
        first = next(iter(named))
        return said | {f"{first}/p1": f"{named[first]} {LONG}"}

    def script(self, name, answers):
        path = self.folder / f"{name}.toml"
        lines = [f"{json.dumps(fact)} = {json.dumps(text)}" for fact, text in answers.items()]
        path.write_text("\n".join(['default = "I do not know."', "[answers]", *lines]))
        return f"scripted:{path}"

    def probe(self, model, day=None, limit=FACTS):
        choice = Choice("current", ("countries",), "bundled", day or NOW.date(), limit)
        return probing.probe(
            self.settings, probing.Request(model, choice), advance=_silent, warn=_silent, note=_silent
        )

    def count(self):
        """A model that was asked about numbers, one of its answers hostile, by charts that were revised."""
        countries = COUNTRIES | {"XKX": NOWHERE}
        save_charts(self.store, NOW, ("life-expectancy", "wheat-yields"), countries)
        gone = [former_chart(name, NOW) for name in ("gdp-per-capita", "annual-co2")]
        self.store.save_charts(gone, "owid", NOW)
        asked, said = choosing()
        said[1] = replace(said[1], answer=replace(said[1].answer, text=f"(c) {SCRIPT}"))
        begun = replace(run("numbers", model="counts", started_at=NOW - timedelta(hours=3)), suite="numeric")
        self.store.start_run(begun, asked)
        self.store.add_trials(begun.id, said)
        self.store.finish_run(begun.id, NOW, "finished")
        figures = summary_of(self.store.run(begun.id))
        self.store.save_summary(replace(figures, choices=replace(figures.choices, known=KNOWN)))

    def change_the_world(self):
        """Somebody new holds the first fact, and the model that knew is outdated."""
        run = self.store.runs("knows")[0].id
        before = self.snapshot.facts[0]
        after = _succeeded(before, NOW.date() - timedelta(days=1))
        first = Snapshot("wikidata", NOW - timedelta(days=3), self.snapshot.facts)
        second = Snapshot("wikidata", NOW, (after, *self.snapshot.facts[1:]))
        seen = compare(before, NOW.date() - timedelta(days=3), after, NOW.date(), NOW)
        effect = Effect("knows", run, seen[0].was[0], Verdict.CORRECT, Verdict.OUTDATED)
        self.store.save_refresh(first, first.taken_at, known=None)
        happened = [replace(event, effects=(effect,)) for event in seen]
        self.store.save_refresh(second, NOW, known=first.digest, events=happened)


def _succeeded(fact, day):
    over = PartialDate.from_date(day)
    ended = tuple(
        replace(v, intervals=tuple(replace(i, end=over) if i.is_open else i for i in v.intervals))
        for v in fact.values
    )
    return replace(
        fact, values=(*ended, Value("Somebody <b>New</b>", (), (ValidityInterval(over),), id="Q9"))
    )


def _silent(*_):
    pass


def make_world(folder, url):
    """All kinds of models, a change in the world, a sign of a swap, and jobs that went well and badly."""
    world = World(folder, url)
    world.probe("knows", NOW.date() - timedelta(days=1))
    for model in ("knows", "is behind", HOSTILE_NAME):
        world.probe(model)
    world.probe(world.script("elsewhere", world.answers(NOW.date())), limit=3)
    _fail(world)
    world.count()
    world.change_the_world()
    swap = ModelEvent("is behind", "served_model_changed", NOW, world.store.runs("is behind")[0].id, "a", "b")
    world.store.add_model_event(swap)
    for job, outcome, error in (
        ("probe:knows:current", "succeeded", None),
        ("probe:fails:current", "failed", f"http://me:{SECRET}@127.0.0.1:9 can't be reached"),
    ):
        claim = world.store.claim(job, NOW, timedelta(seconds=45))
        world.store.settle(claim, outcome, error, 1.5)
    return world


def _fail(world):
    failed = run("failed", model="fails", started_at=NOW - timedelta(hours=1))
    world.store.start_run(failed, questions(1))
    world.store.finish_run("failed", NOW, "failed", details={"error": f"Bearer {SECRET}"})
    ensure_summaries(world.store)
