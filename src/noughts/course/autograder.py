"""Gradescope's autograder: a zip that checks each submission and plays a gauntlet against the staff's bots.

    setup.sh          installs Python and the dependencies, when Gradescope builds its image
    run_autograder    grades one submission: /autograder/submission -> /autograder/results/results.json
    autograder.json   the game, the settings, the staff, the thresholds, and the secret of the seeds
    staff/            the staff's bot files
    packages/         noughts and py2bots, as installed here

The files and the format of the results are those of https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from dataclasses import dataclass, field
from importlib.metadata import requires
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import noughts
from noughts.course.export import ZIP_DATE, fault_texts
from noughts.course.handed_in import one_submission
from noughts.course.marks import gauntlet_marks, gradescope, marks_of
from noughts.course.rules import gate_of
from noughts.course.thresholds import Threshold
from noughts.files import make_folder, slugs, write_whole
from noughts.game import Game
from noughts.matches.schedule import contestants
from noughts.matches.seeds import draw_seed
from noughts.matches.store_file import StoreError
from noughts.players.registry import is_listed
from noughts.printable import one_line
from noughts.sandbox.source import BotSource
from noughts.tournaments.organiser import enter_players, run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView
from noughts.untrusted import MALFORMED, FileKind, read_json

PLAN = FileKind("the plan of an autograder", 1 << 20, nodes=20_000)
PLAN_FILE, STAFF, PACKAGES = "autograder.json", "staff", "packages"
VERSION = 1
NAME = "submission"
"""Name of the submission among the contestants; staff bots have other names."""
LONGEST_OUTPUT = 20_000
CHECK = "noughts check"
RUN = "import sys; from noughts.cli import main; sys.exit(main())"

SETUP = f"""#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image of the assignment.
set -euo pipefail
source="${{AUTOGRADER_ROOT:-/autograder}}/source"
apt-get update
apt-get install -y python3.12 python3.12-venv || apt-get install -y python3.11 python3.11-venv
python="$(command -v python3.12 || command -v python3.11)"
"$python" -m venv "$source/venv"
"$source/venv/bin/pip" install --no-cache-dir -r "$source/requirements.txt"
site="$("$source/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
echo "$source/{PACKAGES}" > "$site/noughts.pth"
"$source/venv/bin/python" -P -c '{RUN}' warm
"""
GRADE = f"""#!/usr/bin/env bash
# Gradescope runs this for each submission.
root="${{AUTOGRADER_ROOT:-/autograder}}"
exec "$root/source/venv/bin/python" -P -c '{RUN}' autograder --grade "$root"
"""


@dataclass(frozen=True)
class AutograderPlan:
    """The plan of an autograder. settings: of a gauntlet. staff: names of players, or bot files. out_of: total marks
    for the games, if there are no thresholds. seed: for all games, so that a submission gets the same marks each time;
    unpredictable in a new plan.
    """

    game: Game
    settings: Settings
    staff: tuple[str, ...]
    thresholds: tuple[Threshold, ...] | None
    out_of: float
    unsafe: bool = False
    seed: int = field(default_factory=draw_seed)


def autograder_zip(plan: AutograderPlan) -> bytes:
    """Returns the zip to upload. Raises ValueError if a staff player cannot play on another machine."""
    found = contestants(list(plan.staff))
    bots = [each for each in found if isinstance(each.player, BotSource)]
    names = [each.name for each in bots]
    files = {name: f"{stem}.py" for name, stem in zip(names, slugs(names), strict=True)}
    staff: list[dict[str, Any]] = []
    for each in found:
        if isinstance(each.player, BotSource):
            staff.append({"file": files[each.name], "wanted": each.player.wanted})
        elif is_listed(str(each.player)):
            staff.append({"player": str(each.player)})
        else:
            raise ValueError(
                f"the player {each.name!r} needs files or servers, which Gradescope's machine does not "
                "have; name bot files or players of `noughts players`"
            )
    thresholds = None if plan.thresholds is None else [vars(each) for each in plan.thresholds]
    facts = {
        "version": VERSION,
        **plan.game.to_data(),
        "settings": json.loads(plan.settings.to_json()),
        "staff": staff,
        "thresholds": thresholds,
        "out_of": plan.out_of,
        "seed": plan.seed,
        "unsafe": plan.unsafe,
    }
    needed = [each for each in requires("noughts") or () if "extra ==" not in each]
    if not needed:
        raise ValueError("this installation of noughts has no metadata; install it with pip and run the command again")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:

        def write(name: str, content: bytes | str, mode: int = 0o644) -> None:
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, content)

        write("setup.sh", SETUP, 0o755)
        write("run_autograder", GRADE, 0o755)
        write("requirements.txt", "".join(f"{each}\n" for each in needed))
        write(PLAN_FILE, json.dumps(facts, indent=2) + "\n")
        for each in bots:
            assert isinstance(each.player, BotSource)
            write(f"{STAFF}/{files[each.name]}", each.player.text)
        installed = Path(noughts.__file__).parents[1]
        for path in sorted(path for package in ("noughts", "py2bots") for path in (installed / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                write(f"{PACKAGES}/{path.relative_to(installed).as_posix()}", path.read_bytes())
    return data.getvalue()


def read_plan(source: Path) -> AutograderPlan:
    """Returns the plan in the folder of an unpacked zip. Raises ValueError if it is invalid."""
    try:
        facts = read_json(source / PLAN_FILE, PLAN)
        if facts["version"] != VERSION:
            raise ValueError(f"it has version {facts['version']}; this program reads version {VERSION}")
        staff = []
        for each in facts["staff"]:
            file = str(each.get("file", ""))
            if file and not re.fullmatch(r"[\w.-]+\.py", file):
                raise ValueError(f"{one_line(file, 60)!r} is not a staff file")
            if not file and not is_listed(each["player"]):
                raise ValueError(f"{one_line(each['player'], 60)!r} is not a staff player")
            path = os.path.join(source, STAFF, file)
            wanted = f":{each['wanted']}" if each.get("wanted") else ""
            staff.append(f"{path}{wanted}" if file else each["player"])
        thresholds = facts["thresholds"] and tuple(
            Threshold(str(each["against"]), float(each["score"]), float(each["marks"])) for each in facts["thresholds"]
        )
        settings = Settings.from_json(json.dumps(facts["settings"]))
        game = Game.from_data(facts)
        return AutograderPlan(
            game, settings, tuple(staff), thresholds, float(facts["out_of"]), bool(facts["unsafe"]), int(facts["seed"])
        )
    except OSError as error:
        raise ValueError(f"cannot read {source / PLAN_FILE} ({error.strerror}); unpack the zip there") from None
    except MALFORMED as error:
        raise ValueError(f"{source / PLAN_FILE} is not an autograder's plan ({error})") from None


def grade(root: Path) -> dict[str, Any]:
    """Grades the submission in Gradescope's folders, writes its results, and returns them.

    The results contain the faults of the submission. An exception means that the autograder itself failed: it writes no
    results, and Gradescope notifies the staff.
    """
    plan = read_plan(root / "source")
    handed_in = one_submission(root / "submission")
    if handed_in.source is None:
        results = _refused(plan, handed_in.reason)
    else:
        with TemporaryDirectory(prefix="noughts-") as folder:
            results = _play(plan, handed_in.source, Path(folder))
    make_folder(root / "results")
    write_whole(root / "results" / "results.json", (json.dumps(results, indent=2) + "\n").encode())
    return results


def _play(plan: AutograderPlan, source: BotSource, folder: Path) -> dict[str, Any]:
    with TournamentFile(folder / "autograder.noughts", write=True) as file:
        tournament = file.create("autograder", plan.game, plan.settings, plan.seed)
        enter_players(tournament, plan.staff, staff=True)
        tournament.entries.enter(NAME, source)
        try:
            list(run_of(tournament, gate_of(tournament, unsafe=plan.unsafe), trusted=plan.staff).play())
        except StoreError:
            _require_staff(tournament)
            if tournament.entries.find(NAME).plays:
                raise
        _require_staff(tournament)
        entry = tournament.entries.find(NAME)
        faults = "\n".join(fault_texts(tournament, NAME))[:LONGEST_OUTPUT]
        if not entry.plays:
            return _refused(plan, entry.reason, faults)
        view = TournamentView(tournament)
        found, staff = view.standings, [each.name for each in view.entries if each.staff]
        marks = (
            gauntlet_marks(found.results, NAME, staff, plan.out_of)
            if plan.thresholds is None
            else next(mark for mark in marks_of(view, plan.thresholds) if mark.name == NAME)
        )
        row = next(row for row in found.order if row.name == NAME)
        results = gradescope(marks, row)
        text = f"passed with a warning: {entry.reason}" if entry.reason else "it passes"
        notice = [plan.settings.notice.replace("REHEARSAL: ", "")] if plan.settings.notice else []
        faults_made = {"name": "Faults", "value": row.forfeits.total(), "order": "asc"}
        return results | {
            "leaderboard": [*(each for each in results["leaderboard"] if each["name"] != "Place"), faults_made],
            "output": "\n".join([str(results["output"]), *notice]),
            "tests": [_check(text, passed=True), *results["tests"], *_fault_tests(faults)],
        }


def _require_staff(tournament: TournamentStore) -> None:
    """Raises ValueError if a staff bot does not play."""
    broken = [f"{each.name}: {each.reason}" for each in tournament.entries.all() if each.staff and not each.plays]
    if broken:
        raise ValueError(f"staff bots do not pass the check ({'; '.join(broken)}); create the zip without them")


def _check(text: str, *, passed: bool) -> dict[str, Any]:
    return {"name": CHECK, "status": "passed" if passed else "failed", "output": text, "output_format": "text"}


def _fault_tests(faults: str) -> list[dict[str, Any]]:
    return [{"name": "faults", "status": "failed", "output": faults, "output_format": "text"}] if faults else []


def _refused(plan: AutograderPlan, reason: str, faults: str = "") -> dict[str, Any]:
    """Returns the results of a submission that does not play."""
    return {
        "score": 0,
        "output": f"excluded from the games: {reason}",
        "output_format": "text",
        "tests": [_check(reason, passed=False), *_fault_tests(faults)],
        "leaderboard": [{"name": "Marks", "value": 0}],
    }
