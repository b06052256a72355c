"""Series made up for tests: charts of a few countries in a few years, and vintages of them."""

from dataclasses import replace
from datetime import UTC, date, datetime

from freshness.questions import NumericKey, Prompt, Question
from freshness.series import Chart, Indicator, Series, Vintage

NOW = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)
LIFE = Indicator(
    "life", "health", "Life Expectancy", "life expectancy at birth", "years", "life", "v", lowest=0
)
FRANCE = {2019: 82.6, 2020: 82.2, 2021: 82.3, 2022: 82.5, 2023: 83.3}
JAPAN = {2019: 84.4, 2020: 84.7, 2021: 84.5, 2022: 84.1, 2023: 84.7}


def series(values, entity="France", code="FRA", indicator="life"):
    return Series(indicator, entity, code, tuple(values), tuple(float(value) for value in values.values()))


def vintage(updated=date(2024, 7, 1), **changes):
    given = {"title": "Life", "unit": "years", "next_update": date(2027, 7, 1), "citation": "A (2024)"}
    return Vintage(NOW, updated=updated, licence="CC BY 4.0", **given | changes)


def chart(*given, updated=date(2024, 7, 1), indicator=LIFE, **changes):
    known = given or (series(FRANCE), series(JAPAN, "Japan", "JPN"))
    return Chart(indicator, vintage(updated, **changes), tuple(known))


def moved(values, **years):
    """The values with some years changed: ``y2020=82.1``; None: without that year."""
    new = values | {int(name[1:]): value for name, value in years.items()}
    return {year: value for year, value in sorted(new.items()) if value is not None}


def many(label=0.0, number=40, updated=date(2024, 7, 1)):
    """A chart of that many countries."""
    codes = [f"{a}{b}A" for a in "ABCDEFGH" for b in "ABCDEFGH"][:number]
    known = [
        series(dict.fromkeys(range(1950, 2024), 10.0 + label + n), f"Land {n}", code)
        for n, code in enumerate(codes)
    ]
    return chart(*known, updated=updated)


def key(kind="date", years=(2021,), answer=82.3, values=None, options=(), letter="", **changes):
    told = values or {year: FRANCE[year] for year in sorted(years)}
    given = {"category": "health", "indicator": "life", "unit": "years", "entity": "France", "code": "FRA"}
    more = {"options": tuple(options), "answer": letter, **changes}
    return NumericKey(
        kind, years=tuple(years), answer_value=answer, values=tuple(told.items()), **given, **more
    )


def question(numeric, suite=None):
    fact, year = f"{numeric.code}/life", numeric.years[0]
    name = f"{fact}/{numeric.kind}/{year}"
    suite = suite or ("next-word" if numeric.kind == "next_word" else "numeric")
    asked = Prompt(f"{name}/p1", "p1", f"What was it in {year}?", f"In {year} it was", "Answer briefly.")
    return Question(name, suite, "health", fact, (asked,), NOW.date(), (), subject="", numeric=numeric)


def date_question(**changes):
    options = ("79.9 years", "82.3 years", "84.6 years", "86.9 years")
    return question(key(options=options, letter="(b)", **changes))


def open_question():
    return question(key("next_word", values=FRANCE))


__all__ = ["replace"]
