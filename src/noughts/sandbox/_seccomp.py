"""Builds a seccomp filter from rules: a small program that the kernel runs before each system call.

The program is an array of 8-byte instructions: u16 code, u8 jump if true, u8 jump if false, u32 constant.
It reads the call's record: number at 0, architecture at 4, the low half of argument i at 16 + 8 i.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from noughts.sandbox._syscalls import ARCHITECTURE, MACHINE, NUMBERS, call

_STEP = struct.Struct("=HBBI")
STEP: int = _STEP.size

# Instruction codes of classic BPF.
_LOAD = 0x20
_IF_EQUAL = 0x15
_IF_AT_LEAST = 0x35
_IF_ANY_BIT = 0x45
_RETURN = 0x06

_NUMBER_AT = 0
_ARCHITECTURE_AT = 4

# Verdicts.
ALLOW = 0x7FFF0000
KILL = 0x80000000
ASK_REFEREE = 0x7FC00000


def refuse(code: int) -> int:
    """Returns the verdict that makes the call fail with an errno; the process continues."""
    return 0x00050000 | code


X32_CALLS = 0x40000000
"""On x86_64, numbers from here on belong to the x32 interface: other numbers for the same calls."""


@dataclass(frozen=True)
class OneOf:
    """The argument is one of the values."""

    argument: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class NoneOf:
    """The argument is none of the values."""

    argument: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class NoBits:
    """The argument has none of the bits."""

    argument: int
    bits: int


@dataclass(frozen=True)
class SomeBits:
    """The argument has one or more of the bits."""

    argument: int
    bits: int


@dataclass(frozen=True)
class Null:
    """The argument, a pointer, is null: both halves of it."""

    argument: int


Test = OneOf | NoneOf | NoBits | SomeBits | Null


@dataclass(frozen=True)
class Rule:
    """The rule for one call: `then` if its arguments pass all tests, else `otherwise`."""

    call: str
    then: int
    tests: tuple[Test, ...] = ()
    otherwise: int = KILL


def steps(rules: Iterable[Rule]) -> bytes:
    """Returns the part of a program for these rules. Calls that this machine does not have are left out."""
    part: list[bytes] = []
    for rule in rules:
        if rule.call in NUMBERS:
            body = _body(rule)
            part += [_step(_IF_EQUAL, NUMBERS[rule.call], no=len(body)), *body]
    return b"".join(part)


def assemble(parts: Iterable[bytes], default: int) -> bytes:
    """Returns the program. Calls of another architecture's interface kill; calls without a rule get `default`.

    parts: made by `steps`, in order of use: the kernel goes through them one by one.
    """
    program = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_IF_EQUAL, ARCHITECTURE, yes=1),
        _step(_RETURN, KILL),
        _step(_LOAD, _NUMBER_AT),
    ]
    if MACHINE == "x86_64":
        program += [_step(_IF_AT_LEAST, X32_CALLS, no=1), _step(_RETURN, KILL)]
    return b"".join([*program, *parts, _step(_RETURN, default)])


def install(program: bytes, *, listener: bool) -> int:
    """Installs the filter for this process permanently. With `listener`, returns the descriptor that the referee reads.

    Raises OSError if the kernel has no seccomp or refuses.
    """
    set_mode_filter, new_listener = 1, 8
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of instructions, and where they are.
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(code)))
    return call(NUMBERS["seccomp"], set_mode_filter, new_listener if listener else 0, header)


def _step(code: int, constant: int, yes: int = 0, no: int = 0) -> bytes:
    return _STEP.pack(code, yes, no, constant)


def _body(rule: Rule) -> Sequence[bytes]:
    """Returns the tests in turn, each of which passes or ends in the verdict `otherwise`; then the verdict `then`."""
    body: list[bytes] = []
    for test in rule.tests:
        body += _test(test, _step(_RETURN, rule.otherwise))
    return [*body, _step(_RETURN, rule.then)]


def _test(test: Test, fail: bytes) -> list[bytes]:
    """Returns steps that jump past the last of them, `fail`, if the test passes."""
    load = _step(_LOAD, 16 + 8 * test.argument)
    match test:
        case OneOf(values=values):
            checks = [_step(_IF_EQUAL, value, yes=len(values) - i) for i, value in enumerate(values)]
            return [load, *checks, fail]
        case NoneOf(values=values):
            last = len(values) - 1
            checks = [_step(_IF_EQUAL, value, yes=last - i, no=int(i == last)) for i, value in enumerate(values)]
            return [load, *checks, fail]
        case Null(argument=argument):
            high = _step(_LOAD, 20 + 8 * argument)
            return [load, _step(_IF_EQUAL, 0, no=2), high, _step(_IF_EQUAL, 0, yes=1), fail]
        case NoBits(bits=bits):
            return [load, _step(_IF_ANY_BIT, bits, no=1), fail]
        case SomeBits(bits=bits):
            return [load, _step(_IF_ANY_BIT, bits, yes=1), fail]
