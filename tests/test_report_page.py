"""The report in a real browser: nothing hostile runs, everything can be reached by keys, and axe finds nothing serious.

Chromium is Debian's; NOUGHTS_CHROMIUM names another.
"""

from contextlib import contextmanager

import pytest
from conftest import CHROMIUM
from hostile_class import FOREIGN, HOSTILE, LONG, NAME, SECRET, played
from test_review import record_of

from noughts.report import gather, write_report
from noughts.tournaments import reviews
from noughts.tournaments.visibility import team

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium; install it, or name it in NOUGHTS_CHROMIUM"),
]

PATIENCE = 60_000
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The addresses of the reports of a hostile class: for the staff, in a folder, and for one team."""
    folder = tmp_path_factory.mktemp("report")
    tournament = played(folder / "class.noughts", game="ultimate")
    list(reviews.review_all(tournament, reviews.due(tournament, 20_000), 20_000))
    found = {
        "staff": write_report(gather(tournament), folder / "staff.html")[0],
        "folder": write_report(gather(tournament), folder / "large.html", most=1000)[0],
        "team": write_report(gather(tournament, team(FOREIGN)), folder / "team.html")[0],
    }
    tournament.file.close()
    return {name: path.as_uri() for name, path in found.items()}


@contextmanager
def opened(browser, address, **options):
    """A page; what its scripts complain about, what it asks of the net, and what hostile text did fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors, asked = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.locator("main h1").wait_for()
    yield page
    assert page.evaluate("window.hacked") is None
    assert errors == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked), asked
    context.close()


def place_of(page, name):
    names = page.locator(".standings .team-name").all_text_contents()
    return 1 + next(n for n, shown in enumerate(names) if shown == name)


def test_hostile_names_prints_and_tracebacks_are_text(browser, pages):
    with opened(browser, pages["staff"]) as page:
        assert page.locator("h1").first.text_content() == "<i>spring</i> & co"
        assert NAME in page.locator(".standings .team-name").all_text_contents()
        assert "KeyError" in page.locator(".part-faults").text_content()
        page.goto(f"{pages['staff']}#team-{place_of(page, LONG)}")
        page.locator(".part-lost a").first.click()
        page.locator(".fault summary").click()
        assert HOSTILE in page.locator(".fault pre").text_content()
        page.keyboard.press("End")
        assert HOSTILE in page.locator(".prints").text_content()
        assert page.locator("main img, main script, main b i").count() == 0


def test_a_games_page_from_a_team_shows_its_own_words_only(browser, pages):
    with opened(browser, pages["staff"]) as page:
        rival, own = place_of(page, NAME), place_of(page, FOREIGN)
        page.goto(f"{pages['staff']}#pair-{rival}-{own}")
        page.locator("tbody a").first.click()
        page.locator(".prints").wait_for()
        game = page.url.split("#")[1]
        words = {place: seen_words(page, f"{pages['staff']}#{game}-team-{place}") for place in (rival, own)}
        assert (HOSTILE in words[rival], SECRET in words[rival]) == (True, False)
        assert (HOSTILE in words[own], SECRET in words[own]) == (False, True)
        everybody = seen_words(page, f"{pages['staff']}#{game}")
        assert HOSTILE in everybody
        assert SECRET in everybody


def seen_words(page, address):
    """All that is printed over the first moves of a game."""
    page.goto("about:blank")
    page.goto(address)
    page.locator(".stepper").wait_for()
    page.keyboard.press("Home")
    said = []
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        said.append(page.locator(".prints").text_content())
    return " ".join(said)


def test_a_game_is_stepped_through_by_keys_slider_moves_and_curve(browser, pages):
    with opened(browser, pages["staff"]) as page:
        page.goto(f"{pages['staff']}#pair-{place_of(page, 'greedy')}-{place_of(page, NAME)}")
        page.locator("tbody a").first.click()
        page.locator(".stepper").wait_for()
        said = page.locator(".game-verdict")
        page.keyboard.press("Home")
        assert said.text_content().startswith("Move 0 of ")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert said.text_content().startswith("Move 2 of ")
        assert page.locator(".moves [aria-current]").count() == 1
        page.locator(".moves button").nth(4).click()
        assert said.text_content().startswith("Move 5 of ")
        page.locator(".stepper input").fill("7")
        assert said.text_content().startswith("Move 7 of ")
        page.locator(".curve").click(position={"x": 2, "y": 60})
        assert said.text_content().startswith("Move 0 of ")
        page.locator(".slips button").first.click()
        assert page.locator(".slips [aria-current]").count() == 1
        assert not said.text_content().startswith("Move 0 of ")


def test_a_folder_of_pages_leads_from_the_table_to_a_game_and_back(browser, pages):
    with opened(browser, pages["folder"]) as page:
        page.locator(".standings a").nth(1).click()
        page.locator(".title p").first.wait_for()
        assert "team-2.html" in page.url
        page.locator("section table a").first.click()
        page.locator(".game").wait_for()
        page.locator(".brand a").click()
        page.locator(".standings").wait_for()
        page.locator(".cross a").first.click()
        page.locator("tbody a").first.click()
        page.locator(".game").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_window(browser, pages, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    size = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with opened(browser, pages["staff"], **size) as page:
        for place in ("", "#team-2", "#game-8", "#pair-1-2"):
            page.goto(f"{pages['staff']}{place}")
            page.locator("main h1").wait_for()
            found = [
                f"{place}: {each['id']}: {each['nodes'][0]['html'][:120]}"
                for each in Axe().run(page).response["violations"]
                if each["impact"] in SERIOUS
            ]
            assert found == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_game_in_a_notebook_shows_its_board_in_a_frame_that_reaches_nothing(browser, tmp_path):
    record = record_of("wild", [8, 0, 3])
    (tmp_path / "notebook.html").write_text(f"<main><h1>A notebook</h1>{record._repr_html_()}</main>")
    with opened(browser, (tmp_path / "notebook.html").as_uri()) as page:
        frame = page.frame_locator("iframe")
        frame.locator(".board-spot").first.wait_for()
        assert frame.locator(".moves button").count() == 3
        inner = page.frames[1]
        assert (
            inner.evaluate("(() => { try { return String(parent.document.title); } catch { return 'refused'; } })()")
            == "refused"
        )


def test_what_is_handed_to_a_team_opens_and_leads_to_its_games_alone(browser, pages):
    with opened(browser, pages["team"]) as page:
        assert page.locator("tr.own .team-name").text_content() == FOREIGN
        page.goto(f"{pages['team']}#team-{place_of(page, NAME)}")
        rows = page.locator("section tbody tr")
        links = page.locator("section tbody a")
        assert rows.count() == 6
        assert links.count() == 2
