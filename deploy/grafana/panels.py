"""Kinds of panels, as Grafana's JSON has them."""

from __future__ import annotations

from typing import Any, Final

Panel = dict[str, Any]

SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
WIDTH: Final = 24
ONE: Final = 'model="$model"'
"""Of the model that is chosen above."""
COLOURS: Final = {
    "correct": "green",
    "outdated": "orange",
    "irrelevant": "#8e8e8e",
    "refused": "blue",
    "unreadable": "purple",
    "incorrect": "#8e8e8e",
    "not_available": "blue",
}


def target(expr: str, legend: str = "", *, instant: bool = False, table: bool = False) -> Panel:
    told = {"datasource": SOURCE, "editorMode": "code", "expr": expr, "legendFormat": legend or "__auto"}
    shape = {"format": "table" if table else "time_series", "instant": instant, "range": not instant}
    return told | shape


def panel(kind: str, title: str, about: str, width: int, height: int, *targets: Panel, **more: Any) -> Panel:
    named = [one | {"refId": chr(ord("A") + number)} for number, one in enumerate(targets)]
    defaults = more.pop("defaults", {})
    overrides = more.pop("overrides", [])
    return {
        "type": kind,
        "title": title,
        "description": about,
        "datasource": SOURCE,
        "targets": named,
        "gridPos": {"w": width, "h": height},
        "fieldConfig": {"defaults": defaults, "overrides": overrides},
        **more,
    }


def stat(title: str, about: str, expr: str, width: int = 4, unit: str = "none", **defaults: Any) -> Panel:
    options = {
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "colorMode": "value",
        "graphMode": "none",
        "textMode": "auto",
    }
    return panel(
        "stat",
        title,
        about,
        width,
        4,
        target(expr, instant=True),
        options=options,
        defaults={"unit": unit, "noValue": "none"} | defaults,
    )


def lines(title: str, about: str, *targets: Panel, width: int = 12, unit: str = "none", **more: Any) -> Panel:
    custom = {"drawStyle": "line", "lineInterpolation": "stepAfter", "showPoints": "never", "fillOpacity": 0}
    stacked = more.pop("stacked", False)
    if stacked:
        custom |= {"stacking": {"mode": "normal", "group": "A"}, "fillOpacity": 70, "lineWidth": 0}
    least = {"min": 0} if more.pop("from_zero", True) else {}
    options = {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
    defaults = {"unit": unit, "custom": custom, **least, **more.pop("defaults", {})}
    return panel("timeseries", title, about, width, 8, *targets, options=options, defaults=defaults, **more)


def table(title: str, about: str, columns: dict[str, tuple[str, str]], key: str, width: int = WIDTH) -> Panel:
    """One row for each value of the label ``key``; ``columns``: title to expression and unit."""
    targets = [target(expr, instant=True, table=True) for expr, _ in columns.values()]
    names = {f"Value #{chr(ord('A') + number)}": title for number, title in enumerate(columns)}
    overrides = [
        {"matcher": {"id": "byName", "options": title}, "properties": [{"id": "unit", "value": unit}]}
        for title, (_, unit) in columns.items()
    ]
    transformations = [
        {"id": "joinByField", "options": {"byField": key, "mode": "outer"}},
        {"id": "filterFieldsByName", "options": {"include": {"names": [key, *names]}}},
        {"id": "organize", "options": {"renameByName": names}},
    ]
    return panel(
        "table",
        title,
        about,
        width,
        8,
        *targets,
        transformations=transformations,
        overrides=overrides,
        options={"showHeader": True, "cellHeight": "sm"},
        defaults={"noValue": "–", "custom": {"align": "auto"}},
    )


def bars(title: str, about: str, *targets: Panel, width: int = 12, unit: str = "none", **more: Any) -> Panel:
    options = {
        "orientation": "horizontal",
        "displayMode": "gradient",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "showUnfilled": True,
    }
    defaults = {"unit": unit, "min": 0} | more
    return panel("bargauge", title, about, width, 8, *targets, options=options, defaults=defaults)


def coloured() -> list[Panel]:
    """Each verdict in its colour, as in reports."""
    return [
        {
            "matcher": {"id": "byName", "options": verdict},
            "properties": [{"id": "color", "value": {"mode": "fixed", "fixedColor": colour}}],
        }
        for verdict, colour in COLOURS.items()
    ]


def dashed(name: str) -> Panel:
    """A line to hold others against."""
    dash = {"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [6, 6]}}
    grey = {"id": "color", "value": {"mode": "fixed", "fixedColor": "#8e8e8e"}}
    return {"matcher": {"id": "byName", "options": name}, "properties": [dash, grey]}


def by_model(name: str, labels: str = "") -> str:
    return f"max by (model) (freshness_{name}{{{labels}}})"
