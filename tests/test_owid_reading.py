import contextlib
import csv as csv_module
import io
import random
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from owid_server import CSV, NOW, indicator, metadata

from freshness.series import Chart
from freshness.sources.owid import ChartError, read_chart, read_table, rows
from freshness.sources.owid.rows import Limits

HERE = Path(__file__).parent


def read(text, said=None, which=None, **options) -> Chart:
    raw = text if isinstance(text, bytes) else text.encode()
    return read_chart(which or indicator(), io.BytesIO(raw), said, NOW, **options)


def fails(text, said=None, which=None, **options):
    with pytest.raises(ChartError) as caught:
        read(text, said, which, **options)
    message = str(caught.value)
    assert len(message) < 1500
    assert message.isprintable()
    assert caught.value.indicator == "life"
    return caught.value.kind, message


def values(chart):
    return {each.entity: dict(zip(each.years, each.values, strict=True)) for each in chart.series}


def test_years_and_values_by_entity():
    chart = read(CSV)
    assert values(chart) == {"France": {2022: 82.5, 2023: 83.0}, "World": {2023: 73.2}}
    assert [(each.id, each.is_country) for each in chart.series] == [
        ("FRA/life", True),
        ("OWID_WRL/life", False),
    ]


def test_years_are_put_in_order():
    shuffled = "Entity,Code,Year,v\nA,AAA,2003,3\nB,BBB,1,1\nA,AAA,2001,1\nA,AAA,2002,2\n"
    assert values(read(shuffled)) == {"A": {2001: 1, 2002: 2, 2003: 3}, "B": {1: 1}}


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + CSV,
        CSV.replace("\n", "\r\n"),
        CSV.replace("\n", "\r"),
        CSV.replace("\n", "\r\n", 2),
        CSV.replace("\n", "\r", 1),
        "\n\n" + CSV,
        CSV.rstrip("\n"),
        CSV + "\n\n",
        CSV + ",,,\n",
        CSV + "France,FRA,2024,\n",
        CSV + 'France,FRA,2024,""\nFrance,FRA,2025,  \n',
        CSV.replace("Entity,Code,Year,v", "entity,code,year,v"),
        CSV.replace("Entity,Code,Year,v", '"Entity"," Code ","Year","v"'),
        CSV.replace("2022", "2022.0"),
        CSV.replace("FRA", "fra"),
        CSV.replace("82.5", " 82.5 "),
        CSV.replace("82.5", "8.25e1"),
        CSV + "World,OWID_WRL,2023,73.2\n",
    ],
    ids=range(18),
)
def test_what_means_the_same_is_read_the_same(text):
    assert read(text).series == read(CSV).series


def test_a_value_column_may_stand_before_the_entity_and_others_around_it():
    text = (
        'v,Entity,Code,Year,v__annotations,World region according to OWID,iso2\n3,Namibia,NAM,2023,"a, b",'
        "Africa,NA\n"
    )
    assert values(read(text)) == {"Namibia": {2023: 3.0}}


def test_negative_years_and_the_year_zero_stay_apart():
    chart = read("Entity,Code,Year,v\nWorld,OWID_WRL,-10000,1\nWorld,OWID_WRL,0,2\nWorld,OWID_WRL,2023,3\n")
    assert chart.series[0].years == (-10000, 0, 2023)
    assert chart.series[0].value(1500) is None


def test_names_with_commas_quotation_marks_and_line_ends_are_names():
    text = 'Entity,Code,Year,v\n"Bonaire, Sint Eustatius",BES,2020,1\n"The ""X""\nland",XXX,2021,2\n'
    assert values(read(text)) == {"Bonaire, Sint Eustatius": {2020: 1.0}, 'The "X" land': {2021: 2.0}}


def test_a_name_is_kept_short_and_plain():
    (series,) = read(f"Entity,Code,Year,v\n\x1b[31m{'x' * 999},?!,2020,1\n").series
    assert series.entity.isprintable()
    assert len(series.entity) <= 150
    assert series.code == ""


def test_repeated_headings_that_nobody_asked_for_do_no_harm():
    assert values(read("Entity,Code,Year,v,time,time\nA,AAA,2020,1,2020,2020\n")) == {"A": {2020: 1.0}}


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("Entity,Code,Year,v\n", "owid_empty", "no rows"),
        ("Entity,Code,Year,v\nA,AAA,2020,\n", "owid_empty", "'v' has no values"),
        ("", "owid_not_csv", "is empty"),
        (" \n \n", "owid_not_csv", "is empty"),
        ("<!doctype html><title>Our <b>\x1b[31mnews</title>", "owid_not_csv", "web page"),
        ('{"error": "no"}', "owid_not_csv", "JSON"),
        ("An error occurred\n", "owid_not_csv", "no column Entity; it has 'An error occurred'"),
        ("\ufeff\n <html><title>Outage</title>", "owid_not_csv", "web page ('Outage')"),
        ("Entity,Code,Year,v" + ",x" * 2000 + "\n", "owid_too_large", "has 2004 columns; 2,000 are allowed"),
        ("Country,Code,Year,v\nA,AAA,2020,1\n", "owid_column_missing", "no column Entity; it has 'Country'"),
        (b"PK\x03\x04zip", "owid_not_csv", "ZIP"),
        (CSV.encode("utf-16"), "owid_not_csv", "UTF-16"),
        (CSV.encode() + b"Fran\xe7ois,FRA,2020,1\n", "owid_not_csv", "row 5 is not UTF-8 (byte 0xe7)"),
        ("Entity,Code,v\nA,AAA,1\n", "owid_column_missing", "no column Year, Day or Date"),
        ("Entity,Entity,Year,v\nA,AAA,2020,1\n", "owid_column_ambiguous", "2 columns Entity"),
        ("Entity,Code,Year,v,V\nA,AAA,2020,1,2\n", "owid_column_ambiguous", "can be 2 columns"),
        (CSV + "World,OWID_WRL,2020,7.79 billion\n", "owid_bad_number", "row 5, column 'v': '7.79 billion'"),
        (CSV + "World,OWID_WRL,2020,inf\n", "owid_bad_number", "row 5"),
        (CSV + "World,OWID_WRL,2020,NaN\n", "owid_bad_number", "row 5"),
        (CSV + 'World,OWID_WRL,2020,"1,5"\n', "owid_bad_number", "row 5, column 'v': '1,5'"),
        (CSV + "World,OWID_WRL,2020,1e999\n", "owid_bad_number", "row 5"),
        (CSV + f"World,OWID_WRL,2020,{'x' * 9999}\n", "owid_bad_number", "xxx..."),
        (CSV + "World,OWID_WRL,2011.5,1\n", "owid_bad_time", "row 5, column 'Year': '2011.5'"),
        (CSV + "World,OWID_WRL,,1\n", "owid_bad_time", "row 5, column 'Year': is no year"),
        (CSV + "World,OWID_WRL,99999999,1\n", "owid_bad_time", "row 5"),
        (
            CSV + "World,OWID_WRL,20011,1\n",
            "owid_bad_time",
            "row 5, column 'Year': '20011' is after the year 3000",
        ),
        (CSV + "World,OWID_WRL,3001,1\n", "owid_bad_time", "row 5"),
        (CSV + "World,OWID_WRL,2011.,1\n", "owid_bad_time", "row 5, column 'Year': '2011.' is no year"),
        (CSV + "Mali,MLI,2023,25.", "owid_bad_number", "row 5, column 'v': '25.' is no number"),
        (CSV + "Mali,MLI,2023,-25.\n", "owid_bad_number", "row 5"),
        (CSV + "Mali,MLI,2023,25.e3\n", "owid_bad_number", "row 5"),
        (CSV + "Mali,MLI,2023,2.5e", "owid_bad_number", "row 5"),
        (CSV + "Mali,MLI,202", "owid_bad_row", "row 5 has 3 cells"),
        (CSV + ",FRA,2020,1\n", "owid_bad_row", "row 5, column 'Entity': has a value but no entity"),
        (CSV + "World,2020,1\n", "owid_bad_row", "row 5 has 3 cells; there are 4 headings"),
        (CSV + "\nWorld,OWID_WRL,2020,1,2\n", "owid_bad_row", "row 6 has 5 cells"),
        (CSV + 'World,"OWID_WRL,2020,1\n', "owid_bad_row", "never closed"),
        (CSV + "World,OWID_WRL,2023,99\n", "owid_duplicate", "'World' in 2023: 73.2 and 99"),
        (CSV + "World,OWID_WRL,2023,73.20000001\n", "owid_duplicate", "73.2 and 73.20000001"),
        (CSV + "Earth,OWID_WRL,2023,99\n", "owid_duplicate", "'World' alias 'Earth' in 2023"),
        (CSV + "France,,2023,99\n", "owid_duplicate", "'France' in 2023: 83 and 99"),
        (CSV + 'A" b,,2020,1\nB,,2020,2\nC" d,,2020,3\n', "owid_bad_row", 'row 5 has a " within a cell'),
        (CSV + '"A,,2020,\nB" b,,2020,2\nC,,2020,3\n', "owid_bad_row", 'row 5 has a " within a cell'),
        ("Entity,Code,Day,v\nA,AAA,2024-01-07,1\n", "owid_not_yearly", "'Day'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, kind, says):
    found, message = fails(text)
    assert found == kind
    assert says in message


def test_a_row_far_down_is_named_by_its_number(monkeypatch):
    monkeypatch.setattr(rows, "CHUNK", 1000)
    lines = [f"A,AAA,{year},1\n" for year in range(-3000, 2000)]
    lines[4321] = "A,AAA,1321,many\n"
    kind, message = fails("Entity,Code,Year,v\n" + "".join(lines))
    assert (kind, "row 4323" in message) == ("owid_bad_number", True)


# --- columns


def test_a_renamed_column_is_told_with_the_likely_new_name():
    wanted = indicator(column="Life expectancy - Sex: all - Age: 0")
    kind, message = fails(CSV.replace("Year,v", "Year,Life expectancy"), which=wanted)
    assert kind == "owid_column_missing"
    assert "'Life expectancy - Sex: all - Age: 0' is missing" in message
    assert "likely its new name: 'Life expectancy'" in message


def test_the_only_other_column_is_never_taken_instead():
    assert fails(CSV, which=indicator(column="something else"))[0] == "owid_column_missing"


def test_case_white_space_and_forms_of_a_character_make_no_difference():
    chart = read(
        CSV.replace("Year,v", "Year,Annual  CO2 emissions"), which=indicator(column="annual CO₂ Emissions")
    )
    assert values(chart)["France"]


WORDS = {
    "Period life expectancy at birth": {"titleShort": "Life expectancy", "shortName": "life_expectancy_0"}
}


@pytest.mark.parametrize(
    "column", ["Life expectancy", "Period life expectancy at birth", "life_expectancy_0"]
)
@pytest.mark.parametrize("heading", ["Life expectancy", "life_expectancy_0"])
def test_a_column_is_found_by_what_the_metadata_calls_it(column, heading):
    said = metadata(**WORDS)
    assert values(read(CSV.replace("Year,v", f"Year,{heading}"), said, indicator(column=column)))["France"]


def test_other_columns_names_are_not_the_columns():
    said = metadata(**{"Deaths": {"titleShort": "Mortality"}, "Births": {"titleShort": "v"}})
    assert fails(CSV, said, indicator(column="Mortality"))[0] == "owid_column_missing"


def test_a_name_that_two_columns_share_is_not_guessed():
    said = metadata(**{"a": {"titleShort": "Life"}, "b": {"titleShort": "Life"}})
    text = "Entity,Code,Year,a,b\nA,AAA,2020,1,2\n"
    assert fails(text, said, indicator(column="Life"))[0] == "owid_column_ambiguous"


# --- metadata


def test_the_vintage_says_what_its_publisher_says():
    vintage = read(CSV, metadata()).vintage
    assert (vintage.title, vintage.unit, vintage.licence) == ("Life", "years", "CC BY 4.0")
    assert (vintage.updated, vintage.next_update) == (date(2025, 10, 22), date(2026, 10, 22))
    assert vintage.citation.startswith("A (2025)")


def test_without_metadata_the_catalogue_says_what_it_can():
    vintage = read(CSV).vintage
    assert (vintage.unit, vintage.updated, vintage.label()) == ("years", None, "2026-11-01")
    assert (vintage.title, vintage.citation, vintage.licence) == ("Life expectancy at birth", "", "")


def test_a_title_has_no_comma_at_its_end():
    of_gdp = replace(indicator(), phrase="GDP per capita, by the Maddison Project,")
    assert read(CSV, which=of_gdp).vintage.title == "GDP per capita, by the Maddison Project"


def test_metadata_of_other_columns_alone_are_an_error_that_names_both():
    said = metadata(
        births={"unit": "births", "titleShort": "Births"},
        expectancy={"unit": "years", "titleShort": "Life expectancy, v 2"},
    )
    kind, text = fails(CSV, said)
    assert kind == "owid_metadata_column"
    assert (
        "say nothing of column 'v', but of 'births', 'expectancy'; likely its new name: 'expectancy'" in text
    )


def test_metadata_that_cite_nobody_give_no_licence():
    said = metadata(v={"unit": "years", "lastUpdated": "2025-10-22"})
    said["chart"] = {}
    vintage = read(CSV, said).vintage
    assert (vintage.updated, vintage.citation, vintage.licence) == (date(2025, 10, 22), "", "")


@pytest.mark.parametrize(
    ("code", "is_asked"),
    [("FRA", True), ("OWID_KOS", True), ("OWID_USS", False), ("OWID_WRL", False), ("", False)],
)
def test_countries_of_today_are_asked_about(code, is_asked):
    chart = read(f"Entity,Code,Year,v\nSome,{code},2020,1\nJapan,JPN,2020,2\n")
    assert chart.series[0].is_country is is_asked
    assert len(chart.known(date(2026, 1, 1))) == 1 + is_asked


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"columns": []},
        {"columns": {"v": None}},
        {"columns": {"v": {"unit": 3, "lastUpdated": ["2025"], "display": 1, "titleShort": {}}}},
        {"columns": {"v": {"lastUpdated": "soon"}}, "chart": 5},
    ],
)
def test_metadata_of_the_wrong_shape_say_nothing(said):
    assert replace(read(CSV, said).vintage, title="") == replace(read(CSV).vintage, title="")


def test_long_and_colourful_metadata_are_cut_and_tamed():
    vintage = read(CSV, metadata(v={"unit": "\x1b[31m" + "x" * 999, "citationLong": "y" * 99999})).vintage
    assert len(vintage.unit) <= 200
    assert len(vintage.citation) <= 2000
    assert vintage.unit.isprintable()


def test_an_update_in_the_future_is_not_believed():
    vintage = read(CSV, metadata("2999-01-01")).vintage
    assert (vintage.updated, vintage.last_year) == (None, 2025)


# --- entities


def test_without_codes_countries_are_known_by_name():
    chart = read("Entity,Year,v\nCzech Republic,2020,1\nAsia,2020,2\nUSSR,1980,3\n")
    assert [each.code for each in chart.series] == ["CZE", "", "OWID_USS"]


def test_where_some_have_codes_the_others_are_aggregates():
    chart = read("Entity,Code,Year,v\nFrance,FRA,2020,1\nGeorgia,,2020,2\n")
    assert [each.code for each in chart.series] == ["FRA", ""]


def test_a_name_that_has_a_code_in_some_rows_is_one_entity():
    text = (
        "Entity,Code,Year,v\nFrance,FRA,2019,1\nFrance,,2020,2\nAsia,,2020,3\nX,AAA,1,1\nX,BBB,1,2\nX,,1,3\n"
    )
    found = {(each.entity, each.code): each.years for each in read(text).series}
    assert found == {
        ("France", "FRA"): (2019, 2020),
        ("Asia", ""): (2020,),
        ("X", "AAA"): (1,),
        ("X", "BBB"): (1,),
        ("X", ""): (1,),
    }


def test_two_names_of_one_country_make_one_series():
    text = "Entity,Code,Year,v\nSwaziland,SWZ,2017,1\nEswatini,SWZ,2018,2\n"
    (series,) = read(text).series
    assert (series.years, series.values) == ((2017, 2018), (1.0, 2.0))


def test_entities_that_are_needed_may_be_named_as_before():
    text = "Entity,Code,Year,v\nCzechia,CZE,2023,1\nEswatini,SWZ,2023,2\n"
    assert read(text, entities=["Czech Republic", "Swaziland", "CZE", "Eswatini"])


def test_a_missing_entity_is_told_with_the_likely_new_name():
    text = "Entity,Code,Year,v\nEuropean Union (27),,2023,1\n"
    kind, message = fails(text, entities=["European Union (28)", "Atlantis"])
    assert kind == "owid_entity_missing"
    assert "'European Union (28)', 'Atlantis'" in message
    assert "'European Union (27)'" in message


def test_an_impossible_value_is_kept_and_never_known():
    which = replace(indicator(), lowest=0.0)
    chart = read("Entity,Code,Year,v\nA,AAA,2020,-29726\nA,AAA,2021,5\n", which=which)
    assert chart.series[0].values == (-29726.0, 5.0)
    assert chart.known(date(2026, 1, 1))[0].values == (5.0,)


# --- tables


def test_a_table_by_day_tells_the_newest_values():
    table = read_table(
        io.BytesIO(b"Entity,Code,Day,a,b\nF,FRA,2024-01-07,120,1\nF,FRA,2024-01-14,95,\nF,FRA,2024-01-21,,\n")
    )
    assert (table.time_column, table.value_columns, table.rows) == ("Day", ("a", "b"), 3)
    assert table.latest["F"].time == "2024-01-14"
    assert table.latest["F"].values == {"a": 95.0}


DAYS = {"columns": {"v": {"display": {"yearIsDay": True, "zeroDay": "2020-01-21"}}}}


def test_years_that_are_days_are_counted_from_the_zero_day():
    text = b"Entity,Code,Year,v\nF,FRA,-1,1\nF,FRA,10,2\n"
    assert read_table(io.BytesIO(text), DAYS).latest["F"].time == "2020-01-31"
    assert fails(text, DAYS)[0] == "owid_not_yearly"


@pytest.mark.parametrize(
    ("heading", "time", "says"),
    [
        ("Day", "0000-01-01", "is before the year 1"),
        ("Day", "9999-01-01", "is after the year 3000"),
        ("Year", "-9999999", "is before the year 1"),
        ("Year", "9999999", "is after the year 3000"),
    ],
)
def test_days_that_no_calendar_has_are_told(heading, time, says):
    text = f"Entity,Code,{heading},v\nF,FRA,{time},1\n".encode()
    with pytest.raises(ChartError, match=f"row 2, column '{heading}': '{time}' {says}") as caught:
        read_table(io.BytesIO(text), DAYS if heading == "Year" else None)
    assert caught.value.kind == "owid_bad_time"


def test_years_may_lie_as_far_back_as_the_ice_tells():
    chart = read("Entity,Code,Year,v\nWorld,OWID_WRL,-803719,1\nWorld,OWID_WRL,3000,2\n")
    assert chart.series[0].years == (-803719, 3000)


@pytest.mark.parametrize("day", ["2024-13-01", "2024-1-1", "07/01/2024", "2024-01-01T00:00"])
def test_a_day_that_is_none_is_told(day):
    with pytest.raises(ChartError, match="row 3, column 'Date'"):
        read_table(io.BytesIO(f"Entity,Code,Date,v\nF,FRA,2024-01-01,1\nF,FRA,{day},1\n".encode()))


def test_words_are_told_from_numbers():
    text = b"Entity,Code,iso2,Year,v,w\nNamibia,NAM,NA,2023,3,7.79 billion\n"
    with pytest.raises(ChartError, match="row 2, column 'w'"):
        read_table(io.BytesIO(text))
    table = read_table(io.BytesIO(text.replace(b"7.79 ", b"")))
    assert (table.value_columns, table.text_columns) == (("v",), ("iso2", "w"))
    assert table.texts["Namibia"] == {"iso2": "NA", "w": "billion"}


# --- sizes


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path):
    with (tmp_path / "life.csv").open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(ChartError, match=r"is 10240 MiB large; 2048 MiB are allowed") as caught:
        read_chart(indicator(), tmp_path / "life.csv", None, NOW)
    assert caught.value.kind == "owid_too_large"


def test_a_stream_that_does_not_end_is_read_up_to_the_limit():
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            part = b"Entity,Code,Year,v\n" if not self.given else b"A,AAA,2020,1\n" * 1000
            self.given += len(part)
            return part

    stream = Endless()
    with pytest.raises(ChartError, match="larger than 1 MiB"):
        read_chart(indicator(), stream, None, NOW, limits=Limits(2**20))
    assert stream.given < 2**21


def test_a_row_without_an_end_is_not_waited_for():
    assert fails(CSV.encode() + b"x" * 9 * 2**20)[0] == "owid_not_csv"
    assert fails(CSV.encode() + b'"' + b"x\n" * 5 * 2**20)[0] == "owid_bad_row"
    assert fails(b"a" * 6 * 2**20)[0] == "owid_not_csv"


def test_more_values_or_entities_than_allowed_are_too_many():
    assert fails(CSV, limits=Limits(values=2))[0] == "owid_too_large"
    assert fails(CSV, limits=Limits(entities=1))[0] == "owid_too_large"
    assert read(CSV, limits=Limits(values=3, entities=2)).series


CELLS = ["A", '"B"', '"C, D"', '"E\nF"', '"G ""H"""', '"', 'I"', 'J "K" L', '"M" N', '""', ""]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(CELLS), st.sampled_from(["1", '"2"', '3"', '"4', ""])), max_size=6))
def test_no_row_is_ever_swallowed_by_quotation_marks(cells):
    rows = [f"{name},,{2000 + number},{value}\n" for number, (name, value) in enumerate(cells)]
    text = "Entity,Code,Year,v\n" + "".join(rows)
    try:
        taken = [(year, v) for one in values(read(text)).values() for year, v in one.items()]
    except ChartError:
        return
    given = list(csv_module.reader(io.StringIO(text, newline="")))[1:]
    assert sorted(taken) == [(int(row[2]), float(row[3])) for row in given if row[3]]


def test_what_is_no_file_is_not_read(tmp_path):
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(ChartError) as caught:
            read_chart(indicator(), path, None, NOW)
        assert caught.value.kind == "owid_unreadable"


def write_wide(path, size):
    rest = ",".join(f"{number}.125" for number in range(60))
    with path.open("w") as file:
        file.write("Entity,Code,Year,v," + ",".join(f"x{number}" for number in range(60)) + "\n")
        while file.tell() < size:
            name = f"C{file.tell()}"
            file.writelines(f"{name},,{year},{year / 7},{rest}\n" for year in range(1900, 2020))
    return str(path)


def test_rows_come_in_blocks_of_whole_rows():
    line = b'"A,\n""B""",AAA,2020,1\n'
    text = b"Entity,Code,Year,v\n" + line * 700_000
    names, blocks = rows.open_rows(io.BytesIO(text), Limits())
    given = list(blocks)
    assert names == ("Entity", "Code", "Year", "v")
    assert all(block.endswith(line) and len(block) <= rows.CHUNK + rows.MAX_ROW for block in given)
    assert len(given) > 3
    assert b"".join(given) == text.partition(b"\n")[2]


@pytest.mark.slow  # what polars keeps for reuse hides less than some 100 MB
def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path):
    files = [write_wide(tmp_path / "first.csv", 60_000_000), write_wide(tmp_path / "large.csv", 300_000_000)]
    script = (
        "import resource, sys\nfrom pathlib import Path\nfrom owid_server import NOW, indicator\n"
        "from freshness.sources.owid import read_chart\n"
        "for path in sys.argv[1:]:\n"
        "    chart = read_chart(indicator(), Path(path), None, NOW)\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
        "print(sum(len(each.years) for each in chart.series))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, *files], capture_output=True, text=True, cwd=HERE)
    assert not done.stderr
    first, large, count = map(int, done.stdout.split())
    assert count > 500_000
    assert (large - first) * (1 if sys.platform == "darwin" else 1024) < 100_000_000


# --- anything at all


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_told_to_be_wrong(raw):
    with contextlib.suppress(ChartError):
        read(b"Entity,Code,Year,v\nA,AAA,2020,1\n" + raw)


cell = st.text(alphabet=st.sampled_from("x\",\n ;'é"), max_size=6)
row = st.tuples(cell, st.integers(-9999, 3000), st.floats(-1e300, 1e300))


@settings(max_examples=40)
@given(st.lists(row, min_size=1, max_size=20, unique_by=lambda row: row[1]), st.sampled_from([64, 2**20]))
def test_reads_what_another_reader_reads(written, chunk):
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerows([["Entity", "Code", "Year", "v"], *([f"x{n}", "", y, v] for n, y, v in written)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "CHUNK", chunk)
        chart = read(out.getvalue())
    found = {(e.entity, y): v for e in chart.series for y, v in zip(e.years, e.values, strict=True)}
    assert found == {(" ".join(f"x{name}".split()), year): value for name, year, value in written}


def test_the_order_of_the_rows_makes_no_difference():
    lines = [f"C{n},,{year},{n * year}\n" for n in range(5) for year in range(1990, 2010)]
    plain = values(read("Entity,Code,Year,v\n" + "".join(lines)))
    random.Random(1).shuffle(lines)
    assert values(read("Entity,Code,Year,v\n" + "".join(lines))) == plain
