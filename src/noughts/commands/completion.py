"""Print a script that completes commands, options and games in your shell.

examples:
  eval "$(noughts completion bash)"      a line for ~/.bashrc
  eval "$(noughts completion zsh)"       a line for ~/.zshrc, after compinit
  noughts completion fish | source       a line for ~/.config/fish/config.fish
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Command:
    """path: its words after `noughts`, "tournament run". words: what may follow, and what each is for.

    choices: for each option that takes a value, those it can have; none where it can be anything. has_below: whether a
    command follows, and so no file.
    """

    path: str
    words: dict[str, str]
    choices: dict[str, tuple[str, ...]]
    has_below: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to complete")


def run(args: argparse.Namespace) -> int:
    from noughts.rules.variants import VARIANTS

    games = tuple(rules.name for rules in VARIANTS)
    commands = list(walk(args.parser, games))
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](commands), end="")
    return 0


def walk(parser: argparse.ArgumentParser, games: tuple[str, ...], path: str = "") -> Iterator[Command]:
    """The command of a parser and those below it, each with what may be written after it."""
    words: dict[str, str] = {}
    choices: dict[str, tuple[str, ...]] = {}
    below: list[tuple[str, argparse.ArgumentParser]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            said = {choice.dest: choice.help or "" for choice in action._choices_actions}
            below = [(name, sub) for name, sub in action.choices.items() if name in said]
            words |= {name: said[name] for name, _ in below}
            continue
        named = games if action.dest == "game" else tuple(str(choice) for choice in action.choices or ())
        if not action.option_strings:
            words |= dict.fromkeys(named, "")
        for option in action.option_strings:
            if action.help != argparse.SUPPRESS and option.startswith("--"):
                words[option] = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
                if action.nargs != 0:
                    choices[option] = named
    yield Command(path, words, choices, bool(below))
    for name, sub in below:
        yield from walk(sub, games, f"{path} {name}".strip())


_BASH = """\
# Completion of noughts for bash: eval "$(noughts completion bash)"
_noughts() {
    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" path="" word words=""
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "${path:+$path }$word" in
@PATHS@
        esac
    done
    case "$path|$before" in
@CHOICES@
        *) case "$path" in
@WORDS@
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _noughts noughts
"""
# `-o default`: where nothing of ours fits, bash completes the names of files.


def _bash(commands: list[Command]) -> str:
    paths = "|".join(f'"{command.path}"' for command in commands if command.path)
    choices, words = [], []
    for command in commands:
        for option, named in command.choices.items():
            choices.append(f'        "{command.path}|{option}") words="{" ".join(named)}" ;;')
        words.append(f'            "{command.path}") words="{" ".join(command.words)}" ;;')
    return (
        _BASH.replace("@PATHS@", f'            {paths}) path="${{path:+$path }}$word" ;;')
        .replace("@CHOICES@", "\n".join(choices))
        .replace("@WORDS@", "\n".join(words))
    )


_ZSH = """\
# Completion of noughts for zsh: eval "$(noughts completion zsh)", after compinit
_noughts() {
    local path_="" word
    local -a entries
    for word in "${(@)words[2,CURRENT-1]}"; do
        case "${path_:+$path_ }$word" in
@PATHS@
        esac
    done
    case "$path_|${words[CURRENT-1]}" in
@CHOICES@
        *) case "$path_" in
@WORDS@
        esac ;;
    esac
    (( ${#entries} )) && _describe -V noughts entries
    case "$path_" in
        @GROUPS@) ;;
        *) _files ;;
    esac
}
compdef _noughts noughts
"""


def _zsh(commands: list[Command]) -> str:
    paths = "|".join(f'"{command.path}"' for command in commands if command.path)
    choices, words = [], []
    for command in commands:
        for option, named in command.choices.items():
            entries = " ".join(_quoted(word) for word in named)
            choices.append(f'        "{command.path}|{option}") entries=({entries}) ;;')
        entries = " ".join(
            _quoted(word.replace(":", "\\:") + (f":{purpose}" if purpose else ""))
            for word, purpose in command.words.items()
        )
        words.append(f'            "{command.path}") entries=({entries}) ;;')
    return (
        _ZSH.replace("@PATHS@", f'            {paths}) path_="${{path_:+$path_ }}$word" ;;')
        .replace("@GROUPS@", "|".join(f'"{command.path}"' for command in commands if command.has_below))
        .replace("@CHOICES@", "\n".join(choices))
        .replace("@WORDS@", "\n".join(words))
    )


_FISH = """\
# Completion of noughts for fish: noughts completion fish | source
function __noughts_path
    set -l path
    for word in (commandline -opc)[2..]
        if contains -- (string join ' ' -- $path $word) @PATHS@
            set path $path $word
        end
    end
    string join ' ' -- $path
end
function __noughts_at
    set -l path (__noughts_path)
    test "$path" = "$argv"
end
"""


def _fish(commands: list[Command]) -> str:
    lines = [_FISH.replace("@PATHS@", " ".join(_quoted(command.path) for command in commands if command.path))]
    for command in commands:
        at = f"complete -c noughts -n {_quoted(f'__noughts_at {command.path}')}"
        if command.has_below:
            lines.append(f"{at} -f")
        for word, purpose in command.words.items():
            said = f" -d {_quoted(purpose)}" if purpose else ""
            if not word.startswith("--"):
                lines.append(f"{at} -a {_quoted(word)}{said}")
            elif word in command.choices:
                among = f" -fa {_quoted(' '.join(command.choices[word]))}" if command.choices[word] else ""
                lines.append(f"{at} -l {word[2:]} -r{among}{said}")
            else:
                lines.append(f"{at} -l {word[2:]}{said}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A word for zsh and fish, whatever is in it: between single quotes, which fish ends by a backslash only."""
    return "'" + text.replace("\\", "\\\\").replace("'", "’") + "'"
