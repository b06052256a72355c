"""What the pages show, below HTTP: standings, excerpts, pictures in numbers, and facts read now and then."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import numeric_runs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from series_world import FRANCE, chart, moved, series
from stores import failed, judged, made_database, questions, run, trial
from web_world import NOW, make_world

from freshness.app import pages
from freshness.app.pages import curves, figures, looking
from freshness.app.pages.changing import Moved, Named, Outdating
from freshness.app.pages.excerpts import excerpt_of, said
from freshness.app.pages.facts import Holder, Interval, Wanted
from freshness.app.pages.fleet import NEWS, OUTDATED_ABOVE, Point
from freshness.app.pages.looking import Look, Slice
from freshness.app.pages.models import Starts
from freshness.app.summaries import ensure_summaries
from freshness.changes.events import Effect
from freshness.changes.revisions import compare as revised
from freshness.config import load
from freshness.store import NOT_KEPT, SeriesFault, open_store
from freshness.verdicts import Verdict

TODAY = date(2026, 3, 8)
LANDS = {"World": "OWID_WRL", **{f"Land {letter}": f"LL{letter}" for letter in "ABCDEFGH"}}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    world = make_world(folder, made_database("sqlite", folder))
    yield world
    world.store.close()


@pytest.fixture
def look(world):
    return Look(world.settings, world.store, world.daemon)


def with_span(text, words):
    """A trial whose judgement points at these words of the answer."""
    start = text.index(words)
    one = trial(text=text)
    return replace(one, judgement=replace(one.judgement, mention=words, span=(start, start + len(words))))


class TestStandings:
    def test_registered_models_come_first_in_the_configs_order(self, look, world):
        found = pages.standings(look)
        registered = [model.name for model in world.settings.models]
        assert [s.model for s in found[: len(registered)]] == registered
        assert all(not s.registered for s in found[len(registered) :])

    def test_a_sign_of_a_swap_is_news_for_a_week(self, look):
        def state(moment):
            found = pages.standings(replace(look, now=moment))
            return next(s.state for s in found if s.model == "is behind")

        assert state(NOW + NEWS - timedelta(hours=1)) == "swapped"
        assert state(NOW + NEWS + timedelta(hours=1)) == "outdated"

    def test_outdated_above_a_share_of_its_answers_as_the_alert_has_it(self, look, world, monkeypatch):
        (newest,) = (s for s in world.store.latest_summaries() if s.model == "knows")
        for outdated, state in ((20, "ok"), (21, "outdated")):
            counts = {"correct": 100 - outdated, "outdated": outdated}
            behind = replace(newest, upper_bound=counts, questions=100, outdated=outdated)
            monkeypatch.setattr(type(world.store), "latest_summaries", lambda store, one=behind: [one])
            (found,) = pages.standings(look, "knows")
            assert (found.state, OUTDATED_ABOVE) == (state, 0.2)
        assert found.reasons == ("21 facts outdated, 21.0% of its answers",)

    def test_without_a_daemon_nothing_is_planned(self, look):
        assert all(s.next_run is None for s in pages.standings(replace(look, daemon=None)))

    def test_a_first_run_that_did_not_end_well_is_no_data_and_says_so(self, tmp_path, world):
        with open_store(made_database("sqlite", tmp_path)) as store:
            asked = questions(1)
            store.start_run(run("begun", model="begun", started_at=NOW), asked)
            store.start_run(run("mute", model="mute", started_at=NOW), asked)
            store.add_trials("mute", [failed(0, name) for name in ("p1", "p2", "p3")])
            store.finish_run("mute", NOW, "finished")
            ensure_summaries(store)
            found = {s.model: s for s in pages.standings(Look(world.settings, store)) if not s.registered}
        assert (found["begun"].state, found["begun"].newest) == ("never_asked", None)
        assert found["begun"].reasons[0] == "its first run is running"
        assert found["mute"].state == "failing"
        assert found["mute"].reasons[0] == "3 prompts of its newest run got no answer"

    def test_a_suite_that_it_never_was_asked_is_no_page(self, look):
        assert pages.model(look, "knows", "numeric") is None
        assert pages.model(look, "knows", "current").suites == ("current",)

    def test_suites_of_one_model_stand_together(self, look, world, monkeypatch):
        (newest,) = (s for s in world.store.latest_summaries() if s.model == "knows")
        former = replace(newest, suite="next-word")
        monkeypatch.setattr(type(world.store), "latest_summaries", lambda store: [newest, former])
        found = [(s.model, s.suite) for s in pages.standings(look)]
        assert found.index(("knows", "next-word")) == found.index(("knows", "current")) + 1


class TestChanges:
    def test_facts_and_numbers_come_the_newest_first(self, look):
        found = pages.changes(look, limit=100).items
        seen = [change.seen_at for change in found]
        assert seen == sorted(seen, reverse=True)
        assert {change.edition is None for change in found} == {True, False}

    def test_an_edition_is_told_once_for_all_series_of_a_kind(self, look):
        told = [change for change in pages.changes(look).items if change.property == "life-expectancy"]
        assert [(one.kind, one.edition.series, one.edition.values) for one in told] == [
            ("revision", 6, 132),
            ("new_years", 6, 6),
        ]
        revised = told[0]
        assert (revised.fact, revised.group, revised.subject) == (None, "health", Named("FRA", "France"))
        assert revised.edition.vintages == ("2023-12-01", f"{NOW:%Y-%m-%d}")
        # The newest years alone, however many were revised.
        assert revised.before == ("78 (2020)", "78.4 (2021)", "78.8 (2022)")

    def test_parts_put_together_are_the_whole(self, look):
        whole = pages.changes(look, limit=100).items
        parts = [pages.changes(look, offset=n, limit=2) for n in range(0, len(whole), 2)]
        assert tuple(change for part in parts for change in part.items) == whole
        assert [part.more for part in parts] == [True] * (len(parts) - 1) + [False]

    def test_each_model_is_named_once_whatever_the_number_of_its_answers(self, tmp_path):
        def answered(number, after):
            return Effect("m", "r", f"{number}.5 (2020)", Verdict.CORRECT, after)

        before = chart(*(series(FRANCE, name, code) for name, code in LANDS.items()))
        after = chart(*(series(moved(FRANCE, y2020=1), n, c) for n, c in LANDS.items()), updated=TODAY)
        told = revised(before, after, NOW)
        touched = [replace(told[n], effects=(answered(n, Verdict.OUTDATED),)) for n in range(3)]
        touched += [replace(told[n], effects=(answered(n, Verdict.IRRELEVANT),)) for n in range(3, 5)]
        with open_store(made_database("sqlite", tmp_path)) as store:
            store.save_chart(before, "owid", NOW, known=None)
            known = store.latest_chart("owid", "life")[1]
            store.save_chart(after, "owid", NOW, known=known, events=[*touched, *told[5:]])
            (found,) = pages.changes(Look(load(None, environ={}), store)).items
        assert found.newly_outdated == (Outdating("m", "0.5 (2020)", 3),)
        assert found.judged_differently == (Moved("m", "3.5 (2020)", "correct", "irrelevant", 2),)
        assert found.subject.name == "Land A"


class TestExcerpts:
    def test_the_words_that_matched_stand_apart(self):
        found = excerpt_of(with_span("I think it is Mario Draghi, no doubt.", "Mario Draghi"))
        assert (found.before, found.match, found.after) == ("I think it is ", "Mario Draghi", ", no doubt.")
        assert not found.cut

    @pytest.mark.parametrize(
        ("text", "is_cut"),
        [("short", False), ("x" * 320, False), ("x" * 321, True), ("", False)],
    )
    def test_cut_is_said_only_where_something_is_missing(self, text, is_cut):
        found = excerpt_of(replace(trial(text=text), judgement=_unmatched()))
        assert found.cut is is_cut
        assert found.chars == len(text)

    def test_what_was_cut_when_it_was_taken_is_cut_though_all_that_was_kept_is_shown(self):
        one = with_span("It is Mario Draghi and", "Mario Draghi")
        found = excerpt_of(replace(one, answer=replace(one.answer, flags=("text_cut",))))
        assert (found.cut, found.whole, found.chars) == (True, False, 22)
        assert excerpt_of(one).whole

    @pytest.mark.parametrize(("before", "after"), [("x" * 161, ""), ("", "x" * 161), ("x" * 999, "y" * 999)])
    def test_what_is_far_from_the_match_is_cut(self, before, after):
        found = excerpt_of(with_span(f"{before}Mario Draghi{after}", "Mario Draghi"))
        assert found.cut
        assert found.match == "Mario Draghi"
        assert len(found.before + found.after) < 340

    def test_an_answer_whose_text_was_not_kept_says_so(self):
        one = trial(text="")
        assert not said(replace(one, answer=replace(one.answer, flags=(NOT_KEPT,)))).answer.kept

    def test_an_error_has_no_answer(self):
        one = trial()
        failed = said(
            replace(one, judgement=None, answer=replace(one.answer, error="gone", error_kind="http"))
        )
        assert (failed.answer, failed.verdict, failed.error, failed.error_kind) == (
            None,
            None,
            "gone",
            "http",
        )


def _unmatched():
    return replace(judged(Verdict.IRRELEVANT), matched=None, mention=None, span=None)


class TestKnownFacts:
    def test_are_read_again_when_they_are_old_or_the_day_is_another(self, world, monkeypatch):
        reads, moment = [], SimpleNamespace(now=0.0)
        known = pages.KnownFacts(10, clock=lambda: moment.now)
        monkeypatch.setattr(
            "freshness.app.pages.looking.world.facts", lambda settings, view: reads.append(view.as_of) or []
        )
        for now, day, expected in ((0, 1, 1), (9, 1, 1), (10, 1, 2), (11, 1, 2), (12, 2, 3)):
            moment.now = now
            known.by_id(world.settings, date(2026, 1, day))
            assert len(reads) == expected

    def test_a_change_in_the_world_is_seen(self, look):
        assert look.facts()["Q38/P35"].current == ("Somebody <b>New</b>",)

    def test_facts_are_chosen_by_all_that_is_wanted(self, look):
        def found(**wanted):
            return {line.fact for line in pages.facts(look, Wanted(**wanted), limit=10_000).items}

        everything = found()
        assert found(state="usable") | found(state="quarantined") == everything
        assert found(words="somebody <b>new</b>") == {"Q38/P35"}
        assert "Q38/P35" in found(words="P35 italy", group="countries")
        assert found(words="italy", group="athletes") == set()


class TestSlices:
    @given(st.integers(0, 40), st.integers(0, 50), st.integers(1, 20))
    def test_parts_put_together_are_the_whole(self, total, offset, limit):
        whole = list(range(total))
        part = Slice.of(whole, offset, limit)
        assert list(part.items) == whole[offset : offset + limit]
        assert part.more == (offset + limit < total)
        begun = Slice.of_beginning(whole[: offset + limit + 1], offset, limit)
        assert (begun.items, begun.more) == (part.items, part.more)


class TestPictures:
    def test_a_bar_adds_up_to_its_whole_width(self):
        parts = figures.bar({"correct": 1, "outdated": 1, "irrelevant": 1, "refused": 0})
        assert [part.verdict for part in parts] == ["correct", "outdated", "irrelevant"]
        assert sum(part.width for part in parts) == pytest.approx(100, abs=0.01)
        assert parts[-1].x + parts[-1].width == pytest.approx(100, abs=0.01)

    def test_nothing_counted_is_no_bar(self):
        assert figures.bar({"correct": 0}) == figures.bar({}) == ()

    @given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
    def test_a_trend_stays_in_its_frame(self, shares):
        points = [Point(NOW + timedelta(days=n), share, 1 - share) for n, share in enumerate(shares)]
        drawn = figures.trend(points)
        at = [tuple(map(float, pair.split(","))) for pair in drawn.correct.points.split()]
        assert all(0 <= x <= 100 and 0 <= y <= figures.TREND_HEIGHT for x, y in at)
        assert at == sorted(at)

    def test_one_run_makes_no_trend(self):
        assert figures.trend([Point(NOW, 0.5, 0.5)]) is None
        assert figures.trend([]) is None


def fact_page(*values, current=()):
    origin = SimpleNamespace(source="wikidata", taken_at=datetime.now(UTC))
    return pages.FactPage(
        "Q38/P6", "countries", Named("Q38", "Italy"), "P6", "one", None, None, "usable", (), (),
        current, values, origin, None, None, None, (), (),
    )  # fmt: skip


def holder(label, *terms):
    return Holder(None, label, (), "normal", tuple(Interval(*term) for term in terms))


class TestTimeline:
    def test_terms_lie_where_their_years_are(self):
        before = holder("Before", ("2000-01-01", "2010-01-01"), ("2015-01-01", "2020-01-01"))
        page = fact_page(holder("Now", ("2020-01-01", None)), before, current=("Now",))
        drawn = figures.timeline(page, TODAY)
        before, now = drawn.lanes
        assert (before.label, now.label, now.is_current) == ("Before", "Now", True)
        assert len(before.spans) == 2
        assert before.spans[0].x == 0
        assert now.spans[0].x == pytest.approx(before.spans[1].x + before.spans[1].width, abs=0.1)
        assert now.spans[0].x + now.spans[0].width == pytest.approx(drawn.today, abs=0.1)
        assert [year for year, _ in drawn.ticks] == [2000, 2005, 2010, 2015, 2020, 2025]

    @pytest.mark.parametrize(
        "terms", [(("2020", "unknown"),), ((None, "2020"),), (("-0044", "0014"),), (("2030", None),)]
    )
    def test_bounds_that_are_missing_early_or_ahead_are_drawn_in_the_frame(self, terms):
        drawn = figures.timeline(fact_page(holder("X", *terms), holder("Y", ("2010", "2015"))), TODAY)
        for lane in drawn.lanes:
            for span in lane.spans:
                assert 0 <= span.x <= 100
                assert figures.SHORTEST <= span.width <= 100

    def test_without_any_date_there_is_nothing_to_draw(self):
        assert figures.timeline(fact_page(holder("X", (None, None))), TODAY) is None
        assert figures.timeline(fact_page(), TODAY) is None

    def test_only_the_latest_of_very_many_are_drawn(self):
        values = [holder(f"H{n}", (str(1900 + n), str(1901 + n))) for n in range(100)]
        drawn = figures.timeline(fact_page(*values), TODAY)
        assert drawn.left_out == 100 - figures.ROWS
        assert drawn.lanes[-1].label == "H99"


class TestWindow:
    def test_box_and_cutoff_are_placed_and_told_in_words(self, look):
        page = pages.model(look, "is behind")
        starts = Starts("1999", "2010-05", "2015", "2018-06-01", "2021")
        newest = replace(page.standing.newest, cutoff=("2020-06", "2021-02", "2021-09"))
        dated = replace(page, starts=starts, standing=replace(page.standing, newest=newest))
        drawn = figures.window(dated)
        assert list(drawn.box) == sorted(drawn.box)
        assert list(drawn.cutoff) == sorted(drawn.cutoff)
        assert all(0 <= at <= 100 for at in (*drawn.box, *drawn.cutoff))
        assert "training data ends 2021-02, 90% interval 2020-06 to 2021-09" in drawn.words

    def test_nothing_known_is_no_window(self, look):
        page = pages.model(look, "never asked")
        assert figures.window(page) is None


class TestNumbers:
    def test_a_run_of_facts_has_none(self, look, world):
        assert pages.model(look, "knows").numbers is None

    def test_shares_stand_beside_chance_with_intervals(self, look):
        shown = pages.model(look, "counts").numbers
        assert [one.name for one in shown.kinds] == [
            "date",
            "comparative",
            "window",
            "minmax",
            "range",
            "trend",
        ]
        by_kind = {one.name: one for one in shown.kinds}
        assert (by_kind["comparative"].against, by_kind["date"].against) == ("", "")
        assert by_kind["date"].correct.low < 0.25 < by_kind["date"].correct.high
        assert shown.average.chance == pytest.approx((5 * 0.25 + 0.5) / 6)
        assert {one.indicator: one.status for one in shown.until}["annual-co2"] == "at_chance"

    def test_lists_leave_the_long_figures_out(self, look):
        (found,) = pages.standings(look, "counts")
        assert found.newest.choices is None
        assert found.numbers.questions == 234
        assert pages.model(look, "counts").standing.newest.choices is None

    def test_numbers_of_other_years_make_no_model_outdated(self, look, world, monkeypatch):
        (newest,) = (s for s in world.store.latest_summaries() if s.model == "knows")
        counts = {"correct": 10, "outdated": 90}
        behind = replace(newest, suite="next-word", upper_bound=counts, questions=100, outdated=90)
        monkeypatch.setattr(type(world.store), "latest_summaries", lambda store: [behind])
        found = {(s.model, s.suite): s.state for s in pages.standings(look, "knows")}
        assert found["knows", "next-word"] == "not_registered"

    def test_what_is_right_by_year_is_drawn_where_it_lies(self, look):
        shown = pages.model(look, "counts").numbers
        drawn = curves.by_year(shown)
        assert len(drawn.marks) == len(shown.spans)
        places = [mark.x for mark in drawn.marks]
        assert places == sorted(places)
        for mark in drawn.marks:
            assert 0 <= mark.high <= mark.y <= mark.low <= curves.HEIGHT
            assert 0 <= mark.start < mark.x < mark.end <= 100
        assert curves.by_year(replace(shown, spans=shown.spans[:1])) is None

    @given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
    def test_the_steps_of_an_axis_are_few_and_hold_everything(self, one, other):
        low, high = min(one, other), max(one, other)
        steps = curves._steps(low, high)
        unseen = 1e-9 * max(abs(low), abs(high))
        assert steps[0] - unseen <= low
        assert high <= steps[-1] + unseen
        assert 2 <= len(steps) <= 9
        assert steps[0] < steps[-1]

    def test_options_stand_once(self):
        asked, (said_of, *_) = numeric_runs.choosing()
        key = asked[0].numeric
        options = "\n".join(f"({letter}) {text}" for letter, text in zip("abcd", key.options, strict=True))
        whole = replace(said_of, asked=f"What was it?\n{options}\nAnswer with the letter alone.")
        told = said(whole, key)
        assert told.asked == "What was it?"
        assert [option.text for option in told.number.options] == list(key.options)
        assert said(whole).asked.endswith("Answer with the letter alone.")

    def test_a_choice_stands_beside_the_right_one(self):
        asked = numeric_runs.question("date", "health", 2011)
        found = said(numeric_runs.trial(asked, "(c)", Verdict.INCORRECT, "(c) 79.9 years"), asked.numeric)
        assert [(o.letter, o.right, o.chosen) for o in found.number.options] == [
            ("(a)", False, False),
            ("(b)", True, False),
            ("(c)", False, True),
            ("(d)", False, False),
        ]
        assert found.number.right == "(b) 72.4 years"

    def test_an_open_answer_stands_beside_the_value(self):
        asked = numeric_runs.question("next_word", "health", 2011)
        found = said(numeric_runs.trial(asked, "75", Verdict.CORRECT, "75.25 (2011)"), asked.numeric)
        assert (found.number.right, found.number.options) == ("75.25 years", ())


class TestSeries:
    def line(self, look, name="life-expectancy"):
        return next(line for line in pages.indicators(look, limit=200).items if line.indicator == name)

    def test_a_chart_that_was_confirmed_is_fine_until_it_is_too_old_or_its_publisher_late(self, look):
        line = self.line(look)
        assert (line.state, line.source, line.newest_year, line.countries) == ("ok", "owid", 2023, 6)
        age = look.settings.owid.max_age
        assert self.line(replace(look, now=NOW + age - timedelta(hours=1))).state == "ok"
        assert self.line(replace(look, now=NOW + age + timedelta(hours=1))).state == "stale"
        patient = look.settings.model_copy(
            update={"owid": look.settings.owid.model_copy(update={"max_age": timedelta(days=9999)})}
        )
        due = datetime.combine(line.edition.next_update, datetime.min.time(), UTC)
        for days, state in ((60, "ok"), (62, "late")):
            later = replace(look, settings=patient, now=due + timedelta(days=days))
            assert self.line(later).state == state

    def test_what_a_refresh_did_not_take_says_why(self, look, world):
        world.store.add_series_fault(
            SeriesFault("owid", "wheat-yields", NOW, "owid_not_found", "no such chart")
        )
        line = self.line(look, "wheat-yields")
        assert (line.state, line.reason) == ("failing", "no such chart")

    @pytest.mark.parametrize(
        ("name", "state"), [("rice-yields", "missing"), ("human-rights-index-vdem", "failing")]
    )
    def test_what_was_never_fetched_says_why_too_whether_it_is_bundled_or_not(self, look, world, name, state):
        assert self.line(look, name).confirmed_at is None
        world.store.add_series_fault(SeriesFault("owid", name, NOW, "owid_not_found", "no such chart"))
        line = self.line(look, name)
        assert (line.state, line.reason) == (state, "no such chart")

    def test_what_came_with_the_package_says_so(self, look):
        states = {line.indicator: line for line in pages.indicators(look, limit=200).items}
        bundled = [line for line in states.values() if line.state == "bundled"]
        assert bundled
        assert all(line.source == "bundled" and line.edition.licence for line in bundled)
        assert all(line.edition is None for line in states.values() if line.state == "missing")

    def test_charts_are_read_again_when_a_refresh_brought_another_edition_and_not_before(
        self, look, monkeypatch
    ):
        read = []
        listed = looking.series_views.listed
        monkeypatch.setattr(looking.series_views, "listed", lambda *asked: read.append(1) or listed(*asked))
        for _ in range(3):
            pages.indicators(look)
        assert len(read) == 1
        chart, _ = look.store.latest_chart("owid", "wheat-yields")
        look.store.confirm_chart("owid", "wheat-yields", NOW + timedelta(hours=1))
        pages.indicators(look)
        assert len(read) == 1
        newer = replace(chart, series=chart.series[:5])
        look.store.save_charts([newer], "owid", NOW + timedelta(hours=2))
        assert self.line(look, "wheat-yields").countries == 5
        assert len(read) == 2

    def test_a_series_tells_what_earlier_editions_gave(self, look):
        shown = pages.indicator(look, "life-expectancy", "fra").shown
        by_year = {point.year: point for point in shown.points}
        assert by_year[2022].text == "79.3"
        assert by_year[2022].formerly == ("78.8 (2023-12-01)",)
        assert by_year[1999].formerly == ()
        assert {change.kind for change in shown.changes} == {"revision", "new_years"}
        assert [asked.model for asked in shown.models] == ["counts"]
        assert shown.models[0].more

    def test_an_unknown_indicator_is_none_and_an_unknown_country_no_series(self, look):
        assert pages.indicator(look, "nothing") is None
        assert pages.indicator(look, "life-expectancy", "Atlantis").shown is None

    def test_curves_hold_all_that_is_drawn(self, look):
        drawn = curves.curve(pages.indicator(look, "life-expectancy", "FRA"))
        for points in (drawn.band, drawn.median, drawn.shown):
            for point in points.split():
                x, y = map(float, point.split(","))
                assert curves.LEFT <= x <= 100
                assert 0 <= y <= 100
        assert "of France: 50 in 1950" in drawn.words
