"""Looks at its clock again and again."""


def choose(state, clock):
    while clock.elapsed() < clock.seconds / 1000:
        assert 0 < clock.remaining() <= clock.seconds
    return state.legal_actions()[0]
