import os

import pytest

from freshness.catalog import charts, countries
from freshness.errors import UsageError
from freshness.series import CATEGORIES

CHART = """
[[chart]]
slug = "my-chart"
column = "v"
category = "health"
subcategory = "Life Expectancy"
phrase = "life expectancy"
unit = "years"
"""


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "charts.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_all_eight_categories_are_built_in():
    built_in = charts.load()
    assert {each.category for each in built_in} == set(CATEGORIES)
    assert len({each.id for each in built_in}) == len(built_in)


def test_phrases_stand_in_a_question():
    for each in charts.load():
        assert each.phrase[0].islower() or each.phrase.split()[0] in ("GDP", "V-Dem", "Human")
        assert not each.phrase.endswith((".", "?"))


@pytest.mark.parametrize("name", ["health", "life-expectancy", "electricity-prod-source-stacked/coal"])
def test_a_name_picks_from_the_built_in_ones(name):
    picked = charts.load([name])
    assert set(picked) < set(charts.load())
    assert all(name in (each.category, each.slug, each.id) for each in picked)


def test_what_two_names_bring_is_there_once():
    assert charts.load(["life-expectancy", "health"])[0].id == "life-expectancy"
    assert len(charts.load(["life-expectancy", "health"])) == len(charts.load(["health"]))


def test_own_charts_come_from_a_file(file):
    text = CHART + 'lowest = 0\nhighest = 130.5\nentities = ["France"]\n' + CHART.replace("my-chart", "other")
    first, second = charts.load([file(text)])
    assert (first.id, first.slug, first.lowest, first.highest) == ("my-chart", "my-chart", 0, 130.5)
    assert (second.id, second.lowest) == ("other", None)
    assert charts.needed([file(text)]) == {"my-chart": ("France",)}


def test_a_byte_order_mark_is_no_part_of_the_list(file):
    assert charts.load([file("\ufeff" + CHART)]) == charts.load([file(CHART)])


def test_a_pipe_or_a_device_is_no_list(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    for name in (tmp_path / "pipe.toml", "/dev/zero"):
        with pytest.raises(UsageError, match="is no file"):
            charts.load([str(name)])


def test_what_stands_on_several_lines_is_put_on_one(file):
    (found,) = charts.load([file(CHART.replace('"v"', r'" Life\n\u00a0expectancy "') + "lowest = 0\n")])
    assert (found.column, found.lowest) == ("Life expectancy", 0)


def test_several_columns_have_ids_of_their_own(file):
    text = CHART + 'id = "my-chart/a"\n' + CHART + 'id = "my-chart/b"\n'
    assert [each.id for each in charts.load([file(text)])] == ["my-chart/a", "my-chart/b"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CHART.replace("my-chart", "a/b"), "chart[0].slug must be a chart's name alone"),
        (CHART.replace("my-chart", "../etc"), "slug must be"),
        (CHART.replace("my-chart", "a.csv"), "slug must be"),
        (CHART.replace("my-chart", "a\\n"), "slug must be"),
        (CHART.replace("my-chart", "a\\u0000b"), "slug must be"),
        (CHART.replace("my-chart", ""), "slug must be"),
        (CHART.replace("my-chart", "https://ourworldindata.org/grapher/x"), "slug must be"),
        (CHART.replace("my-chart", "x" * 200), "slug must be"),
        (CHART + 'id = "other"\n', "chart other: id must be the slug"),
        (CHART + 'id = "my-chart/../x"\n', "id must be the slug"),
        (CHART + CHART, "my-chart is there twice; give an id such as my-chart/WORD"),
        (CHART + 'columm = "w"\n', "unknown key chart[0].columm; did you mean 'column'?"),
        (CHART.replace('"health"', '"helth"'), "category"),
        (CHART.replace('column = "v"\n', ""), "chart[0].column is missing"),
        (CHART.replace('"v"', '" "'), "chart[0].column must not be blank"),
        (CHART + "lowest = nan\n", "lowest"),
        (CHART + 'lowest = "much"\n', "lowest"),
        (CHART + 'lowest = "5"\n', "chart[0].lowest must be a number"),
        (CHART + "lowest = true\n", "chart[0].lowest must be a number"),
        (CHART.replace('"v"', r'"v\u001b[31m"'), "chart[0].column must be without control characters"),
        (CHART + r'entities = ["A\u202e"]' + "\n", "chart[0].entities[0] must be without control characters"),
        (CHART + "lowest = 2\nhighest = 1\n", "lowest is above highest"),
        ("", "chart is missing"),
        ("chart = []\n", "chart must not be empty"),
        ("[[chart]\n", "catalogue"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_key(file, text, says):
    name = file(text)
    with pytest.raises(UsageError) as caught:
        charts.load([name])
    assert says in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_id_with_two_meanings_is_refused(file):
    text = CHART.replace("my-chart", "life-expectancy")
    with pytest.raises(UsageError, match="life-expectancy is there already, with another meaning"):
        charts.load(["health", file(text)])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("helth", "did you mean health?"),
        ("life-expectncy", "did you mean life-expectancy?"),
        ("/none", "climate"),
    ],
)
def test_an_unknown_name_is_told_with_the_near_one(name, says):
    with pytest.raises(UsageError) as caught:
        charts.load([name])
    assert says in str(caught.value)


def test_names_that_no_file_can_have_are_refused():
    with pytest.raises(UsageError, match="no file has such a name"):
        charts.load(["a\0b"])


# --- countries


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Czech Republic", "CZE"),
        ("Czechia", "CZE"),
        ("Swaziland", "SWZ"),
        ("Cote d'Ivoire", "CIV"),
        ("CÔTE D’IVOIRE", "CIV"),
        ("Ivory Coast", "CIV"),
        ("Turkey", "TUR"),
        ("Türkiye", "TUR"),
        ("Democratic Republic of Congo", "COD"),
        ("Congo", "COG"),
        ("South Korea", "KOR"),
        ("Korea, Dem. People's Rep.", "PRK"),
        ("St. Lucia", "LCA"),
        ("Bosnia & Herzegovina", "BIH"),
        ("Micronesia (country)", "FSM"),
        ("Burma", "MMR"),
        ("USSR", "OWID_USS"),
        ("Kosovo", "OWID_KOS"),
    ],
)
def test_a_country_is_known_by_present_and_former_names(name, code):
    assert countries.code_of(name) == code


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Korea",
        "Asia",
        "Sudan (former)",
        "Belgium-Luxembourg (FAO)",
        "High-income countries",
        "Georgia (state)",
    ],
)
def test_what_is_no_one_country_has_no_code(name):
    assert countries.code_of(name) == ""


def test_no_name_stands_for_two_countries():
    for country in countries.every():
        assert {countries.code_of(name) for name in (country.name, *country.others)} == {country.code}


def test_every_code_has_a_name():
    assert all(countries.code_of(c.name) == c.code for c in countries.every())
    assert sum(len(c.code) == 3 for c in countries.every()) == 249


@pytest.mark.parametrize("wanted", ["Swaziland", "Eswatini", "SWZ", "eswatini"])
def test_an_entity_is_found_by_any_of_its_names(wanted):
    assert countries.same(wanted, {"France": "FRA", "Eswatini": "SWZ"}) == "Eswatini"


def test_an_aggregate_is_found_by_its_own_name_alone():
    entities = {"European Union (27)": "", "Asia": "OWID_ASI"}
    assert countries.same("asia", entities) == "Asia"
    assert countries.same("European Union", entities) is None
