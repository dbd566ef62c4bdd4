"""Trusts the hooks that Codex finds in a project, as a person does by typing /hooks in it.

    codex_trust.py PROGRAM PROJECT CONFIG

PROGRAM is Codex; what it says of its hooks goes to CONFIG, its config.toml. It prints a line for each hook.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def ask(program: str, project: str) -> list[dict[str, Any]]:
    """What `codex app-server` knows of the hooks in this project."""
    calls = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "agents", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [project]}},
    ]
    server = subprocess.Popen([program, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin and server.stdout
    try:
        for call in calls:
            server.stdin.write(json.dumps(call) + "\n")
            server.stdin.flush()
        for line in server.stdout:
            said = json.loads(line)
            if said.get("id") == 2:
                return said["result"]["data"][0]["hooks"]
    finally:
        server.kill()
        server.wait()
    raise SystemExit("codex app-server did not say which hooks it knows")


def main() -> None:
    program, project, config = sys.argv[1:]
    with Path(config).open("a") as settings:
        for hook in ask(program, project):
            print(hook["trustStatus"], hook["key"])
            if hook["trustStatus"] != "trusted":
                settings.write(f'\n[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n')


if __name__ == "__main__":
    main()
