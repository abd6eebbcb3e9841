"""Every operation of the document with odd inputs: nothing breaks, and what comes is what is promised."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server.board.pages.app import create_app
from server.web.access.accounts import Accounts, Door, add_key, create_account, write_accounts
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.server.documented import tried
from tests.server.script import OPENING, Script

EXAMPLES = int(os.environ.get("EXAMPLES", "6"))
"""For each of some thirty operations; `make attack` asks for 18."""

script = Script(Feed())
for notation in OPENING:
    script.play(notation)
script.feed.update_image(np.full((48, 64, 3), 128, np.uint8))
schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", create_app(script.feed, lambda act: None, script.game))


@schema.exclude(path_regex=r"\.mjpeg$").parametrize()
@tried(EXAMPLES)
def test_no_input_breaks_an_operation(case: schemathesis.Case) -> None:
    case.call_and_validate(
        checks=[not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    )


def test_the_document_is_for_those_with_an_account_too(tmp_path: Path) -> None:
    account, key = add_key(create_account("program", "arbiter", ""))
    write_accounts(tmp_path / "accounts.json", Accounts().with_account(account))
    app = create_app(
        script.feed, lambda act: None, script.game, visitors=Visitors(door=Door(tmp_path / "accounts.json"))
    )
    document = app.test_client().get("/api/v1/openapi.json", headers={"Authorization": f"Bearer {key}"})
    assert document.get_json()["openapi"] == "3.1.0"
