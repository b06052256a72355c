"""The pages in a real browser: wide and narrow, light and dark, without a script, with a keyboard.

``AXE_CORE=/path/to/axe.min.js`` runs axe's rules too; ``PICTURES=DIR`` keeps a picture of each page.
"""

import os
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from chromium import browser, needs_chromium
from stores import made_database
from test_web_live import serving
from web_world import HOSTILE_NAME, SCRIPT, make_world

from freshness.web.server import make_app

pytestmark = [pytest.mark.slow, needs_chromium]

AXE = os.environ.get("AXE_CORE")
PICTURES = os.environ.get("PICTURES")
PAGES = {
    "fleet": "/",
    "model": "/models/is%20behind",
    "hostile": f"/models/{quote(HOSTILE_NAME, safe='')}",
    "failing": "/models/fails",
    "numbers": "/models/counts",
    "run": "/runs/numbers",
    "series": "/series",
    "indicator": "/series/life-expectancy?entity=FRA",
    "facts": "/facts",
    "fact": "/facts/Q38/P35",
    "changes": "/changes",
    "jobs": "/jobs",
    "missing": "/nowhere",
}
LOOKS = {
    "wide": {},
    "dark": {"dark": True},
    "phone": {"width": 390},
    "phone, dark": {"width": 390, "dark": True},
}

OUTER_PICTURES = "[...document.querySelectorAll('svg')].filter(s => !s.parentElement.closest('svg'))"

# Every text's colour against what lies behind it, as WCAG 2 counts contrast.
CONTRASTS = """
(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor);
      if (a === 1 && r !== undefined) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const tag = element.tagName.toUpperCase();
    if (!walker.currentNode.textContent.trim() || tag === "TITLE" || tag === "OPTION") continue;
    const style = getComputedStyle(element);
    let front = parse(style.color), back = behind(element);
    if (element instanceof SVGElement) {
      front = parse(style.fill);
      const rect = element.classList.contains("part") && element.parentElement.querySelector("rect");
      if (rect) back = parse(getComputedStyle(rect).fill);
    }
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    found.push([Math.round(100 * (a + 0.05) / (b + 0.05)) / 100, element.outerHTML.slice(0, 120)]);
  }
  return found;
})()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    world = make_world(folder, made_database("sqlite", folder))
    with serving(make_app(world.settings, world.store, world.daemon, environ={})) as address:
        yield address
    world.store.close()


@pytest.fixture(scope="module")
def chromium():
    with browser() as page:
        yield page


@pytest.fixture
def page(chromium):
    chromium.requests.clear()
    chromium.complaints.clear()
    return chromium


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_each_page_reads_well(page, address, name, look):
    page.show(address + PAGES[name], **LOOKS[look])
    if PICTURES:
        page.picture(Path(PICTURES) / f"{name} {look}.png")
    assert page.find("document.scrollingElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert [(ratio, where) for ratio, where in page.find(CONTRASTS) if ratio < 4.5] == []
    assert page.find("getComputedStyle(document.querySelector('main')).maxWidth") != "none", "no style"


def test_no_word_of_the_runs_is_broken_on_a_phone(page, address):
    page.show(address + "/models/knows", width=390)
    lines = page.find(
        "[...document.querySelectorAll('.wide tbody td:nth-child(2)')].map(cell => {"
        " const words = document.createRange(); words.selectNodeContents(cell);"
        " return words.getClientRects().length; })"
    )
    assert lines
    assert set(lines) == {1}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_comes_from_elsewhere_and_nothing_is_complained_of(page, address, name):
    page.show(address + PAGES[name])
    assert page.requests
    assert all(url.startswith((address, "data:")) for url in page.requests)
    expected = 1 if name == "missing" else 0  # the 404 itself
    assert len(page.complaints) == expected, page.complaints


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_missing_without_javascript(page, address, name):
    page.show(address + PAGES[name])
    with_script = page.find("document.body.innerText")
    page.show(address + PAGES[name], script=False)
    assert page.find("document.body.innerText") == with_script
    assert len(with_script) > 50


def test_hostile_words_are_seen_as_they_are_and_do_nothing(page, address):
    read = ""
    for name in ("fleet", "hostile", "fact"):
        page.show(address + PAGES[name])
        assert page.find("document.scripts.length + document.images.length") == 0
        assert page.complaints == []
        read += page.find("document.body.innerText")
    assert SCRIPT in read
    assert HOSTILE_NAME.split("/?")[0] in read


@pytest.mark.parametrize("name", PAGES)
def test_a_screen_reader_finds_its_way(page, address, name):
    page.show(address + PAGES[name])
    assert page.find("document.documentElement.lang") == "en"
    levels = page.find("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(then - now <= 1 for now, then in pairwise(levels))
    assert page.find(f"{OUTER_PICTURES}.every(s => s.ariaLabel || s.ariaHidden === 'true')")
    assert page.find("[...document.querySelectorAll('table')].every(t => t.caption)")
    assert page.find("[...document.querySelectorAll('table')].every(t => t.querySelector('th[scope]'))")
    assert page.find("[...document.querySelectorAll('input,select')].every(i => i.labels.length)")
    assert page.find("[...document.querySelectorAll('a')].every(a => a.innerText.trim() || a.ariaLabel)")


def test_with_a_keyboard_the_content_is_one_step_away_and_the_focus_is_seen(page, address):
    page.show(address + "/")
    page.press("Tab")
    assert page.find("document.activeElement.className") == "skip"
    assert page.find("document.activeElement.getBoundingClientRect().left >= 0")
    page.press("Tab")
    assert page.find("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.skipif(not AXE, reason="AXE_CORE names no axe.min.js")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_fault(page, address, name, look):
    page.show(address + PAGES[name], **LOOKS[look])
    page.find(Path(AXE).read_text() + ";0")
    faults = page.find(
        "axe.run().then(r => r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 200))]))"
    )
    assert faults == []
