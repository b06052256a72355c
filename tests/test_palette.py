"""The verdicts' colours: told apart by everybody, light and dark, and readable with words on them."""

import itertools

import numpy as np
import pytest

from freshness.report import palette
from freshness.report.palette import VERDICTS
from freshness.verdicts import Verdict

# What people see who lack one kind of cones: Machado, Oliveira and Fernandes (2009), whole severity.
SEEN = {
    "all cones": np.eye(3),
    "no red": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "no green": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "no blue": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}
# Linear light to Oklab (Ottosson, 2020), in which equal distances look about equally far.
CONES = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
OKLAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])
APART = 0.12
PAPERS = {"light": "#ffffff", "dark": "#14181d"}


def light_of(colour):
    """Linear light, red, green and blue, from 0 to 1."""
    parts = np.array([int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colour, sight):
    return OKLAB @ np.cbrt(CONES @ np.clip(np.array(SEEN[sight]) @ light_of(colour), 0, 1))


def contrast(one, other):
    darker, lighter = sorted(float(light_of(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def test_every_verdict_has_a_colour():
    assert set(VERDICTS) == set(Verdict)


@pytest.mark.parametrize("sight", SEEN)
@pytest.mark.parametrize("scheme", PAPERS)
def test_any_two_verdicts_are_told_apart(scheme, sight):
    places = {verdict: seen(getattr(colour, scheme), sight) for verdict, colour in VERDICTS.items()}
    near = [
        (str(a), str(b))
        for a, b in itertools.combinations(VERDICTS, 2)
        if np.linalg.norm(places[a] - places[b]) < APART
    ]
    assert near == []


@pytest.mark.parametrize("scheme", PAPERS)
def test_what_stands_on_a_colour_can_be_read(scheme):
    for colour in (*VERDICTS.values(), palette.ERROR):
        assert contrast(getattr(colour, scheme), getattr(colour, f"on_{scheme}")) >= 4.5


def test_the_style_sheet_has_each_in_light_and_dark():
    sheet = palette.css()
    for verdict, colour in VERDICTS.items():
        assert f"--{verdict}: {colour.light};" in sheet
        assert f"--{verdict}: {colour.dark};" in sheet
        assert f".{verdict} {{" in sheet
    # It stands in a page as it is, so that nothing may need to be escaped.
    assert not set("<>&'\"") & set(sheet)
