"""Whether somebody who has not read the code finds a place by names alone: fifteen questions, each with the words that
one would search for. Paths and the names of files, classes and functions are ranked, no comments and no docstrings.

`python -m tests.test_questions` prints the place of the answer and the first files for each question.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from tests.test_layers import ROOT, files


class Question(NamedTuple):
    """What somebody wants to know, the words that are searched for, and the file that answers it."""

    asked: str
    words: str
    answer: str


QUESTIONS = (
    Question("when has a cell been still for long enough?", "still long enough", "vision/sight/stillness.py"),
    Question("where is a PGN written?", "write pgn", "engine/text/records.py"),
    Question("how does a chain of jumps go on?", "chain jump", "engine/match/chains.py"),
    Question("where is the password checked?", "password check", "server/web/access/accounts.py"),
    Question("what is the format of the record?", "record format schema", "server/record/schema.py"),
    Question("where are pairings made?", "pairing", "server/hall/tournament/pairing_gacrux.py"),
    Question("what do the lights say when the host is gone?", "light host gone lost", "device/firmware/host_session.c"),
    Question("why is a move illegal?", "why move illegal", "engine/explain/why.py"),
    Question("who notices that the camera is covered?", "camera covered notice", "vision/sight/watchdog.py"),
    Question("when has a side lost on time?", "clock time flag", "engine/match/clock.py"),
    Question("where is the board found in a picture?", "find board picture", "calibration/find_board.py"),
    Question("who may do what?", "rights role permission", "server/web/access/rights.py"),
    Question("how late do spectators see a move?", "spectators delay", "server/spectators/holding.py"),
    Question("how does the computer find its move?", "computer search move", "opponent/players/alphabeta_search.py"),
    Question("what can an arbiter decide in a game?", "arbiter decide ruling", "engine/match/arbiter.py"),
)
MOST_MISSED = 1
"""Questions that may stay unanswered: a higher number lets names mislead, 0 holds every word of a question for law."""
LOOKED_AT = 3
"""Files that somebody opens before giving up."""
IN_FILE_NAME, IN_FOLDER, INSIDE = 3.0, 2.0, 1.0
"""What a word counts that stands in the file's name, in a folder's, and in names of its functions or classes alone: as
an editor's search shows them. Only their order matters."""
SHORTEST_STEM = 4
"""Letters from which on the beginning of a word stands for it: pairing and pairings, still and stillness."""


@cache
def read_names() -> dict[str, tuple[Collection[str], ...]]:
    """For each file of the program the words of its name, of its folders and of all that it defines."""
    found = {}
    for file in [*files(), *(ROOT / "device" / "firmware").glob("*.c")]:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".c":
            names = re.findall(r"(?m)^\w[\w *]*?\b(\w+)\([^;{]*\)\n\{", text)
        else:
            kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            names = [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
        path = file.relative_to(ROOT)
        inside = {word for name in names for word in split_words(name)}
        found[path.as_posix()] = (split_words(path.stem), split_words("_".join(path.parts[:-1])), inside)
    return found


def split_words(name: str) -> list[str]:
    """The words of a name, in small letters: parts of CamelCase and what underscores part."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def is_meant(wanted: str, word: str) -> bool:
    """Whether a word of a name is the wanted one in another form."""
    short, long = sorted((wanted, word), key=len)
    return short == long or (len(short) >= SHORTEST_STEM and long.startswith(short))


def rank_files(words: str) -> list[str]:
    """All files of the program, those that the words speak for first: a word that few files have says more."""
    places, scores = read_names(), dict.fromkeys(read_names(), 0.0)
    for wanted in words.split():
        weights = {
            path: max(
                weight * any(is_meant(wanted, word) for word in part)
                for part, weight in zip(parts, (IN_FILE_NAME, IN_FOLDER, INSIDE), strict=True)
            )
            for path, parts in places.items()
        }
        having = sum(map(bool, weights.values()))
        for path, weight in weights.items():
            scores[path] += weight * math.log(len(places) / max(1, having))
    return sorted(places, key=lambda path: (-scores[path], path))


def rank_of(question: Question) -> int:
    """The place of the file that answers a question, from 1 on."""
    return rank_files(question.words).index(question.answer) + 1


def test_a_stranger_finds_what_is_asked_for_by_names_alone() -> None:
    main()
    assert len(QUESTIONS) == 15
    missed = {question.asked: rank_of(question) for question in QUESTIONS if rank_of(question) > LOOKED_AT}
    assert len(missed) <= MOST_MISSED, missed


def main() -> None:
    """Print for each question which place the answer has, and the files that are found first."""
    for question in QUESTIONS:
        print(f"{rank_of(question):3} {question.asked}  [{question.words}]  {question.answer}")
        print(*(f"      {path}" for path in rank_files(question.words)[:LOOKED_AT]), sep="\n")


if __name__ == "__main__":
    main()
