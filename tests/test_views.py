"""How results look on a terminal, whatever its width."""

import re
from dataclasses import replace
from datetime import date

import pytest

from freshness.app import views
from freshness.app.keys import GONE
from freshness.app.past import Regraded
from freshness.history import Counts
from freshness.verdicts import CHOICES, Verdict
from tests.numeric_runs import choosing, run
from tests.test_report import screen

MODEL = "http://localhost:8000/v1#organisation/a-model-12b-instruct"


def regraded(run_id, model, **more):
    asked, trials = choosing()
    before = Counts.of([trial.judgement.verdict for trial in trials], CHOICES)
    after = Counts.of([Verdict.CORRECT] * len(trials), CHOICES)
    one = replace(run(asked, trials), id=run_id, model=model)
    return Regraded(one, date(2024, 6, 1), before, after, changed=150, **more)


class TestRegraded:
    @pytest.mark.parametrize("width", [200, 100, 80, 60, 40])
    @pytest.mark.parametrize("own", [{}, {GONE: 12}])
    def test_ids_stay_whole_and_every_number_is_there(self, width, own):
        runs = [regraded("a1b2c3d4e5f6", "demo", own_keys=own), regraded("f6e5d4c3b2a1", MODEL, own_keys=own)]
        out = screen(views.regraded(runs), width)
        assert max(map(len, out.splitlines())) <= width
        found = set(out.split())
        assert {"a1b2c3d4e5f6", "f6e5d4c3b2a1", "demo"} <= found
        assert (MODEL in found) is (width > len(MODEL))
        told = " ".join(re.sub("[;,]", " ", out).split())
        assert told.count("150 of 234") == 2
        assert len(re.findall("[0-9]+ to 234", told)) == 2
        assert ("own key" in told) is bool(own)
        # A run is a line of a table or a few lines: not a line for each of its cells.
        assert width < 60 or len(out.splitlines()) <= 2 * 4 + 2 + 4 * bool(own)

    def test_what_was_skipped_says_why_and_nothing_else(self):
        out = screen(views.regraded([regraded("a1b2c3d4e5f6", MODEL, skipped="it is still being asked")]), 80)
        assert "as of 2024-06-01; skipped: it is still being asked\n" in re.sub(" +\n", "\n", out)


def test_a_picture_of_no_answers_is_not_made_and_says_so(tmp_path):
    from freshness.report import ModelReport, Report

    said = []
    views.write(Report((ModelReport.of("m", []),)), None, tmp_path / "x.svg", said.append)
    assert said == [f"nothing to plot into {tmp_path / 'x.svg'}: there is no answer; no file was made"]
