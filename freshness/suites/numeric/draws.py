"""Chance without a state: each draw is a hash of the seed, the question's id and the draw's number.

So a question has the same options whatever is generated beside it, in which order, on which machine. Only
operations on unsigned integers decide (SplitMix64's mixing; Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.uint64]

ORDER, PLACE, TURN, SAMPLE, ZERO_SHOWN, DONOR, STRETCH = range(7)
"""What the first draws of a question decide: the order of its options, the key's place among them by size,
which way round it is asked, its place in the queue of a sample, whether zero is among its options (or, if it
is about zero, whether it is asked), and what stands beside a zero; of a series, where its decimals change."""
STEPS: Final = 8
"""The first of the draws that place the other options..."""
CELLS: Final = 64
"""... and of those that say where in its cell of a grid each number lies."""

_GOLDEN: Final = 0x9E3779B97F4A7C15
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)


def series_draws(facts: Sequence[str], kind: str, seed: int) -> Draws:
    """One number for each series: what its questions of a kind begin with."""
    texts = (f"{seed}\n{fact}/{kind}".encode() for fact in facts)
    digests = [hashlib.blake2b(text, digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def question_draws(series: Draws, years: NDArray[np.int64]) -> Draws:
    """One number for each question, from its series' number and its first year."""
    return _mixed(series ^ _mixed(years.astype(np.uint64)))


def draw(questions: Draws, number: int) -> Draws:
    """The draw of that number, uniform over all 64-bit integers."""
    return _mixed(questions + np.uint64((number + 1) * _GOLDEN % 2**64))


def below(questions: Draws, number: int, bound: int) -> NDArray[np.int64]:
    """Uniform integers from 0 to ``bound - 1`` (but for 1 in 2^60)."""
    return (draw(questions, number) % np.uint64(bound)).astype(np.int64)


def fraction(questions: Draws, number: int) -> NDArray[np.float64]:
    """Uniform in [0, 1): multiples of 2^-53, exact in any arithmetic."""
    return (draw(questions, number) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(state: Draws) -> Draws:
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))
