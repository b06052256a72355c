"""Writes dashboards/freshness.json. Run it again after a change here; a test holds the two together.

usage: python deploy/grafana/build.py
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import rows
import series
from panels import SOURCE, WIDTH, Panel

TARGET = Path(__file__).parent / "dashboards" / "freshness.json"

ROWS = {
    "Fleet": rows.fleet,
    "One model: $model": rows.model,
    "Numbers": series.numbers,
    "The world's changes": rows.world,
    "The daemon itself": rows.daemon,
}


def placed(titled: dict[str, Any]) -> list[Panel]:
    """The panels, each where it stands: from left to right, row by row."""
    numbers = itertools.count(1)
    shown, top = [], 0
    for title, panels in titled.items():
        place = {"x": 0, "y": top, "w": WIDTH, "h": 1}
        shown.append(
            {
                "type": "row",
                "title": title,
                "id": next(numbers),
                "collapsed": False,
                "panels": [],
                "gridPos": place,
            }
        )
        left, top, height = 0, top + 1, 0
        for one in panels():
            if left + one["gridPos"]["w"] > WIDTH:
                left, top, height = 0, top + height, 0
            place = one["gridPos"] | {"x": left, "y": top}
            shown.append(one | {"id": next(numbers), "gridPos": place})
            left, height = left + place["w"], max(height, place["h"])
        top += height
    return shown


def variables() -> list[Panel]:
    query = "label_values(freshness_newly_outdated_facts_total, model)"
    return [
        {
            "name": "datasource",
            "label": "Data source",
            "type": "datasource",
            "query": "prometheus",
            "refresh": 1,
            "hide": 0,
            "multi": False,
            "includeAll": False,
            "options": [],
        },
        {
            "name": "model",
            "label": "Model",
            "type": "query",
            "datasource": SOURCE,
            "definition": query,
            "query": {"query": query, "refId": "model"},
            "refresh": 2,
            "sort": 1,
            "hide": 0,
            "multi": False,
            "includeAll": False,
            "options": [],
        },
    ]


def alerts_shown() -> Panel:
    return {
        "name": "Alerts",
        "datasource": SOURCE,
        "enable": True,
        "hide": False,
        "iconColor": "red",
        "expr": 'ALERTS{alertname=~"Freshness.+",alertstate="firing"}',
        "titleFormat": "{{alertname}}",
        "textFormat": "{{model}} {{severity}}",
        "step": "60s",
    }


def dashboard() -> Panel:
    return {
        "uid": "freshness",
        "title": "freshness",
        "description": "How old is what our models know?",
        "tags": ["freshness"],
        "schemaVersion": 41,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-7d", "to": "now"},
        "timezone": "browser",
        "timepicker": {},
        "links": [],
        "annotations": {"list": [alerts_shown()]},
        "templating": {"list": variables()},
        "panels": placed(ROWS),
    }


def main() -> None:
    TARGET.write_text(json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
