"""The documents keep their promises: examples run, links lead somewhere, every command and event is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click import Group

from engine.match import events
from server.cli import referee

ROOT = Path(__file__).parent.parent
LONGEST_README = 700
"""Words."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102  # it is our own text
    assert capsys.readouterr().out.splitlines()[0] == "100"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_link_of_the_documents_leads_to_a_file(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)\)", text) + re.findall(r'src="([^"]+)"', text):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_each_test_of_the_threat_table_is_there() -> None:
    text = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"## Who can do what.*?(?=\n## )", text, re.DOTALL)
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for row in rows:
        shown = re.findall(r"`(\S*test\S*)`", row.split("|")[-2])
        assert shown, row
        for name in shown:
            assert (ROOT / name).exists() or list((ROOT / "tests").rglob(name)), name


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < LONGEST_README


def test_every_command_is_in_the_documents() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in referee.list_commands(None):  # type: ignore[arg-type]  # the folder does not look at the context
        assert f"referee {name}" in text, name


def test_the_words_of_each_command_are_in_the_documents() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").replace("\\|", "|")
    for name in referee.list_commands(None):  # type: ignore[arg-type]  # the folder does not look at the context
        group = referee.get_command(None, name)  # type: ignore[arg-type]
        words = set(group.commands) if isinstance(group, Group) else set()
        said = re.findall(rf"`referee {name} ([a-z|-]+)", text)
        assert words <= {word for line in said for word in line.split("|")}, name


def test_the_table_of_what_people_expect_adds_up() -> None:
    text = (ROOT / "docs" / "expected.md").read_text(encoding="utf-8")
    answers = re.findall(r"^\| \d+ \|[^|]*\|[^|]*\| (yes|partly|no) \| [^|]+ \|$", text, re.MULTILINE)
    assert len(answers) == 30
    assert ", ".join(f"{answers.count(word)} {word}" for word in ("yes", "partly", "no")) in text


def test_every_event_is_in_the_documents() -> None:
    text = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    for kind in events.Event.__subclasses__():
        assert f"`{kind.name}`" in text, kind.name
