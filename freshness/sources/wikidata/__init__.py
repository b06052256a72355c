"""Facts from a SPARQL endpoint that holds Wikidata: what is asked, and how the record is read.

``queries`` is what is asked; ``rows``, ``dates``, ``names``, ``kinds`` and ``facts`` read the answers,
purely; ``source``, ``selected`` and ``asking`` ask. The policies stand in ``docs/wikidata.md``.
"""

from freshness.sources.wikidata.source import SOURCE, Wikidata, lag

__all__ = ["SOURCE", "Wikidata", "lag"]
