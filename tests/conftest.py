"""No test reads the settings or the record of who runs it."""

from __future__ import annotations

import os
import tempfile

for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
    os.environ[name] = tempfile.mkdtemp(prefix="referee-test-")
