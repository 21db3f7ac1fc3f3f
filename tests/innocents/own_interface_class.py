"""A class of our own interface, with what a state offers."""


class Chooser:
    def __init__(self):
        self.moves = 0

    def choose(self, state, clock):
        self.moves += 1
        assert state.current_player() in (0, 1)
        assert not state.is_terminal()
        assert len(state.history()) == len([mark for mark in state.cells if mark != -1])
        text = state.action_to_string(state.legal_actions()[-1])
        print(state, state.game.name, state.owners, state.sent, state.bonus, state.points(), clock.elapsed())
        return state.string_to_action(text)
