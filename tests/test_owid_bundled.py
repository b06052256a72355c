import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime

import pytest
from owid_server import CSV, indicator, metadata

from freshness.catalog import charts
from freshness.errors import UsageError
from freshness.series import Chart, Series, digest_of
from freshness.sources.bundled_series import SOURCE, BundledSeries
from freshness.sources.owid import bundle, directory


@pytest.fixture(scope="module")
def bundled():
    return BundledSeries().fetch()


def test_the_bundled_series_are_always_the_same(bundled):
    assert BundledSeries().fetch().digest == bundled.digest
    assert bundled.source == SOURCE


def test_six_of_the_eight_categories_are_bundled(bundled):
    categories = {chart.indicator.category for chart in bundled.charts}
    assert categories == {"climate", "food", "health", "human_rights", "economy", "peace_and_war"}


def test_each_chart_is_one_of_the_catalogue_and_says_whose_it_is(bundled):
    known = {each.id: each for each in charts.load()}
    for chart in bundled.charts:
        assert chart.indicator == known[chart.indicator.id]
        assert chart.vintage.licence == "CC BY 4.0"
        assert "Our World in Data" in chart.vintage.citation
        assert chart.vintage.fetched_at.tzinfo is not None


def test_countries_alone_with_possible_values_in_the_order_of_the_years(bundled):
    for chart in bundled.charts:
        assert len(chart.series) > 100
        for each in chart.series:
            assert each.is_country
            assert list(each.years) == sorted(set(each.years))
            assert len(each.years) == len(each.values) > 0
            assert min(each.years) >= bundle.FIRST_YEAR
            assert all(chart.indicator.allows(value) for value in each.values)


def test_nothing_lies_in_the_future(bundled):
    for chart in bundled.charts:
        assert max(each.years[-1] for each in chart.series) <= chart.vintage.last_year


def test_the_file_is_small_and_loads_nothing_heavy():
    assert bundle.FILE.stat().st_size < 1_000_000
    code = (
        "import sys; from freshness.sources.bundled_series import BundledSeries\n"
        "BundledSeries().fetch(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert not {"polars", "numpy", "httpx"} & set(loaded)


def test_what_is_packed_is_unpacked_as_it_was(bundled):
    known = {each.id: each for each in charts.load()}
    again = bundle.unpacked(bundle.packed(bundled.charts), SOURCE, known)
    assert again == bundled
    assert bundle.packed(again.charts) == bundle.packed(bundled.charts)


def test_gaps_fractions_and_large_numbers_survive_packing(bundled):
    first = bundled.charts[0]
    series = Series(first.indicator.id, "A", "AAA", (1939, 1950, 1953), (1.0, 1e300, 0.1))
    chart = Chart(first.indicator, first.vintage, (series,))
    (packed,) = bundle.unpacked(bundle.packed([chart]), SOURCE, {first.indicator.id: first.indicator}).charts
    assert (packed.series[0].years, packed.series[0].values) == ((1950, 1953), (1e300, 0.1))


def test_charts_of_another_version_are_left_out(bundled):
    known = {each.id: each for each in charts.load(["health"])}
    assert len(bundle.unpacked(bundle.FILE.read_bytes(), SOURCE, known).charts) == 1


# --- a folder


def test_a_folder_of_charts_is_read_with_what_is_wrong_in_it(tmp_path):
    (tmp_path / "life.csv").write_text(CSV)
    said = metadata() | {"dateDownloaded": "2026-05-04"}
    (tmp_path / "life.metadata.json").write_text(json.dumps(said))
    (tmp_path / "bad.csv").write_text("<html>")
    (tmp_path / "worse.csv").write_text(CSV)
    (tmp_path / "worse.metadata.json").write_text("{")
    wanted = [indicator(slug) for slug in ("life", "bad", "absent", "worse")]
    (chart,), wrong = directory.charts(tmp_path, wanted)
    assert chart.vintage.fetched_at == datetime(2026, 5, 4, tzinfo=UTC)
    assert chart.vintage.updated == date(2025, 10, 22)
    assert [(error.indicator, error.kind) for error in wrong] == [
        ("bad", "owid_not_csv"),
        ("worse", "owid_bad_metadata"),
    ]
    assert str(tmp_path / "bad.csv") in str(wrong[0])


def test_metadata_that_are_no_file_or_too_large_are_not_read(tmp_path):
    slugs = ("pipe", "folder", "device", "large")
    for slug in slugs:
        (tmp_path / f"{slug}.csv").write_text(CSV)
    os.mkfifo(tmp_path / "pipe.metadata.json")
    (tmp_path / "folder.metadata.json").mkdir()
    (tmp_path / "device.metadata.json").symlink_to("/dev/zero")
    with (tmp_path / "large.metadata.json").open("wb") as file:
        file.truncate(2**30)
    _, wrong = directory.charts(tmp_path, [indicator(slug) for slug in slugs])
    assert [error.kind for error in wrong] == ["owid_unreadable"] * 3 + ["owid_too_large"]


@pytest.mark.parametrize(
    ("written", "is_believed"),
    [(datetime(2025, 3, 1, tzinfo=UTC), True), (datetime(1980, 1, 1, tzinfo=UTC), False)],
)
def test_without_metadata_the_files_date_counts_unless_it_is_none(tmp_path, written, is_believed):
    file = tmp_path / "life.csv"
    file.write_text(CSV)
    os.utime(file, (written.timestamp(), written.timestamp()))
    (chart,), _ = directory.charts(tmp_path, [indicator()])
    assert (chart.vintage.fetched_at == written) is is_believed
    assert chart.vintage.last_year >= 2024


def test_the_same_files_give_the_same_digest(tmp_path):
    (tmp_path / "life.csv").write_text(CSV)
    once, again = (directory.charts(tmp_path, [indicator()])[0][0] for _ in range(2))
    assert digest_of(once) == digest_of(again)


def test_what_is_no_folder_of_charts_is_told(tmp_path):
    with pytest.raises(UsageError, match="no folder of charts"):
        directory.charts(tmp_path / "none", [indicator()])
    with pytest.raises(
        UsageError, match=r"no chart of the catalogue is in this folder; one would be life\.csv"
    ):
        directory.charts(tmp_path, [indicator()])


def test_entities_that_a_chart_must_have_are_looked_for(tmp_path):
    (tmp_path / "life.csv").write_text(CSV)
    _, (error,) = directory.charts(tmp_path, [indicator()], {"life": ["Atlantis"]})
    assert error.kind == "owid_entity_missing"
