"""No test reads the settings or the record of who runs it, and each takes one core: the tests run side by side."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile

from hypothesis import HealthCheck, settings

from tests.warm_start import install_warm_starts

# The same examples in every run, so that a change is judged by what it changed; `make fuzz` looks for new ones.
settings.register_profile(
    "steady", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # a slow machine is no fault
settings.load_profile("steady")

for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
    os.environ[name] = tempfile.mkdtemp(prefix="referee-test-")
# What is dear to make is made once for all processes of a run (tests/server/board/live/seen_once.py).
if "SHARED_BY_TESTS" not in os.environ:
    os.environ["SHARED_BY_TESTS"] = tempfile.mkdtemp(prefix="referee-test-")
    atexit.register(shutil.rmtree, os.environ["SHARED_BY_TESTS"], ignore_errors=True)
# Programs that tests start are compiled once, not by each of them anew: this is set in many containers.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False  # the tests themselves too
for name in ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# In the background of a script Ctrl-C is ignored, under `nohup` the end of the terminal, and by whatever is started
# there: services could not be ended by them.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

if not os.environ.get("COLD_STARTS"):
    install_warm_starts()
