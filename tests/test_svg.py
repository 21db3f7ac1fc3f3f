"""Boards as pictures: well formed, self-contained, and with everything that matters on them."""

import re
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from dataclasses import replace

import pytest
from boards import EVERY_GAME, SVG, empty_cells, every_game, first_state, load, parts, play, sample
from conftest import NESTED, random_state
from hypothesis import given, settings
from hypothesis import strategies as st

import noughts
from noughts import draw
from noughts.games.wild import RULES as WILD
from noughts.rules.view import SECOND


@every_game
def test_a_picture_is_one_self_contained_file(name):
    for state in sample(name):
        for dark in (False, True):
            picture = draw.svg(state.view(), dark=dark)
            root = ElementTree.fromstring(picture)
            x, y, width, height = map(float, root.attrib["viewBox"].split())
            assert (x, y) == (0, 0)
            assert (float(root.attrib["width"]), float(root.attrib["height"])) == (width, height)
            assert root[0].tag == f"{SVG}title"
            assert root[0].text == f"{state.game.rules.title}. {draw.status(state.view())}"
            assert picture.count("http") == 1, "the name space, and nothing to load"
            assert not re.search(r"<(script|style|image|use)|href|url\(", picture)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(EVERY_GAME), st.integers(0, 999), st.text("<>&\"'+-=½∞1", min_size=1, max_size=3))
def test_a_picture_of_any_position_shows_any_label(name, seed, label):
    state = random_state(load(name), seed)
    picture = draw.svg(state.view(), dark=seed % 2 == 1, labels=dict.fromkeys(empty_cells(state), label))
    assert state.is_terminal() or label in [element.text for element in parts(picture, "text")]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=4))
def test_any_text_is_a_label_or_refused(label):
    view = play("wild").view()
    with suppress(ValueError):
        assert label in [element.text for element in parts(draw.svg(view, labels={4: label}), "text")]
        assert label in draw.text(view, labels={4: label})


def test_a_strange_title_does_no_harm():
    game = noughts.Game(replace(WILD, title="<a> & b"))
    assert parts(game.new_initial_state().to_svg(), "title")[0].text.startswith("<a> & b. first player")


def test_everything_drawn_lies_inside_the_picture():
    for name in EVERY_GAME:
        state = sample(name)[-1]
        root = ElementTree.fromstring(draw.svg(state.view()))
        width, height = (float(root.attrib[side]) for side in ("width", "height"))
        for element in root.iter():
            for x, y in re.findall(r"[ML](\S+?) ([\d.]+)", element.attrib.get("d", "")):
                assert 0 <= float(x) <= width
                assert 0 <= float(y) <= height
            for key, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                assert 0 <= float(element.attrib.get(key, 0)) <= limit


def test_x_is_two_strokes_and_o_a_circle_and_a_number_a_text():
    picture = draw.svg(play("classic", "0", "4").view())
    assert len(parts(picture, "circle")) == 1
    crosses = [path for path in parts(picture, "path") if path.attrib["stroke"] == "#0072b2"]
    assert [path.attrib["d"].count("M") for path in crosses] == [2]
    texts = [element.text for element in parts(draw.svg(play("numerical", "7@4").view()), "text")]
    assert "7" in texts


def test_playable_blocks_are_tinted_in_the_colour_of_the_mover():
    state = play("xtreme", "1:4,4")
    tinted = [rect for rect in parts(draw.svg(state.view()), "rect") if rect.attrib.get("fill") == "#d55e00"]
    assert len(tinted) == len(state.view().playable) == 2


@pytest.mark.parametrize("name", NESTED)
def test_a_won_block_carries_one_large_mark(name):
    state = first_state(name, lambda view: view.owners.count(SECOND) == 1)
    radii = [float(circle.attrib["r"]) for circle in parts(draw.svg(state.view()), "circle")]
    assert radii.count(max(radii)) == 1
    assert max(radii) > 3 * min(radii)


def test_only_a_decided_game_is_struck_through():
    def strikes(state):
        picture = draw.svg(state.view())
        return [path.attrib["d"] for path in parts(picture, "path") if path.attrib["stroke"] == "#1f2328"]

    assert strikes(play("classic", "0", "3", "1", "4")) == []
    assert len(strikes(play("classic", "0", "3", "1", "4", "2"))) == 1
    assert len(strikes(play("classic", "0", "1", "2", "5", "6", "3", "8", "7", "4"))) == 2, "one move, two lines"
    diamond = first_state("three-marks", lambda view: view.reason == "line")
    assert strikes(diamond)[0].endswith("Z"), "a diamond is a closed line"


def test_a_mark_is_still_seen_under_a_line_along_its_stroke():
    paths = parts(draw.svg(play("classic", "0", "1", "4", "2", "8").view()), "path")
    widths = {path.attrib["stroke"]: float(path.attrib["stroke-width"]) for path in paths}
    assert widths["#1f2328"] < widths["#0072b2"] / 2
    assert "#ffffff" not in widths


def test_cells_are_highlighted_and_arrows_point_from_cell_to_cell():
    state = noughts.load_game("classic").from_string("X../.O./... p0")
    plain = state.to_svg()
    drawn = state.to_svg(highlight=[2, 8], arrows=[(2, 6)], labels={2: "W3"})
    assert drawn.count("<rect") == plain.count("<rect") + 2
    assert drawn.count("<path") == plain.count("<path") + 2
    assert ">W3<" in drawn
    for wrong in ({"highlight": [9]}, {"arrows": [(0, -1)]}):
        with pytest.raises(ValueError, match="there is no cell"):
            state.to_svg(**wrong)
