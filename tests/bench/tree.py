"""The tree of rooms in ARCHITECTURE.md: `python -m tests.bench.tree` writes it anew, `--files` prints every file too.

Each folder says in a line what it is for, and names its files; what they say are the first lines of the docstrings.
"""

from __future__ import annotations

import argparse
import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- tree -->\n", "<!-- end of the tree -->"
LAYERS = ("engine", "opponent", "calibration", "vision", "device", "server")
WIDTH = 120
NAMES_AT = 8
OTHERS = {
    "device/firmware": "The display's firmware, in C.",
    "device/maps": "Which LED belongs to which cell, for boards that others can build too.",
    "server/deploy": "What installs the service on a computer or in a container.",
    "server/static": "Style sheets and scripts of the pages.",
    "server/templates": "The pages.",
}
"""Folders without an `__init__.py` that could say it."""


def said(file: Path) -> str:
    """The first line of a file's docstring."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


def folders(folder: Path) -> Iterator[tuple[Path, str, list[Path]]]:
    """This folder and all below it: what each is for, and its Python files."""
    files = sorted(file for file in folder.glob("*.py") if file.stem.strip("_") not in {"init", "main"})
    name = folder.relative_to(ROOT).as_posix()
    if name in OTHERS:
        yield folder, OTHERS[name], []
        return
    yield folder, said(folder / "__init__.py"), files
    for below in sorted(folder.iterdir()):
        if (below / "__init__.py").exists() or below.relative_to(ROOT).as_posix() in OTHERS:
            yield from folders(below)


def tree(with_files: bool = False) -> str:
    """The tree as text, at most WIDTH columns wide; `with_files`: a line for each file as well."""
    lines = []
    for layer in LAYERS:
        for folder, purpose, files in folders(ROOT / layer):
            name = folder.relative_to(ROOT).as_posix()
            lines.append(f"{name}/  {purpose.partition('. ')[0].rstrip('.')}")
            if with_files:
                lines += [f"{'':{NAMES_AT}}{file.stem}  {said(file)}" for file in files]
            else:
                names = " ".join(file.stem for file in files)
                indent = " " * NAMES_AT
                lines += textwrap.wrap(names, WIDTH, initial_indent=indent, subsequent_indent=indent)
        lines.append("")
    return "\n".join(lines)


def page(text: str) -> str:
    """A page with the tree of today between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}```\n{tree()}```\n{END}{after}"


def main() -> None:
    """Write the tree into the page, or print it with every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="print every file with its purpose, and write nothing")
    if parser.parse_args().files:
        print(tree(with_files=True))
    else:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
