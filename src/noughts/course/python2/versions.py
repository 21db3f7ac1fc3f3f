"""Which Python a source is written in, by the signs in its tokens; and what a crash tells of that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from noughts.course.python2.prelude import BEGIN
from noughts.course.reading import BRACKETS, Token, tokens, with_neighbours

PYTHON_2_NAMES = {
    *"xrange raw_input unicode basestring unichr has_key iteritems itervalues iterkeys viewitems viewkeys".split(),
    *"maxint izip imap ifilter izip_longest execfile".split(),
    *"__nonzero__ __cmp__ __metaclass__ __getslice__ __div__ func_name im_self StandardError".split(),
}
PYTHON_2_CALLS = {"cmp", "reduce", "long", "apply", "reload", "intern", "coerce", "buffer"}
"""Evidence where they are called, and not defined or imported."""
PYTHON_2_MEMBERS = {"clock", "letters", "lowercase", "uppercase"}
PYTHON_2_MODULES = {
    *"Queue commands sets md5 urllib2 urlparse thread __builtin__".split(),
    *"cPickle cStringIO StringIO Tkinter ConfigParser".split(),
}
PYTHON_3_NAMES = {
    *"nonlocal perf_counter monotonic process_time lru_cache TimeoutError FileNotFoundError RecursionError".split(),
    *"ModuleNotFoundError bit_count dataclass zip_longest".split(),
}
PYTHON_3_MODULES = {*"queue dataclasses typing enum pathlib statistics builtins concurrent asyncio".split()}

SURE_2, SURE_3, LIKELY_2, LIKELY_3 = range(4)
"""How much a sign says, the strongest first: grammar that only one of them reads, names that only one has."""


@dataclass(frozen=True)
class Verdict:
    """Which Python a source is written in: 2, 3, or None if nothing in it tells. line, why: what tells so."""

    version: int | None
    line: int = 0
    why: str = ""


def which_python(source: str) -> Verdict:
    """What only one of the two can read decides, then its first line, then names that only one of them has."""
    if BEGIN in source:
        return Verdict(3, source[: source.index(BEGIN)].count("\n") + 1, "`noughts convert` made it")
    found = tokens(source)
    signs = sorted([*_signs(found), *_old_statements(found)], key=lambda sign: sign[0])
    shebang = re.match(r"#![^\n]*python([23])", source)
    if shebang and not (signs and signs[0][0] in (SURE_2, SURE_3)):
        return Verdict(int(shebang[1]), 1, f"its first line asks for python{shebang[1]}")
    for rank, line, why in signs[:1]:
        return Verdict(2 if rank in (SURE_2, LIKELY_2) else 3, line, why)
    return _by_division(found)


Sign = tuple[int, int, str]
"""(how much it says, line, why)"""


def _signs(found: Sequence[Token]) -> Iterator[Sign]:
    own = _defined(found)
    print_function = any(token.text == "print_function" for token in found)
    for before, token, after in with_neighbours([token for token in found if token.kind != "newline"]):
        sign = None
        if token.kind == "name":
            sign = _word(before, token, after) or (None if token.text in own else _name(before, token, after))
            if token.text in ("end", "sep", "flush") and (before.text, after.text) == (",", "=") and not print_function:
                sign = LIKELY_3, f"print takes {token.text}= in Python 3"
        elif token.kind != "newline":
            sign = _form(token)
        if sign is not None:
            yield sign[0], token.line, sign[1]


def _form(token: Token) -> tuple[int, str] | None:
    """Operators, numbers and texts that only one Python reads."""
    text = token.text
    if token.kind == "op" and text in ("<>", "`"):
        return SURE_2, f"{text} is gone from Python 3"
    if token.kind == "op" and text in (":=", "->"):
        return SURE_3, f"{text} is not in Python 2"
    if token.kind == "number" and re.fullmatch(r"\w*\d[lL]|0\d*[1-7]\d*", text):
        return SURE_2, f"the number {text} is not written so in Python 3"
    if token.kind == "number" and "_" in text:
        return SURE_3, f"the number {text} is not written so in Python 2"
    if token.kind == "string" and "f" in text[:2].lower().partition(text[-1])[0]:
        return SURE_3, "texts with f in front are not in Python 2"
    return None


def _word(before: Token, token: Token, after: Token) -> tuple[int, str] | None:
    """Words that are a statement in one Python only."""
    text, follows = token.text, after.line == token.line
    value = follows and after.kind in ("string", "number", "name") and after.text not in _JOINING
    if text == "print" and before.text not in (".", "def", "=", "(", ",", "import"):
        return (SURE_2, "print is a statement there") if value or (follows and after.text in (">>", "`")) else None
    if text == "exec" and value:
        return SURE_2, "exec is a statement there"
    if (before.text, text) == ("yield", "from") or (text, after.text) == ("async", "def"):
        return SURE_3, f"{text} is not used so in Python 2"
    if text == "nonlocal" and value:
        return SURE_3, "nonlocal is not in Python 2"
    if (before.text, text) == ("def", "choose"):
        return LIKELY_3, "choose(state, clock) is an interface of this arena, where there was never a Python 2"
    if before.text in ("import", "from") and before.line == token.line:
        if text in PYTHON_2_MODULES:
            return LIKELY_2, f"the module {text} is gone from Python 3"
        if text in PYTHON_3_MODULES:
            return LIKELY_3, f"the module {text} is not in Python 2"
    return None


_JOINING = {"in", "is", "and", "or", "if", "for", "not", "as", "else"}


def _name(before: Token, token: Token, after: Token) -> tuple[int, str] | None:
    """Names that only one Python has."""
    text, member = token.text, before.text == "."
    if text in PYTHON_2_NAMES or (text in PYTHON_2_CALLS and after.text == "(" and not member):
        return LIKELY_2, f"{text} is gone from Python 3"
    if member and ((text == "next" and after.text == "(") or text in PYTHON_2_MEMBERS):
        return LIKELY_2, f".{text} is gone from Python 3"
    if text in PYTHON_3_NAMES:
        return LIKELY_3, f"{text} is not in Python 2"
    return None


def _defined(found: Sequence[Token]) -> set[str]:
    """Names that the file gives a meaning itself."""
    return {
        token.text
        for before, token, after in with_neighbours(found)
        if token.kind == "name" and (before.text in ("def", "class", "import", "as", ",") or after.text == "=")
    }


def _old_statements(found: Sequence[Token]) -> Iterator[Sign]:
    """`except Error, e:` and `raise Error, text`: a comma outside all brackets."""
    inside, word = 0, ""
    for token in found:
        if token.kind == "newline" or token.text == ":":
            word = word if inside else ""
        elif token.kind == "name" and token.text in ("except", "raise"):
            inside, word = 0, token.text
        elif token.kind == "op" and word:
            inside += (token.text in BRACKETS) - (token.text in BRACKETS.values())
            if token.text == "," and not inside:
                yield SURE_2, token.line, f"{word} is written with a comma there"


def _by_division(found: Sequence[Token]) -> Verdict:
    """A quotient as an index or in range() needs Python 2; with // someone thought of Python 3."""
    waiting: list[bool] = []
    whole = None
    for before, token, _ in with_neighbours(found):
        if token.kind != "op":
            continue
        if token.text in BRACKETS:
            index = token.text == "[" and (before.kind == "name" or before.text in (")", "]"))
            waiting.append(index or (token.text == "(" and before.text in ("range", "xrange")))
        elif token.text in BRACKETS.values():
            waiting = waiting[:-1]
        elif token.text == "/" and waiting and waiting[-1]:
            return Verdict(2, token.line, "a quotient by / is used as a whole number")
        elif token.text in ("//", "//="):
            whole = whole or Verdict(3, token.line, "// divides there")
    return whole or Verdict(None)


# What a crash says of the Python that the source was meant for

_OLD_CRASHES = re.compile(
    r"""indices\ must\ be\ integers|cannot\ be\ interpreted\ as\ an\ integer|not\ supported\ between\ instances
    |'(?:dict_\w+|map|zip|filter|range)'\ object|object\ has\ no\ attribute\ '(?:has_key|iter\w+|next|sort|message)'
    |module\ '\w+'\ has\ no\ attribute|name\ '(?:xrange|unicode|raw_input|reduce|cmp|long|basestring|unichr|file|apply)'
    |No\ module\ named\ '(?:Queue|cPickle|c?StringIO|sets|md5|commands|urllib2)|encoded\ before\ hashing
    |'cmp'\ is\ an\ invalid|takes\ no\ positional\ arguments|dictionary\ changed\ size|TabError|Missing\ parentheses
    |must\ be\ parenthesized|leading\ zeros|invalid\ decimal\ literal|inconsistent\ use\ of\ tabs|unhashable\ type
    |can't\ multiply\ sequence|slice\ indices""",
    re.VERBOSE,
)
HINTS = {
    2: "this looks like Python 2; try `noughts convert`",
    None: "Python 2 allowed this: if the bot is written in it, try `noughts convert --python2`",
}
"""What to say of such a crash, by the Python that the source is written in."""


def python2_hint(source: str, crash: str) -> str:
    """What to say of a crash that Python 2 would not have had, in a source that may be Python 2; else nothing."""
    if "noughts convert" in crash or not _OLD_CRASHES.search(crash):
        return ""
    return HINTS.get(which_python(source).version, "")
