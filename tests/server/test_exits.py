"""What asks a program to end does so between two pieces of work; who asks twice interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S

ASKED = """
import os, queue, signal, sys, threading
from server.exits import take_signals
for name in ("SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.default_int_handler)
inbox, feed = queue.SimpleQueue(), threading.Condition()
with take_signals(lambda: inbox.put("stop")):
    print("ready", flush=True)
    said = None
    while said is None:
        with feed:  # a signal that raises here may leave it locked
            feed.notify_all()
        try:
            said = inbox.get(timeout=0.0001)
        except queue.Empty:
            pass
assert feed.acquire(timeout=1) and said == "stop"
if sys.argv[1] == "twice":
    with take_signals(lambda: None):
        os.kill(os.getpid(), signal.SIGINT)
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt:
            print("interrupted")
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


LATE = """
import logging, os, signal, time
from server import exits
logging.basicConfig()
exits.ENDS_WITHIN_S = 0.1
with exits.take_signals(lambda: None):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.5)
"""


def test_work_that_goes_on_after_all_was_to_end_is_said() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert "Ctrl-C once more breaks it off" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("times", ["once", "twice"])
def test_the_first_signal_waits_for_its_turn_and_the_second_does_not(number: signal.Signals, times: str) -> None:
    command = [sys.executable, "-c", ASKED, times]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        assert program.stdout.readline() == "ready\n"
        os.kill(program.pid, number)
        said, faults = program.communicate(timeout=PATIENCE_S)
    assert (program.returncode, faults) == (0, "")
    assert said == ("interrupted\n" if times == "twice" else "")
