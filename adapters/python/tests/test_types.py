"""The package is typed, and so are its tests."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.hives import PACKAGE, PATIENCE_S

PROGRAM = shutil.which("mypy")
MYPY = [sys.executable, "-m", "mypy"] if importlib.util.find_spec("mypy") else [PROGRAM] if PROGRAM else []


class TypesTest(unittest.TestCase):
    @unittest.skipUnless(MYPY, "mypy is not installed")
    def test_mypy_has_nothing_to_say(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            command = [*MYPY, "--cache-dir", cache]
            ran = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=4 * PATIENCE_S)
        self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)

    def test_it_says_so(self) -> None:
        self.assertTrue((PACKAGE / "src/pheromone/py.typed").is_file())


if __name__ == "__main__":
    unittest.main()
