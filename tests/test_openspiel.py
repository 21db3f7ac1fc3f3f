"""Random games agree with OpenSpiel, move by move, where it has the same game."""

import random

import pytest

import noughts

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")


def test_classic_agrees_with_openspiel():
    theirs_game, ours_game = pyspiel.load_game("tic_tac_toe"), noughts.load_game("classic")
    choose = random.Random(1)
    for _ in range(200):
        theirs, ours = theirs_game.new_initial_state(), ours_game.new_initial_state()
        while not ours.is_terminal():
            assert ours.legal_actions() == theirs.legal_actions()
            assert ours.current_player() == theirs.current_player()
            action = choose.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
        assert theirs.is_terminal()
        assert ours.returns() == theirs.returns()
        assert ours.current_player() == theirs.current_player() == noughts.TERMINAL
        assert ours.legal_actions() == theirs.legal_actions()


def test_ultimate_agrees_with_openspiel():
    """OpenSpiel names a board first where there is a choice, then a cell; we name the cell."""
    theirs_game, ours_game = pyspiel.load_game("ultimate_tic_tac_toe"), noughts.load_game("ultimate")
    choose = random.Random(2)
    for _ in range(50):
        theirs, ours = theirs_game.new_initial_state(), ours_game.new_initial_state()
        while not ours.is_terminal():
            blocks = {}
            for action in ours.legal_actions():
                row, col = divmod(action, 9)
                blocks.setdefault(row // 3 * 3 + col // 3, {})[row % 3 * 3 + col % 3] = action
            block = choose.choice(sorted(blocks))
            if "Forced board: any" in str(theirs):
                assert theirs.legal_actions() == sorted(blocks)
                theirs.apply_action(block)
            assert sorted(blocks[block]) == theirs.legal_actions()
            cell = choose.choice(sorted(blocks[block]))
            ours.apply_action(blocks[block][cell])
            theirs.apply_action(cell)
        assert theirs.is_terminal()
        assert ours.returns() == theirs.returns()
