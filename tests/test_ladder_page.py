"""The ladder in a real browser: a team uploads bots and reads what the gate found; what others see; axe and sizes."""

from __future__ import annotations

import pytest
from browsing import in_browser, opened, violations

import noughts

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright")
pytestmark = in_browser
from serving import Server  # noqa: E402

from noughts.tournaments._ladder import LADDER  # noqa: E402
from noughts.tournaments.ladder import create_ladder, set_token  # noqa: E402
from noughts.tournaments.settings import Settings  # noqa: E402
from noughts.tournaments.store import TournamentFile  # noqa: E402
from noughts.web import token_hash  # noqa: E402

GOOD = b"def choose(state, clock):\n    print('<b>mine</b>')\n    return state.legal_actions()[-1]\n"
BAD = "def choose(state, clock):\n    return state.legal_actions()['<img src=x>']\n"
TEAM, STAFF = "t" * 20, "s" * 20


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ladder")
    path = folder / "class.noughts"
    with TournamentFile(path, write=True) as file:
        settings = Settings(format=LADDER, seconds=2.0)
        ladder = create_ladder(file, noughts.load_game("classic"), settings, ["Ann's ants", "bees"], ["random"])
        set_token(ladder, "Ann's ants", token_hash(TEAM))
        set_token(ladder, None, token_hash(STAFF))
    running = Server(folder, "--file", str(path))
    yield running
    _, err = running.stop()
    assert "Traceback" not in err, err


def joined(server, page, token):
    page.goto(f"{server.base}/join#{token}")
    page.wait_for_url(lambda url: "/join" not in url)  # a page that is left while it loads refuses the next address


def test_a_team_uploads_on_its_page_and_follows_the_gate_to_its_verdict(server, browser):
    with opened(browser) as page:
        joined(server, page, TEAM)
        page.wait_for_url("**/ladder/team/**")
        page.locator("#bot").set_input_files({"name": "bot.py", "mimeType": "text/x-python", "buffer": GOOD})
        page.get_by_role("heading", name="Version 1 passed and plays").wait_for()
        assert "against random" in page.locator(".gate").inner_text()
        page.get_by_role("link", name="1", exact=True).first.wait_for()
        dropped = page.evaluate_handle(
            "text => { const all = new DataTransfer(); all.items.add(new File([text], 'bot.py')); return all; }",
            GOOD.decode(),
        )
        page.locator(".drop").dispatch_event("drop", {"dataTransfer": dropped})
        page.get_by_text("This file was uploaded before, so it is the same version.").wait_for()
        page.get_by_text("Paste code").click()
        page.get_by_label("Code of the bot").fill(BAD)
        page.get_by_role("button", name="Upload this code").click()
        page.get_by_role("heading", name="Version 2 did not pass").wait_for()
        assert page.url.endswith("/version/2")
        gate = page.locator(".gate")
        assert "list indices must be integers" in gate.inner_text()
        assert "2 |     return state.legal_actions()['<img src=x>']" in gate.inner_text()
        assert page.locator("#main img").count() == 0
        page.get_by_label("Code of the bot").fill("  ")
        page.get_by_role("button", name="Upload this code").click()
        page.get_by_text("Upload refused: the file is empty").wait_for()


def test_what_the_team_sees_the_public_does_not(server, browser):
    place = "/ladder/team/Ann's%20ants"
    with opened(browser) as page:
        page.goto(f"{server.base}/ladder")
        page.get_by_role("link", name="Ann's ants").first.click()
        page.wait_for_url(f"**{place}")
        page.get_by_role("heading", name="Games").wait_for()
        assert page.locator("#bot, .gate:visible").count() == 0
        assert page.get_by_role("link", name="Logs as a zip").count() == 0
        assert "did not pass" not in page.locator("#main").inner_text()
        page.locator("td a[href^='/replay']").first.click()
        page.locator(".moves .move").first.wait_for()
        assert "mine" not in page.locator("#main").inner_text()
    with opened(browser) as page:
        joined(server, page, TEAM)
        page.locator("td a[href^='/replay']").first.click()
        page.locator(".moves .move").first.wait_for()
        page.locator(".moves .move").nth(1).click()
        page.get_by_text("<b>mine</b>").wait_for()
    with opened(browser) as page:
        joined(server, page, STAFF)
        page.get_by_role("link", name="Staff").click()
        page.get_by_role("heading", name="Teams").wait_for()
        page.get_by_role("row", name="bees").get_by_role("button", name="New link").wait_for()
        assert page.get_by_role("row", name="bees").get_by_role("button", name="Requeue").count() == 0
        page.get_by_role("row", name="Ann's ants").get_by_role("button", name="Requeue").click()
        page.get_by_text("Ann's ants waits for its check.").wait_for()
        page.goto(f"{server.base}{place}/version/2")
        page.get_by_role("heading", name="Version 2 did not pass").wait_for()
        with page.expect_download() as download:
            page.get_by_role("link", name="Logs as a zip").click()
        assert download.value.suggested_filename.endswith(".zip")


def test_a_page_without_https_beyond_this_machine_says_so_loudly(server, browser):
    with opened(browser) as page:

        def insecure(route):
            answer = route.fetch()
            route.fulfill(response=answer, json=answer.json() | {"secure": False})

        page.route("**/api/ladder", insecure)
        page.goto(f"{server.base}/ladder")
        assert "not served over HTTPS" in page.locator("[role=alert] .notice").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_on_the_ladder_and_nothing_is_wider_than_the_screen(server, browser, width, scheme):
    with opened(browser, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True) as page:
        team = "/ladder/team/Ann's%20ants/version/2"
        for token, view in ((STAFF, "/ladder"), (STAFF, "/ladder/staff"), (TEAM, team)):
            page.context.clear_cookies()
            joined(server, page, token)
            page.goto(server.base + view)
            page.locator("tbody td").first.wait_for()
            assert (view, violations(page)) == (view, [])
            assert page.evaluate("document.documentElement.scrollWidth") <= width
