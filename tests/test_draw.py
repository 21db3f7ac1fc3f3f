"""Boards as text: what a person must be able to see on them."""

import re
import unicodedata
from pathlib import Path

import pytest
from boards import empty_cells, every_game, first_state, load, play, sample
from conftest import GAMES, NESTED, SMALL, golden, random_state

import noughts
from noughts import draw
from noughts.draw._text import JUNCTIONS
from noughts.rules.geometry import place_of
from noughts.rules.view import DRAWN, OPEN

DRAWINGS = Path(__file__).parent / "drawings"


def last_line(picture):
    return picture.splitlines()[-1]


def board_of(picture):
    return picture.splitlines()[:-2]


@pytest.mark.parametrize("name", GAMES)
def test_drawings_have_not_changed(name):
    """The first line of a drawing's file has the moves; then come the board in ASCII and in Unicode."""
    moves, _, boards = golden(DRAWINGS / f"{name}.txt").partition("\n\n")
    view = play(name, *moves.split()).view()
    assert f"{draw.text(view, unicode=False)}\n\n{draw.text(view)}\n" == boards


@every_game
def test_a_board_fits_a_terminal_and_its_frame_is_straight(name):
    rules = load(name).rules
    heads = rules.nested + (rules.boards > 1)
    for state in sample(name):
        for unicode in (False, True):
            picture = draw.text(state.view(), unicode=unicode)
            assert max(map(len, picture.splitlines())) <= 80
            assert not any(line.endswith(" ") for line in picture.splitlines())
            *boards, _status = picture.split("\n\n")
            for board in boards:
                assert len({len(line) for line in board.splitlines()[heads:]}) == 1


@every_game
def test_ascii_unicode_and_colour_show_the_same_board(name):
    for state in sample(name):
        view = state.view()
        plain, fine = draw.text(view, unicode=False), draw.text(view)
        assert plain.isascii()
        assert [len(line) for line in plain.splitlines()] == [len(line) for line in fine.splitlines()]
        coloured = draw.text(view, colour=True)
        assert coloured != fine
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == fine


@every_game
def test_one_sees_where_one_may_play(name):
    for state in sample(name):
        cells = {action // state.game.rules.choices for action in state.legal_actions()}
        board = "\n".join(board_of(str(state)))
        if state.game.rules.nested:
            assert board.count(".") == len(cells)
        else:
            sign = "@" if state.game.rules.marks.isdigit() else " "
            assert all(re.search(rf"{sign}{cell} ", board) for cell in cells)


@every_game
def test_the_last_move_stands_in_brackets(name):
    for state in sample(name):
        found = re.findall(r"\[(.)\]", "\n".join(board_of(str(state))))
        if not state.history():
            assert found == []
            continue
        view = state.view()
        assert len(found) == 1
        if not view.rules.nested or view.owners[place_of(view.rules, view.last).block] == OPEN:
            assert found == [view.rules.marks[view.cells[view.last]]]


def test_the_last_move_cuts_no_hole_into_a_large_mark():
    state = play("ultimate", *"0,0 1,1 3,4 0,3 1,0 3,0 2,0".split())
    lines = draw.text(state.view()).splitlines()
    assert [line[4:13] for line in lines[2:5]] == [" ▀█▄ ▄█▀ ", "   ███   ", "[▄]▀ ▀█▄ "]


def test_boards_that_do_not_fit_side_by_side_are_stacked():
    view = play("xtreme", "1:4,4").view()
    for width, most, captions in ((80, 80, 1), (71, 71, 1), (70, 70, 2), (40, 62, 2)):
        lines = draw.text(view, width=width).splitlines()
        assert max(map(len, lines)) <= most
        assert sum(bool(re.search(r"board \d", line)) for line in lines[:-1]) == captions


@pytest.mark.parametrize("name", SMALL)
def test_a_position_without_a_history_has_no_last_move(name):
    state = random_state(noughts.load_game(name), 11)
    assert "[" not in str(state.game.from_string(state.to_string()))


def test_printing_a_state_gives_plain_ascii(game):
    state = random_state(game, 5)
    assert str(state) == draw.text(state.view(), unicode=False)


def test_thick_lines_are_around_the_destined_block():
    lines = str(play("ultimate", "4,4", "3,5")).splitlines()
    assert lines[1] == "   +---------+---------#=========#"
    assert lines[2] == " 0 |         |         # .  .  . #"
    assert lines[5] == "   +---------+---------#=========#"
    assert "#" not in "".join(lines[6:])


def test_thick_lines_are_around_the_line_that_decided():
    assert str(play("classic", "0", "3", "4", "5", "8")) == "\n".join(
        [
            "#===#---+---+",
            "# X # 1 | 2 |",
            "#===#===#---+",
            "| O # X # O |",
            "+---#===#===#",
            "| 6 | 7 #[X]#",
            "+---+---#===#",
            "",
            "X wins with the line 0 4 8",
        ]
    )


def test_lines_join_as_unicode_names_the_joints():
    """A name is "LIGHT DOWN AND RIGHT", or has parts such as "RIGHT UP HEAVY AND LEFT DOWN LIGHT"."""
    ways = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}
    assert len(JUNCTIONS) == 64
    for (arms, heavy), char in JUNCTIONS.items():
        words = unicodedata.name(char).removeprefix("BOX DRAWINGS ").replace(" AND", "").split()
        if words[0] in ("LIGHT", "HEAVY"):
            words = [*words[1:], words[0]]
        named, pending = {"LIGHT": set(), "HEAVY": set()}, set()
        for word in words:
            if word in named:
                named[word], pending = named[word] | pending, set()
            else:
                pending |= set(ways[word])
        assert (named["LIGHT"] | named["HEAVY"], named["HEAVY"]) == (arms, heavy)


def test_placed_numbers_and_cell_numbers_look_different():
    assert str(play("numerical", "7@4")).splitlines()[3] == "| @3  | [7] | @5  |"


def test_a_won_block_is_one_large_mark():
    state = load("ultimate").from_string("XXX6/9/9/O8/O8/O8/9/9/9 p0 block=6")
    lines = str(state).splitlines()
    assert [line[4:13] for line in lines[2:5]] == [" XX   XX ", "   XXX   ", " XX   XX "]
    assert [line[4:13] for line in lines[6:9]] == ["  OOOOO  ", " OO   OO ", "  OOOOO  "]
    lines = draw.text(state.view()).splitlines()
    assert [line[4:13] for line in lines[2:5]] == [" ▀█▄ ▄█▀ ", "   ███   ", " ▄█▀ ▀█▄ "]


def test_a_drawn_block_says_so():
    state = first_state("ultimate", lambda view: DRAWN in view.owners)
    assert ":: draw :" in str(state)
    assert "░░ draw ░" in draw.text(state.view())


@pytest.mark.parametrize(
    ("name", "moves", "status"),
    [
        ("classic", "4", "O to move"),
        ("classic", "0 1 2 4 3 5 7 6 8", "draw: the board is full"),
        ("misere", "0 3 1 5 2", "O wins: X completed the line 0 1 2"),
        ("wild", "X4", "second player to move: X or O"),
        ("wild-misere", "X0 X1 X2", "second player wins: first player completed the line 0 1 2"),
        ("numerical", "5@4", "second player to move: 2, 4, 6 or 8"),
        ("numerical", "5@4 8@0 1@1 2@8", "second player wins with the line 0 4 8 (8 + 5 + 2 = 15)"),
        ("ultimate", "", "X to move: anywhere, the first move is free"),
        ("ultimate", "4,4 3,5", "X to move: block 2 (rows 0-2, columns 6-8)"),
        ("xtreme", "1:4,4", "O to move: block 4 of both boards (rows 3-5, columns 3-5)"),
    ],
)
def test_the_line_under_the_board_says_whose_move_it_is_or_how_it_ended(name, moves, status):
    assert last_line(str(play(name, *moves.split()))) == status


def test_a_bonus_move_and_an_open_move_are_called_so():
    bonus = first_state("extreme", lambda view: view.bonus and len(view.playable) == 1)
    assert re.fullmatch(r"[XO] has a bonus move: block \d+ \(rows \d+-\d+, columns \d+-\d+\)", last_line(str(bonus)))
    unbound = first_state("ultimate", lambda view: view.sent is not None and len(view.playable) > 1)
    assert re.fullmatch(r"[XO] to move: any open block \(open move: block \d+ is closed\)", last_line(str(unbound)))
    one_board = first_state("xtreme", lambda view: view.sent is not None and len(view.playable) == 1)
    board = next(iter(one_board.view().playable)) // 9
    assert f" of board {board} only (rows" in last_line(str(one_board))


def test_an_end_by_points_shows_the_points():
    state = first_state("extreme", lambda view: view.reason == "full")
    points = state.outcome().points
    assert last_line(str(state)) == f"no line, every block is closed: X has {points[0]} and O has {points[1]} points"


@every_game
def test_labels_stand_in_empty_cells(name):
    state = sample(name)[2]
    labels = {cell: "+-="[cell % 3] + "1" for cell in empty_cells(state)}
    plain = draw.text(state.view(), unicode=False, labels=labels)
    assert max(map(len, plain.splitlines())) <= 80
    if set(state.view().owners) == {OPEN}:
        found = re.findall(r"[-+=]1(?= |\|)", "\n".join(board_of(plain)))
        assert sorted(found) == sorted(labels.values())


@pytest.mark.parametrize("name", NESTED)
def test_the_widest_labels_fit(name):
    state = play(name)
    picture = draw.text(state.view(), labels=dict.fromkeys(empty_cells(state), "+12"))
    assert max(map(len, picture.splitlines())) <= 80
    assert picture.count("+12 ") == len(empty_cells(state))


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ({9: "a"}, "there is no cell 9"),
        ({4: "a"}, "holds a mark"),
        ({0: ""}, "1 to 3"),
        ({0: "four"}, "1 to 3"),
        ({0: "a\n"}, "printable"),
        ({0: "\x1b"}, "printable"),
        ({0: "漢"}, "printable"),
    ],
)
def test_labels_that_would_break_the_board_are_refused(labels, complaint):
    view = play("classic", "4").view()
    for picture in (draw.text, draw.svg):
        with pytest.raises(ValueError, match=complaint):
            picture(view, labels=labels)


def test_ascii_boards_take_ascii_labels_only():
    view = play("classic").view()
    assert "½" in draw.text(view, labels={0: "½"})
    with pytest.raises(ValueError, match="ASCII"):
        draw.text(view, unicode=False, labels={0: "½"})
