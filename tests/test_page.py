"""The page in a real browser. Chromium is Debian's; NOUGHTS_CHROMIUM names another."""

from __future__ import annotations

import random
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from browsing import cell, expect, headline, in_browser, moves, opened, place, violations

import noughts

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright")
pytestmark = in_browser
from serving import Server  # noqa: E402


@pytest.fixture
def page(browser):
    with opened(browser) as one:
        yield one


def sit_down(server, page, game, opponent="random", **more):
    made = server.new_game(game, opponent, **more)
    page.goto(f"{server.base}/game/{made['id']}#key={made['key']}")
    page.locator(".board-spot").first.wait_for()
    return made


def test_a_whole_wild_game_is_won_by_taps(server, page):
    sit_down(server, page, "wild", "screen")
    for number, (where, mark) in enumerate([(0, "X"), (1, "O"), (3, "X"), (6, "X")]):
        place(page, where, mark)
        assert len(moves(page, number + 1)) == number + 1
    headline(page, "second player wins with the line 0 3 6")
    expect(page.locator(".board-lines path")).to_have_count(1)
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_numbers_are_chosen_by_one_tap_or_one_key(server, page):
    sit_down(server, page, "numerical", "screen")
    place(page, 4, "5")
    moves(page, 1)
    cell(page, 0).focus()
    page.keyboard.press("8")
    moves(page, 2)
    cell(page, 8).click()
    assert page.locator(".board-picker button").all_text_contents() == ["1", "3", "7", "9"]
    page.keyboard.press("Escape")
    assert page.locator(".board-picker").count() == 0
    page.locator("#typed").fill("[7 2]")
    page.locator("#typed").press("Enter")
    assert moves(page, 3) == ["5@4", "8@0", "7@2"]


def position_with(game, wanted):
    """The shortest beginning of some random games that leads to a wanted position."""
    best, chance = None, random.Random(2)
    for _ in range(60):
        state = game.new_initial_state()
        while not state.is_terminal() and (best is None or len(state.history()) < len(best.history()) - 1):
            state.apply_action(chance.choice(state.legal_actions()))
            if wanted(state.view()):
                best = state
                break
    return best


@pytest.mark.parametrize("kind", ["bonus", "open_move"])
def test_a_bonus_move_and_an_open_move_of_extreme_are_shown_and_played(server, page, kind):
    game = noughts.load_game("extreme")
    state = position_with(game, lambda seen: getattr(seen, kind) and not seen.over)
    made = server.new_game("extreme", "screen")
    *before, last = state.history()
    for action in before:
        body = {"key": made["key"], "move": state.action_to_string(action)}
        assert server.http.post(f"/api/play/{made['id']}/moves", json=body).status_code == 200
    page.goto(f"{server.base}/game/{made['id']}#key={made['key']}")
    cell(page, last).hover()
    note = page.locator(".board-note")
    note.filter(has_text="moves again" if kind == "bonus" else "any open block").wait_for()
    place(page, last)
    moves(page, len(before) + 1)
    note.filter(has_text="has a bonus move" if kind == "bonus" else "open move").wait_for()
    open_blocks = state.view().playable
    expect(page.locator(".board-grounds .open")).to_have_count(len(open_blocks))
    place(page, state.legal_actions()[0])
    moves(page, len(before) + 2)


def test_pointing_at_a_move_shows_where_it_sends(server, page):
    sit_down(server, page, "extreme", "screen")
    cell(page, 16 * 4 + 5).hover()
    page.locator(".board-note", has_text="4,5 sends O to block 1").wait_for()
    expect(page.locator(".target")).to_have_count(1)


def test_a_game_by_keyboard_alone(server, page):
    made = server.new_game("classic", "perfect")
    page.goto(f"{server.base}/game/{made['id']}#key={made['key']}")
    page.locator(".board-spot").first.wait_for()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('board-spot')"):
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == "cell 4, empty, playable"
    page.keyboard.press("Enter")
    moves(page, 2)
    over = page.get_by_role("button", name="Rematch")
    while True:
        page.locator(".board-spot.playable").or_(over).first.wait_for()
        if over.is_visible():
            break
        played = page.locator(".moves .move").count()
        page.keyboard.press("n")
        page.keyboard.press(" ")
        page.locator(".moves .move").nth(played).wait_for()
    page.locator(".board-live:not(:empty)").wait_for(state="attached")


def test_undo_hint_and_resigning(server, page):
    sit_down(server, page, "classic", "random")
    place(page, 4)
    moves(page, 2)
    page.get_by_role("button", name="Undo").click()
    page.locator(".moves .move").first.wait_for(state="detached")
    page.get_by_role("button", name="Hint").click()
    page.locator(".hint.best").wait_for()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    headline(page, "You resigned")
    page.get_by_role("button", name="Swap sides").click()
    page.locator(".player.us .sign", has_text="O").wait_for()


def test_two_pages_play_each_other_by_a_link_and_a_third_watches(server, browser):
    with opened(browser) as first, opened(browser) as second, opened(browser) as third:
        first.goto(f"{server.base}/?game=ultimate")
        first.get_by_label("Opponent").select_option("link")
        first.get_by_role("button", name="Play", exact=True).click()
        address = first.get_by_label("Link for the other player").input_value()
        second.goto(address)
        third.goto(address.partition("#")[0])
        place(first, 40)
        moves(second, 1)
        cell(first, 30).click()
        first.locator(".toast", has_text="It is not your move: Your opponent is to move").wait_for()
        headline(second, "Your move")
        place(second, 30)
        assert moves(first, 2) == moves(third, 2) == ["4,4", "3,3"]
        headline(third, "You are watching")
        assert "key=" not in second.url  # it does not stay in the address


def test_old_positions_can_be_looked_at_and_a_reload_loses_nothing(server, page):
    sit_down(server, page, "ultimate", "screen")
    place(page, 0)
    moves(page, 1)
    place(page, 1)
    moves(page, 2)
    page.locator(".moves .move").first.click()
    headline(page, "After 0,0")
    expect(page.locator(".board-cells .mark")).to_have_count(1)  # once the server has sent the old position
    page.keyboard.press("ArrowRight")
    headline(page, "to move")
    page.reload()
    assert moves(page, 2) == ["0,0", "0,1"]
    expect(page.locator(".board-spot.playable")).to_have_count(9)


def test_a_page_goes_on_when_the_server_was_killed_and_started_again(browser, tmp_path):
    first = Server(tmp_path)
    port = first.port
    with opened(browser) as page:
        try:
            sit_down(first, page, "classic", "screen")
            place(page, 4)
            moves(page, 1)
        finally:
            first.kill()
        page.locator("#connection", has_text="cannot be reached").wait_for()
        second = Server(tmp_path, "--port", str(port))
        try:
            page.locator("body:not(.offline)").wait_for()
            place(page, 0)
            assert moves(page, 2) == ["4", "0"]
        finally:
            second.stop()


def test_on_a_phone_a_block_is_enlarged_before_a_mark_is_placed(server, browser):
    with opened(browser, viewport={"width": 360, "height": 780}, has_touch=True, color_scheme="dark") as page:
        sit_down(server, page, "extreme", "screen")
        numbers = page.locator(".board-numbers text")
        assert numbers.all_text_contents() == [str(n) for line in range(16) for n in (line, line)]
        assert numbers.last.bounding_box()["height"] >= 9
        cell(page, 0).tap()
        assert page.locator(".moves .move").count() == 0
        page.locator(".board-zoomed").wait_for()
        assert page.locator(".board-near text").all_text_contents() == ["0", "0", "1", "1", "2", "2", "3", "3"]
        assert cell(page, 1).bounding_box()["width"] >= 44
        cell(page, 1).tap()
        assert moves(page, 1) == ["0,1"]
        expect(page.locator(".board-zoomed")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_was_refused_is_forgotten_when_the_next_move_is_made(server, page):
    sit_down(server, page, "classic", "screen")
    page.locator("#typed").fill("centre please")
    page.locator("#typed").press("Enter")
    page.locator(".toast").wait_for()
    place(page, 4)
    moves(page, 1)
    expect(page.locator(".toast")).to_have_count(0)
    page.locator("#typed").fill("4")
    page.locator("#typed").press("Enter")
    page.locator(".toast", has_text="Cell 4 is already occupied by X").wait_for()


def test_each_game_of_a_tournament_is_listed_once_and_names_break_between_their_options(server, page):
    games = [
        {"number": n, "stage": "league", "round": 1, "first": "alphabeta:level=4", "second": "mcts:games=100,seed=7",
         "winner": 0, "fault": None, "reason": "line", "first_points": 1, "second_points": -1, "plies": 40}
        for n in range(1, 4)
    ]  # fmt: skip
    one = {"file": 0, "name": "main", "title": "Ultimate", "games": 3}
    page.route("**/api/tournaments", lambda route: route.fulfill(json=[one]))
    page.route("**/api/tournaments/games?**", lambda route: route.fulfill(json=games))
    page.goto(f"{server.base}/replay")
    page.locator("tbody tr").nth(2).wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator("tbody tr td:first-child").all_text_contents() == ["1", "2", "3"]
    second = page.locator("tbody tr").first.locator("td").nth(3)
    assert second.inner_html().split(">", 1)[1] == "mcts:<wbr>games=100,<wbr>seed=7</bdi>"


def test_an_address_that_leads_nowhere_shows_a_page(server, page):
    answer = page.goto(f"{server.base}/nosuch")
    assert answer.status == 404
    assert page.get_by_role("heading").text_content() == "Page not found"
    page.get_by_role("link", name="Play a game").click()
    page.get_by_role("heading", name="Play", exact=False).first.wait_for()


def test_every_request_goes_to_this_server_and_little_is_sent(server, browser):
    with opened(browser) as page:
        asked, sizes = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
        sit_down(server, page, "extreme", "random")
        assert all(re.match(rf"(http|ws)://127\.0\.0\.1:{server.port}/", url) for url in asked)
        assert sum(sizes) < 150_000


def analysed(page, address):
    """Open an analysis and wait for its lines; what it says of the position."""
    page.goto(address)
    page.locator(".lines li").first.wait_for()


@pytest.mark.parametrize("name", ["classic", "wild", "numerical"])
def test_analysis_agrees_with_the_exact_solution(server, page, name):
    game, chance = noughts.load_game(name), random.Random(7)
    solution = noughts.solve(game)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(chance.choice(state.legal_actions()))
    played = " ".join(game.new_initial_state().action_to_string(action) for action in state.history())
    analysed(page, f"{server.base}/analyse?game={name}&play={played}")
    value, distance = solution.value(state), solution.distance(state)
    words = "draws" if value == 0 else f"{'wins' if value > 0 else 'loses'} in {distance}"
    headline(page, words)
    best = page.locator(".lines li").first.locator(".move").first.text_content()
    assert state.string_to_action(best) in solution.best_actions(state)


def test_analysis_finds_a_win_of_a_nested_game_and_goes_on_from_its_lines(server, page):
    position = "X1O1O4/1X1X1X1O1/2X3XXX/2OO3O1/X1O3O1X/2O1OXX2/2O3OXX/X1O1X4/X1OO2O1O p0 block=8"
    analysed(page, f"{server.base}/analyse?game=ultimate&position={position}")
    headline(page, "X wins in")
    page.locator(".lines li").first.locator(".move").nth(1).click()
    assert len(moves(page, 2)) == 2
    page.wait_for_url("**play=8%2C7**")  # the address is that of this position


def test_variations_survive_a_reload_and_back_goes_through_positions(server, page):
    analysed(page, f"{server.base}/analyse?game=classic&play=4 0")
    page.locator(".moves .move").first.click()
    place(page, 1)
    assert moves(page, 3) == ["4", "0", "1"]
    note = page.get_by_label("Comment on this position")
    note.fill("an edge loses")
    note.press("Enter")
    page.locator(".moves .comment", has_text="an edge loses").wait_for()
    page.reload()
    assert moves(page, 3) == ["4", "0", "1"]
    expect(page.locator(".variations .text")).to_have_text(["1"])
    page.locator(".variations .move.tone-1").wait_for()  # the server sends who moved
    expect(page.locator(".comment")).to_have_text("an edge loses")
    page.locator('.moves [aria-current]:has-text("1")').wait_for()
    page.go_back()
    page.locator('.moves [aria-current]:has-text("4")').wait_for()
    page.go_forward()
    page.locator('.moves [aria-current]:has-text("1")').wait_for()
    page.get_by_role("button", name="Make main line").click()
    expect(page.locator(".variations .text")).to_have_text(["0"])
    page.get_by_role("button", name="Delete from here").click()
    page.locator(".comment").wait_for(state="detached")
    expect(page.locator(".moves .text")).to_have_text(["4", "0"])


def test_arrow_keys_step_after_a_click_on_the_board_and_walk_after_tab(server, page):
    analysed(page, f"{server.base}/analyse?game=classic&play=4")
    place(page, 0)
    moves(page, 2)
    page.keyboard.press("ArrowLeft")
    page.locator('.moves [aria-current]:has-text("4")').wait_for()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.cell") == "3"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") == "4"


def test_positions_can_be_pasted_and_corrected(server, page):
    analysed(page, f"{server.base}/analyse?game=classic&play=4 0")
    field, best = page.get_by_label("Position", exact=True), page.locator(".lines li")
    field.fill("XX./OO./... p0")
    best.nth(2).wait_for()
    page.get_by_role("combobox", name="Lines").select_option("1")
    best.nth(1).wait_for(state="detached")
    assert field.input_value() == "XX./OO./... p0"  # answers came meanwhile, and none overwrote it
    page.get_by_role("button", name="Set", exact=True).click()
    headline(page, "X wins in 1")
    expect(page.locator(".evaluation .worth")).to_have_text("+1")
    page.get_by_role("button", name="Threats").click()
    expect(page.locator(".board .threat")).to_have_count(1)
    field.fill("nonsense")
    page.get_by_role("button", name="Set", exact=True).click()
    page.locator(".toast", has_text="is not a position of classic").wait_for()
    page.wait_for_url("**/analyse?game=classic")  # another position is shown, and the text can be corrected
    assert field.input_value() == "nonsense"
    place(page, 4)
    page.wait_for_url("**play=4")
    page.locator('.moves [aria-current]:has-text("4")').wait_for()
    expect(field).to_have_value(".../.X./... p1")
    expect(page.locator(".board .arrow")).to_have_count(1)


def test_keys_settings_and_the_other_side_of_the_board(server, page):
    sit_down(server, page, "classic", "screen")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    left = cell(page, 0).bounding_box()["x"]
    page.keyboard.press("f")
    assert cell(page, 0).bounding_box()["x"] > left
    assert cell(page, 8).bounding_box()["x"] == left
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Choose a cell twice to play it").check()
    page.get_by_role("dialog").get_by_role("combobox").first.select_option("ink")
    page.mouse.click(5, 5)  # outside of the dialog
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.evaluate("document.documentElement.dataset.board") == "ink"
    place(page, 4)
    page.locator(".board-note", has_text="Choose the cell again to play it").wait_for()
    assert page.locator(".moves .move").count() == 0
    place(page, 4)
    assert moves(page, 1) == ["4"]


def test_a_replay_that_is_sent_is_stepped_through_and_taken_along(server, page, tmp_path):
    from noughts.matches.record import GameRecord
    from noughts.matches.replays import from_json, to_json
    from noughts.sandbox import Fault

    record = GameRecord(
        noughts.load_game("classic"), ("<b>evil</b>", "team 7"), moves=[4, 0, 8], seconds=[0.1, 2.5, 0.2]
    )
    record.prints = {1: "<img src=x onerror=alert(1)>"}
    record.end_by_fault(1, Fault("crash", "crashed: <script>alert(1)</script>"))
    file = tmp_path / "game.json"
    file.write_text(to_json(record))
    page.goto(f"{server.base}/replay")
    page.locator("#file").set_input_files(file)
    page.locator(".curve .line").wait_for(state="attached")
    page.keyboard.press("End")
    page.locator(".player.them .lost", has_text="forfeit").wait_for()
    expect(page.locator(".player.us .name")).to_have_text("<b>evil</b>")
    page.locator(".fault", has_text="<script>alert(1)</script>").wait_for()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".said")).to_have_text("<img src=x onerror=alert(1)>")
    page.get_by_role("button", name="Save").click()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Replay file").wait_for(state="hidden")
    page.get_by_role("button", name="Save").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Replay file").click()
    again = from_json(download.value.path().read_text())
    assert (again.moves, again.reason) == ([4, 0, 8], "crash")
    for kind, start in (("gif", b"GIF89a"), ("svg", b"<svg"), ("log", b"Tic-Tac-Toe")):
        number = page.url.partition("number=")[2]
        assert server.http.get(f"/api/replays/upload/{number}/{kind}").content.startswith(start)


def test_a_puzzle_is_solved_and_its_solution_played_out(server, page):
    number = next(one["number"] for one in server.http.get("/api/puzzles").json() if one["game"] == "ultimate")
    some = int(next(iter(server.http.get(f"/api/puzzles/{number}").json()["view"]["moves"])))
    answer = server.http.post(f"/api/puzzles/{number}", json={"move": f"{some // 9},{some % 9}"})
    solution = answer.json()
    page.goto(f"{server.base}/puzzles?number={number}")
    page.locator(".task", has_text="Find the move that wins").wait_for()
    row, col = map(int, solution["line"][0].split(","))
    place(page, row * 9 + col)
    page.locator(".task", has_text="Solved").wait_for()
    expect(page.locator(".streak b")).to_have_text("1")
    expect(page.locator(".moves .text")).to_have_text(solution["line"])
    page.keyboard.press("End")
    page.locator(".board-lines path").wait_for(state="attached")


@pytest.mark.parametrize(
    ("width", "height", "touch", "least"),
    [
        (390, 844, True, 370),
        (768, 1024, True, 700),
        (844, 390, True, 300),
        (1024, 768, False, 560),
        (1920, 1080, False, 900),
    ],
)
def test_the_board_fits_every_screen_and_a_mouse_plays_with_one_click(server, browser, width, height, touch, least):
    with opened(browser, viewport={"width": width, "height": height}, has_touch=touch, is_mobile=touch) as page:
        sit_down(server, page, "extreme", "screen")
        box = page.locator(".stage .board-frame").bounding_box()
        assert least <= box["width"] <= width
        assert box["y"] + box["height"] <= height
        if not touch:
            place(page, 5)
            assert moves(page, 1) == ["0,5"]


def test_a_game_is_reviewed_and_tried_again_from_before_a_mistake(server, page):
    made = server.new_game("classic", "screen")
    for move in ("4", "1", "0", "2", "8"):
        assert server.http.post(f"/api/play/{made['id']}/moves", json={"key": made["key"], "move": move}).is_success
    page.goto(f"{server.base}/game/{made['id']}#key={made['key']}")
    page.get_by_role("link", name="Review").click()
    page.locator(".accuracy b").nth(1).wait_for()
    expect(page.locator(".accuracy b")).to_have_text(["100%", "0%"])
    mistake = page.locator(".slips li").first
    assert "allowed a win" in mistake.text_content()
    mistake.get_by_role("button", name="Try again from here").click()
    page.wait_for_url("**/game/*")
    assert moves(page, 1) == ["4"]
    headline(page, "Your move")
    page.goto(server.base)
    page.locator(".own li", has_text="Your move, 1 move").get_by_role("link", name="Resume").click()
    headline(page, "Your move")
    page.goto(f"{server.base}/game/nosuch")
    page.get_by_role("heading", name="Game not found").wait_for()


@contextmanager
def elsewhere(html):
    """Somebody else's page, at another address."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *arguments):
            return

    with HTTPServer(("127.0.0.1", 0), Page) as other:
        thread = threading.Thread(target=other.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{other.server_port}/"
        other.shutdown()
        thread.join()


def test_a_board_in_another_page_and_nothing_else_of_ours(server, page):
    paths = ("/embed?game=extreme&play=3,7+13,12", "/")
    with elsewhere("".join(f'<iframe src="{server.base}{path}"></iframe>' for path in paths)) as address:
        page.goto(address)
        inside = page.frame_locator("iframe >> nth=0")
        inside.locator(".board-spot").first.wait_for()
        expect(inside.locator(".board-cells .mark")).to_have_count(2)
        assert page.frame_locator("iframe >> nth=1").locator(".pick").count() == 0


VIEWS = [
    "/",
    "/learn?game=extreme",
    "game",
    "/analyse?game=ultimate",
    "/replay",
    "/puzzles?number=40",
    "/watch",
    "/api",
]


@pytest.mark.parametrize(("width", "scheme", "views"), [(1280, "light", VIEWS), (360, "dark", VIEWS[2:4])])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(server, browser, width, scheme, views):
    with opened(browser, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True) as page:
        for view in views:
            if view == "game":
                sit_down(server, page, "ultimate", "screen")
            else:
                page.goto(server.base + view)
                page.locator("h1").first.wait_for(state="attached")
            assert (view, violations(page)) == (view, [])
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("button", name="Settings").click()
        assert violations(page) == []
