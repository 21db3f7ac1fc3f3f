"""Copies are found however they are dressed up; what everybody has is not held against anybody."""

import json
import random
import re

import pytest
from test_cli import run_command

from noughts.similarity import Code, _compare, compare, page, tokens_of

TEMPLATE = """
import random, copy, time

class {name}:
    def __init__(self):
        self.limit = 15.5
        self.start = 0

    def move(self, board, old_move, flag):
        cells = board.find_valid_move_cells(old_move)
        self.start = time.time()
        return cells[random.randrange(len(cells))]
"""


def written(seed, functions=8, name="Bot"):  # noqa: C901 - a small grammar
    """A bot that nobody else wrote: functions of statements drawn by the seed."""
    draw = random.Random(seed)
    names = [f"{draw.choice(['best', 'worth', 'depth', 'row', 'score', 'cell'])}{n}" for n in range(9)]

    def expression(depth=0):
        kind = draw.randrange(7) if depth < 3 else 0
        one, other = draw.choice(names), draw.choice(names)
        if kind == 0:
            return draw.choice([one, str(draw.randrange(100)), f"self.{one}"])
        if kind == 1:
            return f"{expression(depth + 1)} {draw.choice('+-*/%')} {expression(depth + 1)}"
        if kind == 2:
            return f"{one}[{expression(depth + 1)}]"
        if kind == 3:
            return f"max({expression(depth + 1)}, {other})"
        if kind == 4:
            return f"({expression(depth + 1)} if {one} > {other} else {expression(depth + 1)})"
        if kind == 5:
            return f"self.{one}({expression(depth + 1)})"
        return f"not {one} in [{expression(depth + 1)}, {other}]"

    def block(depth):
        pad, lines = "    " * (depth + 2), []
        for _ in range(draw.randrange(2, 5)):
            kind = draw.randrange(6 if depth < 2 else 3)
            target = draw.choice(names)
            if kind < 2:
                lines.append(f"{pad}{target} {draw.choice(['=', '+=', '-='])} {expression()}")
            elif kind == 2:
                lines.append(f"{pad}self.{target}.append({expression()})")
            elif kind == 3:
                lines += [f"{pad}for {target} in range({expression()}):", *block(depth + 1)]
            elif kind == 4:
                lines += [f"{pad}if {expression()} {draw.choice(['<', '>', '==', '!='])} {target}:", *block(depth + 1)]
            else:
                lines += [f"{pad}while {expression()}:", *block(depth + 1), f"{pad}    break"]
        return lines

    body = []
    for number in range(functions):
        arguments = ", ".join(draw.sample(names, draw.randrange(1, 4)))
        body += [f"    def part{number}(self, {arguments}):", *block(0), f"        return {expression()}", ""]
    return TEMPLATE.format(name=name) + "\n" + "\n".join(body)


def functions_of(text):
    head, *parts = re.split(r"(?m)^(?=    def part)", text)
    return head, parts


def renamed(text):
    dressed = re.sub(r"\b(best|worth|depth|row|score|cell)(\d)\b", r"zz_\1_\2_q", text)
    dressed = dressed.replace("    ", "  ").replace(" = ", "  =  ")
    return re.sub(r"(?m):$", ":  # a comment of my own", dressed)


def reordered(text):
    head, parts = functions_of(text)
    return head + "".join(reversed(parts))


def padded(text, seed=99):
    head, parts = functions_of(text)
    _, others = functions_of(written(seed, functions=len(parts)))
    return head + "".join(part for pair in zip(parts, others, strict=True) for part in pair)


def merged(text, other):
    head, parts = functions_of(text)
    _, more = functions_of(other)
    return head + "".join(parts[: len(parts) // 2] + more[len(more) // 2 :])


CLASS = [Code(f"team{n}", written(n)) for n in range(30)]


def first_pairs(copy, count=1):
    found = compare([*CLASS, Code("copy", copy)])
    return [{pair.first.name, pair.second.name} for pair in found[:count]], found


@pytest.mark.parametrize("dressed", [renamed, reordered, padded, lambda text: reordered(renamed(padded(text)))])
def test_a_copy_stands_first_in_the_list(dressed):
    pairs, found = first_pairs(dressed(CLASS[4].text))
    assert pairs == [{"copy", "team4"}]
    assert found[0].rank > 0.8
    assert found[1].rank < 0.5 * found[0].rank, "nobody else comes near"


def test_a_bot_put_together_from_two_stands_first_with_both():
    pairs, found = first_pairs(merged(CLASS[4].text, CLASS[9].text), count=2)
    assert sorted(map(sorted, pairs)) == [["copy", "team4"], ["copy", "team9"]]
    assert all(pair.rank > 0.3 for pair in found[:2])


def test_only_the_same_text_is_called_the_same():
    text = CLASS[0].text
    others = CLASS[3:8]
    found = {}
    for name, other in {"copy": f"# mine\n{text}", "renamed": renamed(text)}.items():
        pair = next(each for each in compare([Code("mine", text), Code(name, other), *others]) if each.same)
        found[name] = pair.verdict
        assert pair.shares == (1.0, 1.0)
    assert found == {"copy": "the same", "renamed": "the same but for names and values"}


def test_the_page_lists_pairs_in_the_order_that_it_says_and_folds_their_parts():
    pairs = compare([*CLASS[:6], Code("copy", CLASS[0].text)])
    ranks = [pair.rank for pair in pairs]
    assert ranks == sorted(ranks, reverse=True)
    text = page(pairs, 7)
    assert text.count("<details><summary>") == len(pairs) > 1
    assert "<details open" not in text
    assert text.count('href="#pair-1"') == text.count('id="pair-1"') == 1


def test_copies_from_end_to_end_are_called_the_same_even_if_there_are_many():
    copies = [Code(f"copy{n}", renamed(CLASS[1].text)) for n in range(12)]
    found = compare([*CLASS, *copies], top=100)
    same = [pair for pair in found if pair.same]
    assert found[: len(same)] == same
    assert {name for pair in same for name in (pair.first.name, pair.second.name)} == {
        "team1",
        *(c.name for c in copies),
    }


def test_what_everybody_has_is_left_out_by_itself_and_the_template_by_hand():
    strangers = [Code(f"team{n}", TEMPLATE.format(name=f"Team{n}") + f"\n# {n}") for n in range(3)]
    assert all(pair.same for pair in compare(strangers)), "three bots cannot tell what everybody has"
    assert compare(CLASS[:2])[0].longest > 40
    assert all(pair.longest < 40 for pair in compare(CLASS[:2], TEMPLATE.format(name="Bot")))
    everybody = compare(CLASS)
    assert all(pair.longest < 40 for pair in everybody), "31 bots have the template, and nobody copied it"


def test_bots_of_the_past_are_compared_with_those_of_now_only():
    past = [Code(f"old{n}", code.text, past=True) for n, code in enumerate(CLASS[:6])]
    found = compare([*CLASS[6:], *past, Code("now", renamed(CLASS[2].text))])
    assert {found[0].first.name, found[0].second.name} == {"old2", "now"}
    assert not any(pair.first.past and pair.second.past for pair in found)


def test_tokens_know_neither_names_nor_layout_nor_comments():
    one = tokens_of("def f(a):\n    '''What it does.'''\n    return a + 1  # one\n")
    other = tokens_of("def g( bcd ) :\n\treturn bcd+22")
    assert one.kinds.tolist() == other.kinds.tolist()
    assert one.lines(0, len(one.kinds) - 1) == (1, 3)
    assert tokens_of("x = 'a'").kinds.tolist() != tokens_of("x = y").kinds.tolist()
    assert tokens_of("f('''a\n''')").kinds.tolist() == tokens_of("f('b')").kinds.tolist()


@pytest.mark.parametrize(
    "text", ["", "'", '"""' * 9, "'" + "\\" * 50_001, "((((" * 20_000, "\x00\udcff é ` ?", "'''" + "'a" * 40_000]
)
def test_any_text_has_tokens_and_soon(text):
    tokens = tokens_of(text)
    assert len(tokens.kinds) == len(tokens.starts)
    compare([Code("a", text), Code("b", text)])


@pytest.mark.parametrize("text", ["x='" + "a\\'" * 1_000_000 + "\\", "'\\" * 1_000_000], ids=["closed", "open"])
def test_an_open_text_of_megabytes_is_read_once(text):
    """In quadratic time this would take hours."""
    assert len(tokens_of(text).kinds) <= 3


def test_repeated_code_is_work_in_proportion(monkeypatch):
    """Counted in tokens that are compared."""
    line = 'x = [1, "a"] + y.z(3) if q else -w\n'
    looked_at = []
    longest = _compare._longest

    def counted(ours, theirs, start, places):
        length, place = longest(ours, theirs, start, places)
        looked_at.append((length + _compare.K) * len(places))
        return length, place

    monkeypatch.setattr(_compare, "_longest", counted)
    for times in (20, 380):
        ours, theirs = ((line * 10 + other) * times for other in ("del w\n", "for i in j: k\n"))
        looked_at.clear()
        (pair,) = compare([Code("a", ours), Code("b", theirs)])
        assert pair.longest > 100
        assert len(pair.parts) == times
        assert 0 < sum(looked_at) < 2 * _compare.PLACES * len(pair.first.tokens.kinds)


def test_the_page_shows_code_and_nothing_of_it_is_markup():
    hostile = CLASS[0].text + "\nx = '<script>alert(1)</script>&amp;'\n"
    shown = page(compare([Code("<b>bold</b>", hostile), Code("other", hostile.replace("x =", "y ="))]), 2)
    assert "<script" not in shown
    assert "<b>bold" not in shown
    assert "&lt;b&gt;bold&lt;/b&gt;" in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "script-src 'none'" in shown


def test_the_command_lists_pairs_and_never_judges(tmp_path, capsys):
    bots, past = tmp_path / "bots", tmp_path / "past"
    bots.mkdir()
    (past / "older").mkdir(parents=True)
    for code in CLASS[:8]:
        (bots / f"{code.name}.py").write_text(code.text)
    (bots / "copycat.py").write_text(renamed(reordered(CLASS[3].text)))
    (bots / "binary.py").write_bytes(b"\0\1")
    (past / "older" / "bot.py").write_text(padded(CLASS[5].text))
    (tmp_path / "given.py").write_text(TEMPLATE.format(name="Team0"))
    html, folder = tmp_path / "alike.html", tmp_path / "out"
    command = ["similarity", str(bots), "--past", str(past), "--template", str(tmp_path / "given.py")]
    code, out, err = run_command(capsys, *command, "--html", str(html), "--export", str(folder))
    assert code == 0
    lines = out.splitlines()
    assert {line.split("  ")[-1] for line in lines[1:3]} == {"copycat - team3", "team5 - older (past)"}
    assert "not a verdict" in out
    assert "binary is left out" in err
    assert "copycat" in html.read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["info.csv", "new", "old", "template"]
    assert (folder / "new" / "copycat" / "bot.py").read_text() == (bots / "copycat.py").read_text()
    assert "old/older-past/bot.py,older (past),past" in (folder / "info.csv").read_text()
    code, out, _ = run_command(capsys, *command, "--json")
    pairs = {tuple(pair["bots"]): pair for pair in json.loads(out)["pairs"]}
    assert pairs["copycat", "team3"]["parts"][0]["lines"][0][0] > 1


def test_mistakes_are_sentences(tmp_path, capsys):
    code, _, err = run_command(capsys, "similarity", str(tmp_path / "nowhere"))
    assert code == 2
    assert "there is no folder" in err
    (tmp_path / "one.py").write_text("pass")
    code, _, err = run_command(capsys, "similarity", str(tmp_path))
    assert code == 2
    assert "comparing takes at least two" in err
    code, _, err = run_command(capsys, "similarity", str(tmp_path), "--top", "0")
    assert code == 2
    assert "--top must be 1 to" in err
