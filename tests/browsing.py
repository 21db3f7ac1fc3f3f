"""Pages in a real browser: opening them, what they must not do, and the moves of the board."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("NOUGHTS_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
"""Debian's, or that of the variable. The first, which has no windows, takes half the time."""

PATIENCE = 90_000
"""Milliseconds."""

in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium; install it, or name it in NOUGHTS_CHROMIUM"),
]
"""The marks of a module that needs a browser."""


@contextmanager
def launched():
    """The browser, which may serve many tests. While it runs, this thread can have no event loop of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


def expect(what):
    """Playwright's `expect` of a locator or a page, with patience: it looks again until it is so."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    return expect(what)


REFUSALS = ("ERR_CONNECTION", "frame-ancestors", "status of 4", "response code: 403")
"""What the console says of servers that are gone and of requests that are refused, which tests do on purpose."""


@contextmanager
def opened(browser, *, refusals=REFUSALS, **options):
    """A page in a fresh profile; whatever its scripts complain about fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert [error for error in errors if not any(part in error for part in refusals)] == []


@contextmanager
def opened_file(browser, address, **options):
    """A page from a file: it asks nothing of the net, and hostile text in it does nothing."""
    with opened(browser, refusals=(), **options) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        page.locator("main h1").wait_for()
        yield page
        assert page.evaluate("window.hacked") is None
        assert all(url.startswith(("file:", "data:", "blob:")) for url in asked), asked


def violations(page, impacts=("minor", "moderate", "serious", "critical")):
    """What axe finds on a page."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found if one["impact"] in impacts]


def cell(page, number):
    return page.locator(f'[data-cell="{number}"]')


def place(page, number, mark=None):
    page.locator(f'[data-cell="{number}"].playable').click()
    if mark:
        page.locator(f'.board-picker [data-mark="{mark}"]').click()


def moves(page, count):
    """Waits for this number of moves in the list; returns their texts."""
    page.locator(".moves .move").nth(count - 1).wait_for()
    return page.locator(".moves .text").all_text_contents()


def headline(page, text):
    page.locator(".outcome", has_text=text).wait_for()
