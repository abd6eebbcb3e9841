"""The folder of a hall that needs nothing prepared: what it says of the hall, kept by one program at a time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import InputError
from server.disk import replace_durably
from server.hall.joining import build_unwritable_error
from server.web.site import Tls
from server.web.tls import RENEWED_BEFORE, load_own, renew_certificate

HALL_FILE = "hall.json"
"""The file by which a folder is known to be a hall's."""
HALL_DATABASE = "hall.sqlite3"
LOCK = "hall.lock"
NOTHING_AT_BOARDS = (
    "Boards that have joined know it by its key, which is the same: nothing is to be done there. Browsers ask once "
    "more whether to trust it; who was given certificate.pem, like Home Assistant, is to be given the new one."
)


class HallFolder:
    """A folder that is a hall's, or is to become one."""

    def __init__(self, path: Path) -> None:
        self.path, self._held = path.resolve(), -1

    @property
    def is_hall(self) -> bool:
        """Whether it has become a hall's."""
        return (self.path / HALL_FILE).exists()

    @property
    def tls_files(self) -> Tls:
        """The certificate of broker and pages."""
        return Tls(str(self.path / "certificate.pem"), str(self.path / "certificate.key"))

    def lock_folder(self) -> None:
        """InputError while another program has it: two that run its hall would end each other's broker."""
        if not self.is_hall or self._held >= 0:
            return
        try:
            held = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            raise InputError(
                f"hall: the hall of {self.path} runs already: open its page, or end that program first"
            ) from None
        except OSError as error:
            raise build_unwritable_error(self.path / LOCK, error) from error
        self._held = held  # until the process ends, however it ends

    def unlock_folder(self) -> None:
        """Let another program have it."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def load_settings(self) -> Mapping[str, object]:
        """What it says of the hall. OSError and InputError where that cannot be read."""
        mark = self.path / HALL_FILE
        try:
            said = json.loads(mark.read_text(encoding="utf-8"))
        except ValueError:
            said = None
        if isinstance(said, dict) and {"password", "port"} <= said.keys():
            return said
        raise InputError(f"hall: {mark} is not as it was written: take a copy of it back")

    def save_settings(self, said: Mapping[str, object]) -> None:
        """Say that of the hall from now on."""
        self.write_file(HALL_FILE, json.dumps(said))

    def find_database(self) -> str:
        """The database of its hall: a file, or a URL. InputError where the folder cannot be read."""
        try:
            named = self.load_settings().get("database")
        except OSError as error:
            raise InputError(f"hall: {self.path / HALL_FILE}: {error.strerror}") from error
        if isinstance(named, str) and named:
            return named if "://" in named else str(self.path / named)
        return str(self.path / HALL_DATABASE)

    def keep_database(self, database: str) -> bool:
        """Use that database from now on; whether it was another before. A file in the folder is found there wherever
        the folder lies. InputError where that cannot be written down."""
        if "://" not in database:
            file = Path(database).resolve()
            database = str(file.relative_to(self.path) if file.is_relative_to(self.path) else file)
        if database == (self.load_settings().get("database") or HALL_DATABASE):
            return False
        self._keep("database", database)
        return True

    def keep_broker(self, url: str) -> None:
        """Use the broker at that address from now on, "" for one of its own."""
        self._keep("broker", url)

    def _keep(self, name: str, value: str) -> None:
        try:
            self.save_settings({**self.load_settings(), name: value})
        except OSError as error:
            raise build_unwritable_error(self.path / HALL_FILE, error) from error

    def write_file(self, name: str, text: str) -> None:
        """Replace a file in it, whole and at once. InputError where the disk does not take it."""
        beside = self.path / f"{name}.new"
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            replace_durably(beside, self.path / name)
        except OSError as error:
            raise build_unwritable_error(self.path / name, error) from error


def describe_certificate(cert: Path) -> str:
    """What is to be done about a hall's certificate, in a line; empty while it is good for long, or is not ours."""
    found, now = load_own(cert), datetime.now(UTC)
    if found is None:
        return ""
    if now < found.not_valid_before_utc:
        return (
            f"it begins on {found.not_valid_before_utc:%Y-%m-%d}, and this computer's clock says {now:%Y-%m-%d}: set "
            f"the clock; if it is right: referee hall renew {cert.parent}"
        )
    if found.not_valid_after_utc - now > RENEWED_BEFORE:
        return ""
    ends = "ended" if found.not_valid_after_utc < now else "ends"
    return (
        f"it {ends} on {found.not_valid_after_utc:%Y-%m-%d}: end the hall, type `referee hall renew {cert.parent}`, "
        "and start it again"
    )


def renew_if_due(folder: Path) -> str:
    """Renew the certificate in a folder if it ends soon; what to say of it, empty while it is good for long."""
    before, now = load_own(folder / "certificate.pem"), datetime.now(UTC)
    if before is None or before.not_valid_after_utc - now > RENEWED_BEFORE:
        return ""
    try:
        return renew_hall_certificate(folder)
    except InputError as error:  # boards do not ask for its dates: the hall is not kept from its work
        return f"The certificate of this hall could not be renewed: {error}"


def renew_hall_certificate(folder: Path) -> str:
    """Renew the certificate in a folder; what to say of it. InputError where there is none that was made there."""
    before = load_own(folder / "certificate.pem")
    renewed = renew_certificate(folder)
    was = ""
    if before is not None:
        ended = "ended" if before.not_valid_after_utc < datetime.now(UTC) else "ends"
        was = f", in place of one that {ended} on {before.not_valid_after_utc:%Y-%m-%d}"
    until = f"{renewed.not_valid_after_utc:%Y-%m-%d}"
    return f"The certificate of the hall in {folder} is a new one, good until {until}{was}. {NOTHING_AT_BOARDS}"
