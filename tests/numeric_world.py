"""Small charts for tests of the numeric suite."""

import math
import random
from datetime import UTC, date, datetime

from freshness.series import Chart, Indicator, Series, Vintage

AS_OF = date(2026, 6, 1)
FETCHED = datetime(2026, 1, 1, tzinfo=UTC)


def indicator(name="life-expectancy", **changed):
    told = {
        "category": "health",
        "subcategory": "Life Expectancy",
        "phrase": "life expectancy at birth",
        "unit": "years",
        "lowest": 0.0,
        **changed,
    }
    return Indicator(name, slug=name, column=name, **told)


def series(entity, code, first, values, name="life-expectancy"):
    """From ``first`` on, a year each; None where there is no value."""
    told = [(first + n, value) for n, value in enumerate(values) if value is not None]
    return Series(name, entity, code, tuple(y for y, _ in told), tuple(v for _, v in told))


def chart(*told, **changed):
    """``told``: (entity, code, first year, values) of each series."""
    about = indicator(**changed)
    found = tuple(series(*one, about.id) for one in told)
    return Chart(about, Vintage(FETCHED), found)


def walk(seed, count=76, start=41.2345678, step=0.01):
    """A series that wanders, with as many digits as a float has."""
    drawn = random.Random(seed)
    values = [start]
    while len(values) < count:
        values.append(values[-1] * math.exp(drawn.gauss(0, step)))
    return values
