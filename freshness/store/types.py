"""Column types that mean the same on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Column, DateTime, Dialect, Text, TypeDecorator

_SURROGATES_AND_NUL = dict.fromkeys((0, *range(0xD800, 0xE000)), "\N{REPLACEMENT CHARACTER}")


def storable(text: str) -> str:
    """The text with NUL and lone surrogates replaced one for one, so that character offsets still hold.

    PostgreSQL refuses NUL in text, and neither database can encode a lone surrogate.
    """
    return text.translate(_SURROGATES_AND_NUL)


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: written in UTC, read back aware.

    SQLite drops the offset and keeps the wall clock, so the value is converted before it is written;
    a naive datetime is refused with ``ValueError`` because nobody can tell which instant it means.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None or value.utcoffset() is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(TypeDecorator[str]):
    """A member of a string enum, written as its plain value.

    Read leniently: upper case too, as a library that stores member names would have written it.
    Refuses other words on writing with ``ValueError``; the table's check constraint refuses them as well.
    """

    impl = Text
    cache_ok = True

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.words = words

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is not None and value not in self.words:
            raise ValueError(f"{value!r} is none of {', '.join(self.words)}")
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else value.lower()


class SafeText(TypeDecorator[str]):
    """Text that others wrote (models, sources): see ``storable``."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:
        return value


def words_of(enum: type[StrEnum]) -> tuple[str, ...]:
    """The enum's values, in order."""
    return tuple(member.value for member in enum)


def words_column(words: Sequence[str], *, nullable: bool = False) -> Column[str]:
    """A column that holds one of the words; the table needs the ``one_of`` of the same name."""
    return Column(Words(*words), nullable=nullable)


def one_of(column: str, words: Iterable[str]) -> CheckConstraint:
    """A check that the column is one of the words (or null)."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
