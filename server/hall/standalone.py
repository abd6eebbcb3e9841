"""A hall that needs nothing prepared: `referee hall` in an empty folder makes what it needs there, and starts it.

Mosquitto runs as its child, with a configuration and accounts of its own; the database is SQLite; one certificate
serves the broker and the pages. A board that shows the hall's code is given an account. The folder is the whole hall:
its copy is its backup.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from engine.errors import InputError
from server.hall import joining
from server.hall.hall_folder import HallFolder, renew_if_due
from server.hall.joining import HALL_ACCOUNT, HOME_ACCOUNT, build_unwritable_error
from server.mqtt.broker import Broker, broker_of
from server.mqtt.broker import check_name as name_of_board
from server.mqtt.certificates import pin_of
from server.web.access.accounts import Accounts, create_account, write_accounts
from server.web.site import Tls
from server.web.tls import ensure_certificate

log = logging.getLogger(__name__)

BROKER_CONFIG, BROKER_LOG, PID = "mosquitto.conf", "mosquitto.log", "mosquitto.pid"
MADE_FIRST = (
    *("acl", "accounts.json", "certificate.key", "certificate.pem", "hall.json", "hall.lock", "mosquitto.conf"),
    *("passwords", "passwords.one"),
)
"""What a folder is given when it becomes a hall's."""
OWN_FILES = re.compile(r"(?m)^password_file (.+)/passwords$")
PORT, PORTS_TRIED = 8883, 20
"""Of the broker: the first of these that is free when the folder becomes a hall's."""
OWN_PREFIX = "camelot"
FIRST_ARBITER, ACCOUNTS = "arbiter", "accounts.json"
OPENS_S = 10.0
"""How long Mosquitto may take to listen."""
ENDS_S = 5.0
"""How long a broker may take to end when it is asked to, before it is killed: one that stands still never does. It is
done in a tenth of a second, and on a busy computer in one or two. Less may kill one that is at its goodbyes, which
loses nothing: it keeps nothing for a hall; more has who starts the hall wait for longer."""
ANSWERS_S = 2.0
"""How long a port of this computer may take to answer: whoever has one and stands still takes no more connections
after some hundred. It takes a millisecond; more waits for longer at a broker that is frozen, less calls one slow."""
BROKER_AGAIN_S = 0.5
"""After a broker that ended by itself."""
MOST_BOARDS = 500


class Standalone:
    """A hall's folder, and the broker that runs out of it. OSError and InputError say why it cannot be."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        """`folder` is empty, or a hall's, whose broker listens at `port` (None: any that is free, or as it did).
        InputError otherwise, or without Mosquitto."""
        self.files, self._wanted = HallFolder(folder), port
        self.folder = self.files.path
        self._lock = threading.Lock()
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
        if program is None:
            raise InputError(
                "hall: the broker Mosquitto is missing: sudo apt install mosquitto (or name one: --broker)"
            )
        self._program, self._closed = program, False
        self._process: subprocess.Popen[bytes] | None = None
        self.password = ""  # nosec B105  # none yet
        """The arbiter's, of a folder that has just become a hall's."""
        self.files.lock_folder()
        kept = self._load_settings()
        self._password, self.port = str(kept["password"]), int(str(kept["port"]))
        self._elsewhere = str(kept.get("broker") or "")
        if port not in {None, self.port}:
            raise InputError(f"--broker-port: the boards of this hall use port {self.port}: leave it out")
        self.had_database = (self.folder / BROKER_LOG).exists()
        """Whether this folder has had its database: the broker is started after it was made."""
        self.renewed = renew_if_due(self.folder)
        """What to say of the certificate, where it was renewed just now."""

    @property
    def tls_files(self) -> Tls:
        """The certificate of broker and pages."""
        return self.files.tls_files

    @property
    def certificate_der(self) -> bytes:
        """The same as DER."""
        return ssl.PEM_cert_to_DER_cert(Path(self.tls_files.cert).read_text(encoding="ascii"))

    @property
    def has_broker(self) -> bool:
        """Whether the broker is its own: it runs in this folder."""
        return not self._elsewhere

    @property
    def broker(self) -> Broker:
        """Where the hall itself reaches the broker."""
        if self._elsewhere:
            return broker_of(self._elsewhere)
        where = f"127.0.0.1:{self.port}/{OWN_PREFIX}"
        return broker_of(f"mqtts://{HALL_ACCOUNT}:{self._password}@{where}?pin={self._pin()}")

    def board_names(self) -> list[str]:
        """The boards that have an account."""
        names = [line.partition(":")[0] for line in self._passwords_path().read_text(encoding="utf-8").splitlines()]
        return [name for name in names if name not in {HALL_ACCOUNT, HOME_ACCOUNT}]

    def admit_board(self, name: str, address: str) -> str:
        """Give a board an account, of that name or of the next free one; the code by which it publishes to `address`.

        A board that has one already is given another password. InputError for a name that none can have.
        """
        with self._lock:
            known = self.board_names()
            if len(known) >= MOST_BOARDS:
                raise InputError(f"this hall has {MOST_BOARDS} boards already")
            free = next(one for one in (f"table-{n}" for n in range(1, MOST_BOARDS + 2)) if one not in known)
            board = name_of_board(name or free, "name")
            if board in {HALL_ACCOUNT, HOME_ACCOUNT}:
                raise InputError(f"name {board!r}: is the hall's own")
            password = secrets.token_urlsafe(joining.PASSWORD_BYTES)
            lines = [
                one
                for one in self._passwords_path().read_text(encoding="utf-8").splitlines()
                if not one.startswith(f"{board}:")
            ]
            self.files.write_file(
                "passwords", "\n".join([*lines, joining.hash_board_password(self.folder, board, password)]) + "\n"
            )
            self.files.write_file("acl", joining.render_access_list(OWN_PREFIX, sorted({*known, board})))
            if self._process is not None:
                self._process.send_signal(signal.SIGHUP)  # it reads both anew
        host = f"[{address}]" if ":" in address else address
        return f"mqtts://{board}:{password}@{host}:{self.port}/{OWN_PREFIX}?pin={self._pin()}"

    def start_broker(self) -> None:
        """Start the broker, and again whenever it ends by itself."""
        self._end_orphan_broker()
        if _is_open(self.port):
            raise InputError(
                f"hall: port {self.port} is taken by another program: end that, for boards that have joined use it"
            )
        self._point_to_folder()
        self._launch_broker()
        end = time.monotonic() + OPENS_S
        while not _is_open(self.port):
            if self._process is None or self._process.poll() is not None or time.monotonic() > end:
                raise InputError(f"hall: Mosquitto does not start: see {self.folder / BROKER_LOG}")
            time.sleep(0.05)
        threading.Thread(target=self._keep_broker_running, name="broker", daemon=True).start()

    def stop_broker(self) -> None:
        """End the broker."""
        self._closed = True
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(ENDS_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self.files.unlock_folder()

    def _pin(self) -> str:
        return pin_of(Path(self.tls_files.cert).read_text(encoding="ascii"))

    def _point_to_folder(self) -> None:
        """Let the broker's files be those of this folder, wherever it was made: it may have been moved, or be a copy of
        one that is lost. What somebody has added stays."""
        said = self._config_path().read_text(encoding="utf-8")
        found = OWN_FILES.search(said)
        own = joining.stay_root(said.replace(f"{found[1]}/", f"{self.folder}/") if found else said)
        if own != said:
            self.files.write_file(BROKER_CONFIG, own)

    def _config_path(self) -> Path:
        return self.folder / BROKER_CONFIG

    def _launch_broker(self) -> None:
        with (self.folder / BROKER_LOG).open("ab") as errors:
            command = [self._program, "-c", str(self._config_path())]
            self._process = subprocess.Popen(  # noqa: S603  # our own paths
                command,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is the hall's: it says goodbye first
            )
        try:
            self.files.write_file(PID, str(self._process.pid))
        except InputError as error:  # it runs all the same
            log.warning("%s: should this hall be killed, end its broker by hand", error)

    def _end_orphan_broker(self) -> None:
        """End the broker of a hall that was killed, and could not end it; also one that stands still."""
        try:
            pid = int((self.folder / PID).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(OSError):
                if self._is_own_broker(pid):
                    os.kill(pid, how)
            end = time.monotonic() + ENDS_S
            while self._is_own_broker(pid) and time.monotonic() < end:
                time.sleep(0.05)

    def _is_own_broker(self, pid: int) -> bool:
        """Whether that process is a broker out of this folder, and has not ended."""
        try:
            return str(self._config_path()).encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False

    def _keep_broker_running(self) -> None:
        while not self._closed:
            process = self._process
            if process is not None and process.wait() is not None and not self._closed:
                log.warning("the broker has ended (%s) and is started again", process.returncode)
                time.sleep(BROKER_AGAIN_S)
                self._launch_broker()

    def _passwords_path(self) -> Path:
        return self.folder / "passwords"

    def _load_settings(self) -> Mapping[str, object]:
        """What the folder says of the hall; made at first. InputError for a folder that is something else's."""
        try:
            if self.files.is_hall:
                return self.files.load_settings()
            if any(self.folder.iterdir()):
                raise InputError(
                    f"hall: {self.folder} has other files in it: start in an empty folder and everything is made "
                    "there, or name a broker: --broker mqtt://host/prefix"
                )
            return self._create_hall()
        except InputError:
            raise
        except OSError as error:
            raise build_unwritable_error(self.folder, error) from error
        except ValueError as error:
            raise InputError(f"hall: {self.folder}: {error}") from error

    def _create_hall(self) -> Mapping[str, object]:
        """Make the folder a hall's; where that fails it is left empty, as it was, for the next try."""
        try:
            return self._write_hall()
        except (OSError, InputError):
            for file in self.folder.iterdir():
                if file.name.removesuffix(".new") in MADE_FIRST:
                    file.unlink()
            raise

    def _write_hall(self) -> Mapping[str, object]:
        self.folder.chmod(0o700)
        tls = ensure_certificate(self.folder, ["localhost", "127.0.0.1", socket.gethostname()])
        free = (port for port in range(PORT, PORT + PORTS_TRIED) if not _is_open(port))
        port = self._wanted or next(free, PORT)
        broker = broker_of(f"mqtts://0.0.0.0:{port}/{OWN_PREFIX}")  # every network: it is for the boards
        passwords = joining.prepare_broker(self.folder, broker, [], (Path(tls.cert), Path(tls.key)))
        password = secrets.token_urlsafe(9)
        write_accounts(
            self.folder / ACCOUNTS, Accounts().with_account(create_account(FIRST_ARBITER, "arbiter", password))
        )
        self.password = password
        said = {"password": passwords[HALL_ACCOUNT], "port": port}
        self.files.save_settings(said)
        self.files.lock_folder()
        return said


def _is_open(port: int) -> bool:
    """Whether somebody has that port, also one who does not answer."""
    with socket.socket() as trying:
        trying.settimeout(ANSWERS_S)
        return trying.connect_ex(("127.0.0.1", port)) in {0, errno.EAGAIN}
