"""What the tests share: hives in folders of their own, and programs beside this one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from pheromone import Hive
from pheromone.guard import HIVE, HIVE_LOCK

PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[1]
PATIENCE_S = 60


class HiveTest(unittest.TestCase):
    """A test with a hive, and its sender and worker."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(os.path.realpath(folder.name))
        self.make_hive()
        self.sender = Hive(self.root, "nightly-job")
        self.worker = Hive(self.root, "claude-7f3a")

    def make_hive(self) -> None:
        for domain in ("code", "ops", "user-you"):
            (self.root / HIVE / "inbox" / domain / ".tmp").mkdir(parents=True)
        (self.root / HIVE / "hive.yaml").write_text("format: 1\n")

    def lock_hive(self) -> None:
        """As a person does by hand."""
        (self.root / HIVE / HIVE_LOCK).write_text("release in progress\n")

    def unlock_hive(self) -> None:
        (self.root / HIVE / HIVE_LOCK).unlink()

    def lock(self, folder: str, content: str) -> None:
        (self.root / HIVE / folder).mkdir(exist_ok=True)
        (self.root / HIVE / folder / "list.yaml").write_text(content)

    def waiting(self, domain: str = "ops") -> list[str]:
        return sorted(path.stem for path in (self.root / HIVE / "inbox" / domain).glob("*.md"))

    def archived(self, state: str, domain: str = "ops") -> list[str]:
        return sorted(path.name[:26] for path in (self.root / HIVE / "archive" / domain / state).glob("*/*.md"))

    def types(self) -> list[str]:
        return [event.type for event in self.sender.events().events]


def python(script: str, *arguments: str, under: Sequence[str] = ()) -> "subprocess.Popen[str]":
    """Another process with this package, run by the command ``under`` if there is one; the caller waits for it."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
    return subprocess.Popen(
        [*under, sys.executable, "-c", script, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process: "subprocess.Popen[str]") -> str:
    """What the process printed, once it has ended well."""
    try:
        printed, _ = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    if process.returncode:
        raise AssertionError(f"the process ended with {process.returncode}, expected 0")
    return printed
