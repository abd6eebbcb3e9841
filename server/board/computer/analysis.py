"""A past game judged by an engine, in a process of its own: as far as it has come, for the page that asks again.

Only games that are over are judged, so that nobody at a board can ask what to play.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass, field

from engine.errors import InputError
from engine.match.state import Match
from opponent.contest.participants import parse_participant
from opponent.engines.client import Engine, Trouble
from opponent.review.judgement import JudgedPly, find_deciders, judge_course
from opponent.vocabulary import HIGHEST, Limits

LOOK_AT_PLY = Limits(movetime_ms=150)
"""For each of two questions about a ply: a game of 80 plies takes 20 seconds. More sees deeper and is waited for."""
KEPT_GAMES = 20
"""Games whose judgement is kept; one takes some 20 kB."""
WAITING = 3
"""Games that are judged or wait for it at once."""
OUR_ENGINE = parse_participant(str(HIGHEST)).command


@dataclass
class _Course:
    """What is known of one game; written by the thread that judges, read by those that answer."""

    plies: int
    judged: list[JudgedPly] = field(default_factory=list)
    over: bool = False
    trouble: str = ""

    def to_json(self) -> dict[str, object]:
        """`deciders` are there when the whole game was judged."""
        judged = list(self.judged)
        return {
            "plies": [asdict(one) for one in judged],
            "of": self.plies,
            "done": self.over,
            "deciders": [one.ply for one in find_deciders(judged)] if self.over else [],
            "trouble": self.trouble,
        }


class Analyses:
    """Judges one game at a time; `command` is the engine that is asked."""

    def __init__(self, command: tuple[str, ...] = OUR_ENGINE, limits: Limits = LOOK_AT_PLY) -> None:
        self._command, self._limits = command, limits
        self._lock, self._working = threading.Lock(), threading.Lock()
        self._courses: OrderedDict[str, _Course] = OrderedDict()

    def request_analysis(self, name: str, match: Match, *, played_here: bool = True) -> dict[str, object]:
        """How far the judgement has come; it is begun where nobody asked before.

        InputError for a game played here that is not over, and where too many are judged already.
        """
        with self._lock:
            known = self._courses.get(name)
            if known is not None and not known.trouble:
                return known.to_json()
        if match.outcome is None and played_here:
            raise InputError(f"game {name}: it is not over, and while it is played nobody is told better moves")
        with self._lock:
            if sum(not one.over for one in self._courses.values()) >= WAITING:
                raise InputError("analysis: other games are judged first, try again in a minute")
            begun = self._courses[name] = _Course(len(match.moves))
            while len(self._courses) > KEPT_GAMES:
                self._courses.popitem(last=False)
        threading.Thread(target=self._judge_game, args=(begun, match), daemon=True).start()
        return begun.to_json()

    def _judge_game(self, begun: _Course, match: Match) -> None:
        with self._working:
            engine = Engine(self._command)
            try:
                trouble = engine.prepare_game(match.game)
                found = trouble or judge_course(
                    engine, match.game, match.positions, match.moves, self._limits, begun.judged.append
                )
                if isinstance(found, Trouble):
                    begun.trouble = found.message
                elif len(found) < len(match.moves):
                    begun.trouble = f"the engine gives no scores for {match.game.name}"
            except (OSError, ValueError, RuntimeError) as error:
                begun.trouble = f"the engine cannot be asked: {error}"
            finally:
                engine.close()
                begun.over = True
