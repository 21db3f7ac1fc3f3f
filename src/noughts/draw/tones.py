"""Which marks share a colour. A tone is a small number; text and pictures have a palette each.

Blue and vermilion for the players, then green and purple: hues that people with any common colour blindness tell apart.
"""

from __future__ import annotations

from noughts.rules.spec import Rules

TONES = 4


def mark_tone(rules: Rules, mark: int) -> int:
    """A mark that only one player places has that player's tone; marks that both place have tones of their own."""
    owners = [player for player in (0, 1) if rules.marks[mark] in rules.places[player]]
    if len(owners) == 1:
        return owners[0]
    all_shared = set(rules.places[0]) == set(rules.places[1])
    return (mark if all_shared else mark + 2) % TONES
