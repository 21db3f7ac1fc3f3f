"""A function of our own interface, which searches two moves deep."""


def choose(state, clock):
    assert 0 < clock.remaining() <= clock.seconds
    player = state.current_player()
    best, worth = None, -2.0
    for action in state.legal_actions():
        after = state.child(action)
        value = after.returns()[player]
        for reply in after.legal_actions():
            after.apply_action(reply)
            value = min(value, after.returns()[player])
            after.undo_action()
        if value > worth:
            best, worth = action, value
    return best
