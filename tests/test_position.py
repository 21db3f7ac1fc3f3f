"""Positions set up by hand: possible ones are taken, impossible ones refused with the reason."""

import pytest

import noughts

NINE = "/".join(["9"] * 8)
EIGHT = "/".join(["9"] * 7)
SIXTEEN = "/".join(["16"] * 15)
BONUS = "9/5O3/9/9/9/9/9/9/9|9/2O6/9/6XXX/9/9/9/9/9 p0 block=2 bonus"


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("classic", "XO./.X./... p1"),
        ("classic", "XXX/XOO/XOO end"),  # one last mark completed both lines
        ("classic", "XOX/XOX/OXO end"),
        ("wild", "XXX/.../... end"),
        ("wild", "XX./XX./... p0"),
        ("numerical", "5../..6/... p0"),
        ("numerical", "942/.../..1 end"),
        ("ultimate", f"9/9/9/9/4X4/{'/'.join(['9'] * 4)} p1 block=4"),
        ("xtreme", BONUS),
    ],
)
def test_possible_positions_are_taken(name, position):
    assert noughts.load_game(name).from_string(position).to_string() == position


@pytest.mark.parametrize(
    ("name", "position", "why"),
    [
        ("classic", "XX./.../... p1", "wrong number of marks"),
        ("classic", "XO./.../... p1", "player 1 cannot be to move"),
        ("classic", "XXX/OO./... p1", "the game is over"),
        ("classic", "XX./OO./... end", "the game is not over"),
        ("classic", "XXX/OOO/... end", "play continued"),
        ("classic", "XXX/OOO/X.. end", "play continued"),
        ("classic", "XXX/OO./... p0 block=1", "no destined block"),
        ("wild", "XXX/OOO/... end", "play continued"),
        ("numerical", "55./.../... p0", "twice"),
        ("numerical", "2../.../... p1", "wrong number of marks"),
        ("numerical", "13./.../... p0", "wrong number of marks"),
        ("ultimate", f"9/{NINE} p1", "wrong number of marks"),
        ("ultimate", f"9/{NINE} p0 block=4", "no move has been made"),
        ("ultimate", f"X8/{NINE} p1", "give the block's number"),
        ("ultimate", f"X8/{NINE} p1 block=4", "cannot be destined"),
        ("ultimate", f"X8/{NINE} p1 block=9", "there is no block 9"),
        ("ultimate", f"X8/{NINE} p0 block=0", "wrong number of marks"),
        ("ultimate", f"XXX6/3OO4/{EIGHT} p0 block=0 bonus", "no bonus moves"),
        ("ultimate", f"XXXOOO3/OOO6/{EIGHT} p0 block=0", "lines of both players"),
        ("ultimate", f"XXX6/XXX3OOO/6OOX/{'/'.join(['9'] * 6)} p0 block=0", "after it was won"),
        ("xtreme", BONUS.replace("p0 block=2 bonus", "p1 block=2"), "wrong number of marks"),
        ("xtreme", BONUS.replace("block=2", "block=4"), "cannot be destined"),
        ("xtreme", f"9/{NINE}|9/{NINE} end", "the game is not over"),
        ("extreme", f"XXXX12/{SIXTEEN} p1 block=3", "wrong number of marks"),
        # The only X in a cell 7 is in a block that O won, so it was not the last mark there.
        ("ultimate", "OOO6/9/1X7/X2X2X2/9/9/9/9/9 p1 block=7", "cannot be destined"),
        # One block won and one bonus move made: the last move is the bonus move, not the one that won.
        ("xtreme", f"XXX4X1/3O5/{EIGHT}|4O4/{NINE} p1 block=2", "cannot be destined"),
        # Three blocks won, but the one that ended the game gave no bonus.
        ("xtreme", f"XXXXXXXXX/O1O1O1O1O/{EIGHT}|9/{NINE} end", "wrong number of marks"),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(name, position, why):
    with pytest.raises(noughts.PositionError, match=why):
        noughts.load_game(name).from_string(position)


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("", "needs the cells"),
        (".../.../...", "needs the cells"),
        (".../... p0", "2 rows"),
        ("..../.../... p0", "4 cells"),
        ("..Z/.../... p0", "is not a mark"),
        (".../.../... x", "p0 or p1, or end"),
        (".../.../... p0 p0", "out of place"),
        (".../.../...|.../.../... p0", "2 boards"),
        (".../.../... p٠", "ASCII"),
    ],
)
def test_texts_that_are_no_positions_are_refused(position, why):
    with pytest.raises(ValueError, match="is not a position of classic") as refusal:
        noughts.load_game("classic").from_string(position)
    assert why in str(refusal.value)
    assert "'.../.../... p0' for the start" in str(refusal.value)


def test_the_players_take_turns_from_a_position_too():
    state = noughts.load_game("xtreme").from_string(BONUS)
    state.apply_action(state.legal_actions()[0])
    assert state.current_player() == 1
    assert len(state.history()) == 1
    state.undo_action()
    assert state.view().bonus
