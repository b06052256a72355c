"""A chart server on loopback, as Our World in Data's answers, and charts made up for tests."""

import json
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from sparql_server import Reply, serving

from freshness.series import Indicator

NOW = datetime(2026, 11, 1, tzinfo=UTC)
CSV = "Entity,Code,Year,v\nFrance,FRA,2022,82.5\nFrance,FRA,2023,83\nWorld,OWID_WRL,2023,73.2\n"
NOT_FOUND = Reply('{"error": "Not found"}', 404, {"Content-Type": "application/json"})


def indicator(slug="life", column="v", **more):
    given = {"id": slug, "category": "health", "subcategory": "Life Expectancy", "unit": "years", **more}
    return Indicator(slug=slug, column=column, phrase="life expectancy at birth", **given)


def metadata(updated="2025-10-22", **columns):
    """Of one column `v`, or of these columns (a dict of what is said of each)."""
    said = {"titleShort": "v", "unit": "years", "lastUpdated": updated, "nextUpdate": "2026-10-22"}
    said |= {"citationLong": "A (2025) – processed by Our World in Data", "type": "Numeric"}
    return {"chart": {"title": "Life", "citation": "A (2025)"}, "columns": columns or {"v": said}}


def csv(text):
    return Reply(text, headers={"Content-Type": "text/csv; charset=utf-8"})


def as_json(content):
    return Reply(json.dumps(content), headers={"Content-Type": "application/json"})


def by_path(**replies):
    """A reply by the end of the path: `csv` and `metadata` (each a Reply, or what makes one of a request)."""

    def reply(request):
        is_metadata = urlsplit(request.path).path.endswith(".metadata.json")
        chosen = replies.get("metadata" if is_metadata else "csv", NOT_FOUND)
        return chosen(request) if callable(chosen) else chosen

    return reply


def flags(request):
    return {key: values[0] for key, values in parse_qs(urlsplit(request.path).query).items()}


@contextmanager
def charts(csv_reply=None, metadata_reply=None):
    """A server of one chart, asked for by any slug; its `base` is what to put into `base_url`."""
    given = {"csv": csv_reply or csv(CSV), "metadata": metadata_reply or as_json(metadata())}
    with serving(by_path(**given)) as server:
        server.base = server.url.removesuffix("/sparql")
        yield server
