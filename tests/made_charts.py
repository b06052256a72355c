"""Charts made up for tests: the built-in indicators with smooth series of a few countries."""

from dataclasses import replace
from datetime import date, timedelta

from freshness.catalog import charts
from freshness.series import Chart, Series, Vintage

COUNTRIES = {"FRA": "France", "DEU": "Germany", "USA": "United States", "NGA": "Nigeria", "JPN": "Japan"}
CITATION = "Made-up data (2024), processed by nobody"
LICENCE = "CC BY 4.0"


def made_chart(name, fetched_at, *, years=range(1950, 2024), off=0.0, updated=None, countries=COUNTRIES):
    """A chart of a built-in indicator; ``off`` is added to the values of 2001 and later."""
    (indicator,) = charts.load([name])
    told = {"title": indicator.phrase.capitalize(), "citation": CITATION, "licence": LICENCE}
    last = updated or fetched_at.date() - timedelta(days=30)
    vintage = Vintage(
        fetched_at, unit=indicator.unit, updated=last, next_update=last + timedelta(days=365), **told
    )
    return Chart(
        indicator,
        vintage,
        tuple(
            Series(indicator.id, entity, code, tuple(years), _values(years, place, off))
            for place, (code, entity) in enumerate(countries.items())
        ),
    )


def _values(years, place, off):
    return tuple(round(50 + place + (y - 1950) * 0.4 + (off if y > 2000 else 0), 2) for y in years)


def former_chart(name, fetched_at):
    """Of an indicator that is not in the catalogue."""
    chart = made_chart("wheat-yields", fetched_at)
    indicator = replace(chart.indicator, id=name, slug=name)
    return replace(
        chart, indicator=indicator, series=tuple(replace(one, indicator=name) for one in chart.series)
    )


def save_charts(store, now, names=("life-expectancy", "wheat-yields"), countries=COUNTRIES):
    """Two vintages of each; the second, of that day, revises what was and brings a year more."""
    then = now - timedelta(days=400)
    for name in names:
        first = made_chart(
            name, then, years=range(1950, 2023), updated=date(2023, 12, 1), countries=countries
        )
        store.save_charts([first], "owid", then)
        second = made_chart(name, now, off=0.5, updated=now.date(), countries=countries)
        store.save_charts([second], "owid", now)
