"""What pyproject.toml cannot say: the compiled core, without which the program does where no compiler is."""

import os
from pathlib import Path

from setuptools import Extension, setup

CORE = Path(os.path.relpath(Path(__file__).parent / "opponent" / "core"))
SOURCES = ("module.c", "position.c", "family.c", "camblam.c", "camblam_check.c", "search.c", "maxn.c")

setup(
    ext_modules=[]
    if os.environ.get("CAMELOT_REFEREE_PURE")
    else [
        Extension(
            "opponent.core._compiled",
            [str(CORE / name) for name in SOURCES],
            depends=[str(CORE / name) for name in ("core.h", "camblam.h", "chains.h")],
            extra_compile_args=["-O3", "-std=gnu11"],
            optional=True,
        )
    ]
)
