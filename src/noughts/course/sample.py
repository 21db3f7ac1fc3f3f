"""A sample class, to try the way from submissions to marks: Moodle's zip and worksheet, and a roster.

Its submissions have what every class has: late ones, a wrong name, partners with two bots, namesakes, a stranger, and
bots that do not load or fail in a game.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from noughts.files import make_folder, write_whole
from noughts.printable import csv_text

GAME, NAME_RULE = "ultimate", "team{number}.py"
DEADLINE = datetime(2026, 11, 17, 23, 59)
EXPORT_FILE, ROSTER_FILE, WORKSHEET_FILE = "submissions.zip", "roster.csv", "worksheet.csv"
FIRST_PARTICIPANT, FIRST_ID = 4711, 100_231
NAMESAKES = "namesakes"
IN_TIME = timedelta(hours=-3)

_BOT = '''import random


def choose(state, clock):
    """{strategy}."""
    player = state.current_player()

    def score(action):
        after = state.child(action)
        return {score}, random.random()

    return max(state.legal_actions(), key=score)
'''
_BOTS = {
    "Takes any cell": "0",
    "Takes the first cell": "-action",
    "Takes the last cell": "action",
    "Likes the middle of a block": "-abs(action % 9 - 4)",
    "Likes the border of a block": "abs(action % 9 - 4)",
    "Takes blocks": "after.owners.count(player)",
    "Wins if it can, and takes blocks": "9 * after.returns()[player] + after.owners.count(player)",
    "Leaves few cells to the opponent": "-len(after.legal_actions())",
    "Leaves many cells to the opponent": "len(after.legal_actions())",
    "Takes blocks, and leaves few cells": "9 * after.owners.count(player) - len(after.legal_actions())",
}
_BROKEN = "def choose(state, clock)\n    return state.legal_actions()[0]\n"
_FAULTY = "def choose(state, clock):\n    return state.legal_actions()[9]\n"


@dataclass(frozen=True)
class Upload:
    """A submission of the sample. team: on the roster, '' for a stranger. person: as Moodle names them. file, text:
    what they uploaded, '' for nothing. after: when, from the deadline on. shows: what it is there for.

    name: on the roster, if Moodle writes it in another way. participant: Moodle's number.
    """

    team: str
    person: str
    file: str
    text: str
    shows: str = ""
    after: timedelta = IN_TIME
    name: str = ""
    participant: int = 0

    @property
    def key(self) -> str:
        """Returns Moodle's name of the submission."""
        return f"{self.person}_{self.participant}"


def _uploads() -> list[Upload]:
    texts = [_BOT.format(strategy=strategy, score=score) for strategy, score in _BOTS.items()]
    uploads = [
        Upload("team1", "Ann Archer", "team1.py", texts[0]),
        Upload("team2", "Bo Berg", "team2.py", texts[1], "partners with two bots"),
        Upload("team2", "Cem Clark", "team2.py", texts[2], "partners with two bots", IN_TIME / 2),
        Upload("team3", "Di Dahl", "team3.py", texts[3], "late", timedelta(minutes=12)),
        Upload("team4", "Eva Ek", "team4.py", texts[4], "late", timedelta(days=1, hours=2)),
        Upload("team5", "Fi Falk", "my_bot.py", texts[5], "a name against the rule"),
        Upload("team6", "Gus Gray", "team6.py", _BROKEN, "does not load"),
        Upload("team7", "Hye-Jin Kim", "team7.py", _FAULTY, "fails in a game"),
        Upload("team8", "Jan Kim", "team8.py", texts[6], NAMESAKES),
        Upload("team9", "Jan Kim", "team9.py", texts[7], NAMESAKES),
        Upload("team10", "José de la Cruz", "team10.py", texts[8], "accents", name="De la Cruz, Jose"),
        Upload("team11", "Łukasz Müller", "team11.py", texts[9]),
        Upload("team12", "Nia Ng", "", "", "no submission"),
        Upload("", "Anna-Di Dahl", "team3.py", texts[0], "a stranger; half of the name is Di Dahl's"),
    ]
    return [replace(upload, participant=number) for number, upload in enumerate(uploads, FIRST_PARTICIPANT)]


def write_sample(folder: Path) -> list[Upload]:
    """Writes the sample class to a new folder; returns its submissions. Raises ValueError if the folder has files."""
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} contains other files; name a new folder")
    make_folder(folder)
    uploads = _uploads()
    data = io.BytesIO()
    heads = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    sheet = [[*heads, "Last modified (grade)", "Feedback comments"]]
    roster = [["team", "name", "id", "email"]]
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for number, upload in enumerate(uploads, FIRST_ID):
            email = f"{number}@example.org"
            if upload.file:
                time = DEADLINE + upload.after
                stamp = time.year, time.month, time.day, time.hour, time.minute, time.second
                info = zipfile.ZipInfo(f"{upload.key}_assignsubmission_file_/{upload.file}", stamp)
                file.writestr(info, upload.text, zipfile.ZIP_DEFLATED)
            status = "Submitted for grading" if upload.file else "No submission"
            sheet.append([f"Participant {upload.participant}", upload.person, email, status, "", "50.00", "-", ""])
            if upload.team:
                roster.append([upload.team, upload.name or upload.person, str(number), email])
    write_whole(folder / EXPORT_FILE, data.getvalue())
    write_whole(folder / ROSTER_FILE, csv_text(roster).encode())
    write_whole(folder / WORKSHEET_FILE, csv_text(sheet, verbatim=True).encode())
    return uploads
