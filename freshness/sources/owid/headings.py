"""Which column of a chart's CSV file is what.

A column is taken by its name or by what the metadata calls the very same column, never by its place: a
heading that changed is an error that names the likely new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from freshness.sources.owid import metadata as meta
from freshness.sources.owid.errors import Bad, listed, shown
from freshness.sources.owid.metadata import ColumnWords, plain

TIMES: Final = ("year", "day", "date", "time")
_NO_KEY = "; fetch it again later, or take the chart out of the catalogue"
_REGION = "world region"
_ASIDE = ("__annotations", "__projected", "annotations", "projected")


@dataclass(frozen=True, slots=True)
class Keys:
    """Places of the columns that say whose value it is, and when. ``code``: None where there is no column."""

    entity: int
    time: int
    code: int | None = None

    @property
    def places(self) -> list[int]:
        return [place for place in (self.entity, self.code, self.time) if place is not None]


def keys(names: Sequence[str]) -> Keys:
    """Raises ``Bad`` when there is no entity or time, or more than one."""
    entity = _only(names, "entity")
    if entity is None:
        text = f"has no column Entity; it has {listed(names)}"
        if any(plain(name) in TIMES for name in names):
            raise Bad("owid_column_missing", text + _NO_KEY)
        raise Bad("owid_not_csv", text)
    # Filtered files repeat a column "time"; what stands first in the list is what the file is about.
    for name in TIMES:
        time = _only(names, name)
        if time is not None:
            return Keys(entity, time, _only(names, "code"))
    raise Bad("owid_column_missing", f"has no column Year, Day or Date; it has {listed(names)}{_NO_KEY}")


def _only(names: Sequence[str], name: str) -> int | None:
    found = [place for place, its in enumerate(names) if plain(its) == name]
    if len(found) > 1:
        raise Bad("owid_column_ambiguous", f"has {len(found)} columns {names[found[0]]}")
    return found[0] if found else None


def candidates(names: Sequence[str], keys: Keys) -> list[int]:
    """Places of the columns that can hold values: not keys, regions, repeated times, notes or flags."""
    return [place for place, name in enumerate(names) if place not in keys.places and not _is_aside(name)]


def _is_aside(name: str) -> bool:
    said = plain(name)
    return not said or said in TIMES or said.startswith(_REGION) or said.endswith(_ASIDE)


def value_column(
    names: Sequence[str], keys: Keys, wanted: str, metadata: Mapping[str, Any] | None = None
) -> int:
    """The place of the wanted column; raises ``Bad`` when it is not there, or not for sure."""
    free = [place for place in range(len(names)) if place not in keys.places]
    found = [place for place in free if plain(names[place]) == plain(wanted)]
    found = found or _by_other_names(names, free, wanted, metadata)
    if len(found) == 1:
        return found[0]
    if found:
        those = listed(names[place] for place in found)
        raise Bad("owid_column_ambiguous", f"column {shown(wanted)} can be {len(found)} columns: {those}")
    raise Bad("owid_column_missing", _missing(wanted, [names[place] for place in candidates(names, keys)]))


def _by_other_names(
    names: Sequence[str], free: Sequence[int], wanted: str, metadata: Mapping[str, Any] | None
) -> list[int]:
    same = [words for words in meta.columns(metadata or {}) if words.is_called(wanted)]
    return [place for place in free if any(words.is_called(names[place]) for words in same)]


def _missing(wanted: str, there: Sequence[str]) -> str:
    if not there:
        return f"column {shown(wanted)} is missing, and there is no other column with values"
    return (
        f"column {shown(wanted)} is missing; there is {listed(there)}; "
        f"likely its new name: {shown(_likely(wanted, there))}; if so, put that into column in the catalogue"
    )


def words_of(heading: str, wanted: str, metadata: Mapping[str, Any] | None) -> ColumnWords | None:
    """What the metadata say of the column with this heading, which the catalogue calls ``wanted``.

    None: nothing, or of several that go by the name. Raises ``Bad`` (``owid_metadata_column``) where the
    metadata are about other columns alone: then nothing tells whose numbers these are, or in which unit.
    """
    described = meta.columns(metadata or {})
    if described and not any(words.is_called(name) for words in described for name in (heading, wanted)):
        others = {name: words.names[0] for words in described for name in words.names}
        likely = others[_likely(heading, list(others))]
        raise Bad(
            "owid_metadata_column",
            f"the metadata say nothing of column {shown(heading)}, but of "
            f"{listed(words.names[0] for words in described)}; likely its new name: {shown(likely)}; "
            "fetch both files anew, and put the name that both have into column in the catalogue",
        )
    return meta.words_for(metadata, heading, wanted)


def _likely(wanted: str, names: Sequence[str]) -> str:
    """The one of these names that is most like it."""
    from rapidfuzz import fuzz, process

    return str(process.extractOne(wanted, names, scorer=fuzz.token_set_ratio, processor=plain)[0])
