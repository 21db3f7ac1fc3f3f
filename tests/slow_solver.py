"""Flat games once more, by plain recursion with dictionaries and rules of its own, to check the solver against.

A position is a tuple of marks (numbers from 0) and None, one for each cell. It reads the facts of a record and nothing
else of the package.
"""


class SlowSolver:
    def __init__(self, rules):
        self.rules = rules
        self.results = {}  # position -> (value, distance) for the player to move or next to move
        self.start = (None,) * rules.cells

    def mover(self, cells):
        return sum(mark is not None for mark in cells) % 2

    def moves(self, cells):
        """(action, position after it)"""
        rules = self.rules
        own = [rules.marks.index(mark) for mark in rules.places[self.mover(cells)]]
        if rules.once:
            own = [mark for mark in own if mark not in cells]
        single = all(len(places) == 1 for places in rules.places)
        for cell, there in enumerate(cells):
            if there is None:
                for mark in own:
                    action = cell if single else cell * len(rules.marks) + mark
                    yield action, (*cells[:cell], mark, *cells[cell + 1 :])

    def has_line(self, cells):
        for line in self.rules.lines:
            marks = [cells[cell] for cell in line]
            if None in marks:
                continue
            wanted = self.rules.line_sum
            if sum(mark + 1 for mark in marks) == wanted if wanted is not None else len(set(marks)) == 1:
                return True
        return False

    def end(self, cells):
        """None, or how the game ended for the player who would be next: 1, 0 or -1."""
        if self.has_line(cells):
            return 1 if self.rules.misere else -1
        return None if any(True for _ in self.moves(cells)) else 0

    def result(self, cells):
        if cells not in self.results:
            end = self.end(cells)
            if end is not None:
                self.results[cells] = (end, 0)
            else:
                after = [self.result(child) for _, child in self.moves(cells)]
                best = max(-value for value, _ in after)
                distances = [1 + distance for value, distance in after if -value == best]
                self.results[cells] = (best, min(distances) if best > 0 else max(distances))
        return self.results[cells]

    def values(self, cells):
        """action -> value for the player who makes it"""
        return {action: -self.result(child)[0] for action, child in self.moves(cells)}

    def text(self, cells):
        rules = self.rules
        marks = "".join("." if mark is None else rules.marks[mark] for mark in cells)
        rows = [marks[i : i + rules.side] for i in range(0, len(marks), rules.side)]
        return "/".join(rows) + (" end" if self.end(cells) is not None else f" p{self.mover(cells)}")

    def agent_value(self, cells, player, rewards, discount, seen):
        """The best expected return of an agent to move against uniformly random replies."""
        if cells not in seen:
            returns = []
            for _, after in self.moves(cells):
                returns.append(self.step_value(after, player, rewards, discount, seen))
            seen[cells] = max(returns)
        return seen[cells]

    def step_value(self, after, player, rewards, discount, seen):
        """The expected return of a step whose reply is to come."""
        ended = self.reward(after, player, rewards)
        if ended is not None:
            return ended
        total, count = 0.0, 0
        for _, cells in self.moves(after):
            ended = self.reward(cells, player, rewards)
            if ended is None:
                ended = rewards["step"] + discount * self.agent_value(cells, player, rewards, discount, seen)
            total, count = total + ended, count + 1
        return total / count

    def reward(self, cells, player, rewards):
        end = self.end(cells)
        if end is None:
            return None
        mine = end if self.mover(cells) == player else -end
        return {1: rewards["win"], 0: rewards["draw"], -1: rewards["loss"]}[mine]
