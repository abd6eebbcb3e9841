"""What asks a program to end does so between two pieces of work, and is never lost; who asks twice ends it at once."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from server.exits import BROKEN_OFF, ONE_ASKING_S
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.bundled import SESSION
from tests.server.hall.parts import mosquitto

ASKED = """
import queue, sys, threading
from server.exits import take_signals, watch_signals
inbox, feed = queue.SimpleQueue(), threading.Condition()
with watch_signals():
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
    print("asked", flush=True)
    threading.Event().wait(1 if sys.argv[1] == "once" else None)
"""
LOST = """
import queue, threading, weakref
from server.exits import take_signals, watch_signals
class Held: pass
def keep_busy(_):
    print("ready", flush=True)
    for _ in range(10**9):
        if watched.is_asked:
            for _ in range(10**5): pass
            break
with watch_signals():
    from server.exits import _watches; watched = _watches[-1]
    held = Held()
    noted = weakref.ref(held, keep_busy)
    del held  # what is raised in its callback is printed and forgotten
    ended = threading.Event()
    with take_signals(ended.set):
        ended.wait()
print("ended", flush=True)
"""
LATE = """
import logging, os, signal, time
from server import exits
logging.basicConfig()
exits.ENDS_WITHIN_S = 0.1
with exits.watch_signals(), exits.take_signals(lambda: None):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.5)
"""
JUST_BEFORE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
/* Once the program has said that it runs, its main thread is asked to end just before it waits for the first time. */
static int runs;
static void ask_once(void) {
    if (runs && syscall(SYS_gettid) == getpid()) { runs = 0; raise(SIGINT); }
}
ssize_t write(int file, const void *text, size_t length) {
    ssize_t (*own)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    runs |= file == 1 && (memmem(text, length, "Ctrl-C ends it", 14) || memmem(text, length, "no profile", 10));
    return own(file, text, length);
}
int sem_wait(sem_t *sem) {
    int (*own)(sem_t *) = dlsym(RTLD_NEXT, "sem_wait");
    ask_once();
    return own(sem);
}
int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until) {
    int (*own)(sem_t *, clockid_t, const struct timespec *) = dlsym(RTLD_NEXT, "sem_clockwait");
    ask_once();
    return own(sem, clock, until);
}
"""
TRIES = int(os.environ.get("TRIES", "3"))
"""Each program is interrupted so often, at a time at random; `make soak` tries 200."""
ENDS_IN_S = 60.0
COMMANDS = ["hall", "serve", "serve without a profile"]


def run_python(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[dict[str, Sequence[str]]]:
    """Programs that run until somebody ends them."""
    program = [sys.executable, "-m", "server"]
    with mosquitto(tmp_path) as broker:
        kept = ["--record", f"{tmp_path}/record.sqlite3", "--port", "0"]
        yield {
            "hall": [*program, "hall", "--broker", broker.url, "--database", f"{tmp_path}/hall.sqlite3", "--port", "0"],
            "serve": [*program, "serve", "--profile", str(SESSION / "profile.toml"), *kept],
            "serve without a profile": [*program, "serve", *kept],
        }


def test_work_that_goes_on_after_all_was_to_end_is_said() -> None:
    _, faults = run_python(LATE).communicate(timeout=PATIENCE_S)
    assert "Ctrl-C once more breaks it off" in faults


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("times", ["once", "twice at once", "twice"])
def test_the_first_signal_waits_for_its_turn_and_the_second_does_not(number: signal.Signals, times: str) -> None:
    """A terminal that is closed sends two."""
    with run_python(ASKED, "once" if times != "twice" else times) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        os.kill(program.pid, number)
        if times == "twice at once":
            os.kill(program.pid, signal.SIGHUP)
        assert program.stdout.readline() == "asked\n"
        if times == "twice":
            time.sleep(2 * ONE_ASKING_S)
            os.kill(program.pid, number)
        _, faults = program.communicate(timeout=PATIENCE_S)
    broken_off = (BROKEN_OFF, "referee: broken off at once\n")
    assert (program.returncode, faults) == (broken_off if times == "twice" else (0, ""))


def test_an_end_that_is_asked_for_where_python_forgets_it_comes_all_the_same() -> None:
    with run_python(LOST) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        os.kill(program.pid, signal.SIGINT)
        said, faults = program.communicate(timeout=PATIENCE_S)
    assert (program.returncode, said) == (0, "ended\n")
    assert "Exception ignored" in faults and "KeyboardInterrupt" in faults


@pytest.mark.parametrize("name", COMMANDS)
def test_an_end_that_is_asked_for_just_before_a_wait_comes_all_the_same(
    name: str, commands: dict[str, Sequence[str]], tmp_path: Path
) -> None:
    """A handler that runs in the main thread comes too late there: the hall went on for good."""
    (tmp_path / "before.c").write_text(JUST_BEFORE, encoding="ascii")
    library = tmp_path / "before.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "before.c", "-ldl"], check=True)
    surroundings = os.environ | {"HOME": str(tmp_path), "LD_PRELOAD": str(library)}
    with started(commands[name], env=surroundings, stdout=subprocess.PIPE, text=True) as program:
        assert program.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_program_that_is_interrupted_at_any_time_ends(
    name: str, commands: dict[str, Sequence[str]], tmp_path: Path
) -> None:
    surroundings, chance = os.environ | {"HOME": str(tmp_path)}, random.Random()
    for _ in range(TRIES):
        after_s = chance.uniform(0.0, 2.0)
        with started(
            commands[name], env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as program:
            time.sleep(after_s)
            program.send_signal(signal.SIGINT)
            _, said = program.communicate(timeout=ENDS_IN_S)
            ends = {0, BROKEN_OFF, 1}
            if not re.search(r'cli\.py", line \d+, in main', said):
                ends.add(-signal.SIGINT)  # Python itself was still starting: it ends by the signal
            assert program.returncode in ends, (after_s, said)
            assert "still at work" not in said, (after_s, said)
