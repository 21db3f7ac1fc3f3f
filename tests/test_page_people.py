"""Games between people in a real browser: invitations, names, offers, rematches, and a class that needs a token."""

from __future__ import annotations

import pytest
from browsing import expect, headline, in_browser, moves, opened, place

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright")
pytestmark = in_browser
from serving import Server  # noqa: E402


def invited(server, page, game="classic"):
    """Begins a game as Ann; returns the link for the other player."""
    page.goto(f"{server.base}/?game={game}")
    page.get_by_label("Opponent").select_option("link")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Play", exact=True).click()
    return page.get_by_label("Link for the other player").input_value()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def says(page, text):
    page.locator(".invite p", has_text=text).wait_for()


def test_two_people_see_who_is_who_offer_and_accept(server, browser):
    with opened(browser) as ann, opened(browser) as bob:
        address = invited(server, ann)
        ann.locator(".player.them .away", has_text="absent").wait_for()
        bob.goto(address)
        bob.get_by_label("Your name").fill("Bob")
        press(bob, "Set my name")
        ann.locator(".player.them .name", has_text="Bob").wait_for()
        expect(ann.locator(".away")).to_have_count(0)
        expect(ann.get_by_label("Link for the other player")).to_be_hidden()
        expect(bob.locator(".player .name")).to_have_text(["Ann", "You"])
        headline(bob, "Ann is thinking")
        expect(bob).to_have_title("Tic-Tac-Toe: noughts")
        expect(ann).to_have_title("Your move: Tic-Tac-Toe")
        place(ann, 4)
        headline(bob, "Your move")
        expect(bob).to_have_title("Your move: Tic-Tac-Toe")
        press(ann, "Undo")
        says(ann, "You asked to take a move back.")
        says(bob, "Ann asks to take a move back.")
        press(bob, "Accept")
        headline(ann, "Your move")
        press(bob, "Ask for hints")
        says(ann, "Bob asks for hints, for both of you.")
        press(ann, "Decline")
        bob.locator(".invite p").wait_for(state="hidden")
        press(bob, "Offer a draw")
        says(ann, "Bob offers a draw.")
        press(ann, "Accept")
        headline(bob, "Draw by agreement")


def test_an_accepted_swap_of_sides_is_one_and_back_shows_the_finished_game(server, browser):
    with opened(browser) as ann, opened(browser) as bob:
        bob.goto(invited(server, ann))
        first = ann.url
        bob.locator(".player.us .sign", has_text="O").wait_for()
        press(ann, "Resign")
        ann.get_by_role("dialog").get_by_role("button", name="Resign").click()
        headline(ann, "You resigned: O wins")
        headline(bob, "Ann resigned: O wins")
        press(bob, "Swap sides")
        says(ann, "asks for a rematch with sides swapped.")
        press(ann, "Accept")
        for page, mark in ((ann, "O"), (bob, "X")):
            page.wait_for_url(lambda url: url != first)
            page.locator(".player.us .sign", has_text=mark).wait_for()
        ann.go_back()
        headline(ann, "You resigned")
        assert ann.url == first
        ann.get_by_role("link", name="Next game").click()
        ann.locator(".player.us .sign", has_text="O").wait_for()


def test_a_guest_of_a_class_joins_first_and_then_plays(browser, tmp_path):
    arguments = ["--host", "0.0.0.0", "--token", str(tmp_path / "token")]
    classroom = Server(tmp_path, *arguments)
    token, port = (tmp_path / "token").read_text().strip(), classroom.port
    try:
        with opened(browser) as ann, opened(browser) as bob:
            ann.goto(f"{classroom.base}/join#{token}")
            ann.get_by_role("heading", name="Play", exact=True).wait_for()
            address = invited(classroom, ann)
            bob.goto(address)
            bob.locator("#message", has_text="You are invited to a game").wait_for()
            bob.get_by_label("Token").fill(token)
            press(bob, "Join")
            bob.locator(".player.us .sign", has_text="O").wait_for()
            expect(bob).to_have_url(address.partition("#")[0])
            place(ann, 4)
            headline(bob, "Your move")
            classroom.kill()
            bob.locator("body.offline").wait_for()
            classroom = Server(tmp_path, *arguments, "--port", str(port))  # the same token
            bob.locator("body:not(.offline)").wait_for()
            place(bob, 0)
            moves(ann, 2)
            classroom.kill()
            (tmp_path / "token").write_text("another-token\n")
            classroom = Server(tmp_path, *arguments, "--port", str(port))
            bob.locator("#connection", has_text="needs your token again").get_by_role("link", name="join").click()
            bob.get_by_label("Token").fill("another-token")
            press(bob, "Join")
            bob.locator(".player.us .sign", has_text="O").wait_for()
            assert moves(bob, 2) == ["4", "0"]
    finally:
        classroom.stop()
