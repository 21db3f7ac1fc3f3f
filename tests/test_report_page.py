"""The report in a real browser: nothing hostile runs, keys reach everything, and axe finds nothing serious."""

import re

import pytest
from browsing import in_browser, opened_file, violations
from hostile_class import FOREIGN, HOSTILE, LONG, NAME, SECRET, played
from test_review import record_of
from tournament_play import play_some, tournament_in

from noughts.course.marks import marks_of
from noughts.report import gather, write_report
from noughts.sandbox import BotSource
from noughts.tournaments import reviews
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, team

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")
pytestmark = in_browser

SERIOUS = ("serious", "critical")
NODES = 1_000
"""For each position of the review: enough to find mistakes of bots that do not think."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The addresses of the reports of a hostile class: for the staff, in a folder, and for one team."""
    folder = tmp_path_factory.mktemp("report")
    tournament = played(folder / "class.noughts", game="ultimate")
    list(reviews.review_all(tournament, reviews.unreviewed_games(tournament, NODES), NODES))
    marks = [mark.to_data() for mark in marks_of(TournamentView(tournament))]
    found = {
        "staff": write_report(gather(TournamentView(tournament), marks=marks), folder / "staff.html")[0],
        "folder": write_report(gather(TournamentView(tournament), marks=marks), folder / "large.html", most=1000)[0],
        "team": write_report(gather(TournamentView(tournament), team(FOREIGN), marks), folder / "team.html")[0],
    }
    tournament.file.close()
    return {name: path.as_uri() for name, path in found.items()}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The report of a course with stages, a forfeit in many games, and bots that do not play."""
    path = tmp_path_factory.mktemp("course") / "course.noughts"
    pools = {"group_pools": 2, "group_top": 2, "semi_pools": 1, "semi_top": 2}
    tournament = tournament_in(path, players=(), format="course", **pools)
    first = "def choose(state, clock):\n    return state.legal_actions()[{}]"
    late = first.format(0).replace("    return", "    assert state.history()[:1] != [8], 'long ' * 60\n    return")
    bots = {"fails": late} | {f"team{n}": first.format(-1 if n < 2 else 0) for n in range(5)}
    bots |= {f"broken{n}": "def choose(state, clock)" for n in range(9)}
    for name, text in bots.items():
        tournament.entries.enter(name, BotSource(f"{name}.py", None, text))
    play_some(tournament)
    (page,) = write_report(
        gather(TournamentView(tournament), marks=[mark.to_data() for mark in marks_of(TournamentView(tournament))]),
        path.with_suffix(".html"),
    )
    tournament.file.close()
    return page.as_uri()


def place_of(page, name):
    names = page.locator(".standings .team-name").all_text_contents()
    return 1 + next(n for n, shown in enumerate(names) if shown == name)


def test_hostile_names_prints_and_tracebacks_are_text(browser, pages):
    with opened_file(browser, pages["staff"]) as page:
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
    with opened_file(browser, pages["staff"]) as page:
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
    with opened_file(browser, pages["staff"]) as page:
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
    with opened_file(browser, pages["folder"]) as page:
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
    size = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with opened_file(browser, pages["staff"], **size) as page:
        for place in ("", "#team-2", "#game-8", "#pair-1-2"):
            page.goto(f"{pages['staff']}{place}")
            page.locator("main h1").wait_for()
            assert (place, violations(page, SERIOUS)) == (place, [])
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_game_in_a_notebook_shows_its_board_in_a_frame_that_reaches_nothing(browser, tmp_path):
    record = record_of("wild", [8, 0, 3])
    (tmp_path / "notebook.html").write_text(f"<main><h1>A notebook</h1>{record._repr_html_()}</main>")
    with opened_file(browser, (tmp_path / "notebook.html").as_uri()) as page:
        frame = page.frame_locator("iframe")
        frame.locator(".board-spot").first.wait_for()
        assert frame.locator(".moves button").count() == 3
        inner = page.frames[1]
        assert (
            inner.evaluate("(() => { try { return String(parent.document.title); } catch { return 'refused'; } })()")
            == "refused"
        )


def test_what_is_handed_to_a_team_opens_and_leads_to_its_games_alone(browser, pages):
    with opened_file(browser, pages["team"]) as page:
        assert page.locator("main h1").inner_text() == FOREIGN, "it opens on the team"
        assert page.locator(".part-lost").count() == 1
        assert f"for {FOREIGN} only" in page.locator(".whose").text_content()
        page.get_by_role("link", name="Standings").click()
        assert page.locator("tr.own .team-name").text_content() == FOREIGN
        page.goto(f"{pages['team']}#team-{place_of(page, NAME)}")
        rows = page.locator("section tbody tr")
        links = page.locator("section tbody a")
        assert rows.count() == 6
        assert links.count() == 2


CUT_OFF = """(nodes) => nodes.filter((node) => node.offsetParent && node.getBoundingClientRect().right > innerWidth + 1)
  .map((node) => node.textContent)"""


def test_on_a_phone_no_points_no_fault_and_no_strip_is_cut_off(browser, course):
    with opened_file(browser, course, viewport={"width": 390, "height": 800}) as page:
        for what in (".part-stages td.sum", ".part-faults td", ".part-times svg", ".part-marks td", ".standings td"):
            found = page.locator(what)
            assert found.count() > 0, what
            assert found.evaluate_all(CUT_OFF) == [], what


def test_stages_say_who_goes_on_and_refusals_are_folded(browser, course):
    with opened_file(browser, course) as page:
        assert page.locator(".part-stages tr.last-in").count() == 3, "two pools and the semi-final"
        assert "9 bots are excluded" in page.locator("details.excluded summary").inner_text()
        assert not page.locator("details.excluded ul").is_visible()
        page.locator("details.excluded summary").click()
        assert page.locator("details.excluded li").count() == 9
        assert "Ordered by the stage reached" in page.locator(".part-standings").inner_text()
        links = page.locator(".part-faults td.games a").all_inner_texts()
        assert len(links) == int(page.locator(".part-faults td:not(.left):not(.words)").first.inner_text())


def test_a_page_says_for_whom_it_is_and_how_many_losses_are_reviewed(browser, tmp_path):
    tournament = tournament_in(tmp_path / "class.noughts", players=("random", "greedy"), rounds=4)
    play_some(tournament, trusted=())
    due = reviews.unreviewed_games(tournament, name="random")
    assert len(due) == 8
    list(reviews.review_all(tournament, due[:2]))
    (staff,) = write_report(gather(TournamentView(tournament)), tmp_path / "staff.html")
    (public,) = write_report(gather(TournamentView(tournament), PUBLIC), tmp_path / "public.html")
    losses = next(row["lost"] for row in gather(TournamentView(tournament)).head["teams"] if row["name"] == "random")
    tournament.file.close()
    with opened_file(browser, staff.as_uri()) as page:
        assert "for staff only" in page.locator(".whose").inner_text()
        assert "2 of 8 games reviewed" in page.locator("header.title").inner_text()
        page.goto(f"{staff.as_uri()}#team-{place_of(page, 'random')}")
        page.get_by_text(f"2 of {losses} losses reviewed").wait_for()
        assert "reviewed" in page.locator("header.title").inner_text()
    with opened_file(browser, public.as_uri()) as page:
        assert "for everyone" in page.locator(".whose").inner_text()


def test_positions_of_a_team_are_boards_that_lead_to_their_games(browser, pages):
    with opened_file(browser, f"{pages['staff']}#team-2") as page:
        tile = page.locator(".positions li").first
        assert tile.locator("svg").count() == 1
        title = tile.locator("a").inner_text()
        tile.locator("a").click()
        page.locator(".game-moves").wait_for()
        number, move = re.fullmatch(r"Game (\d+), move (\d+)", title).groups()
        assert page.url.endswith(f"#game-{number}-team-2-at-{int(move) - 1}")
        assert page.locator(".moves [aria-current]").get_attribute("data-key") == str(int(move) - 1)
