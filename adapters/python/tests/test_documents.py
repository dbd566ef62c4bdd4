"""What the documents show is how it is: their Python runs, and their lists are complete."""

from __future__ import annotations

import contextlib
import io
import os
import re

from pheromone import CAPABILITIES
from pheromone.guard import HIVE
from tests.hives import PACKAGE, REPOSITORY, HiveTest

GUIDE = REPOSITORY / "docs/guide/python.md"
README = PACKAGE / "README.md"


class DocumentsTest(HiveTest):
    def test_their_blocks_run_one_after_the_other(self) -> None:
        for document in (README, GUIDE):
            blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)
            self.assertTrue(blocks)
            printed = io.StringIO()
            before = os.getcwd()
            os.chdir(self.root)
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile("\n".join(blocks), str(document), "exec"), {})
            finally:
                os.chdir(before)
            self.assertIn("the disk is nearly full", printed.getvalue())
            key = re.search(r"^([0-9a-f]{64})$", printed.getvalue(), re.MULTILINE)
            self.assertTrue(key is None or f"--public {key[1]}" in document.read_text())
        self.assertEqual([], self.waiting("ops"))
        self.assertEqual(2, len(list((self.root / HIVE / "inbox/user-you").glob("*.md"))))

    def test_what_it_leaves_to_others_is_listed(self) -> None:
        section = GUIDE.read_text().split("leaves to")[1]
        self.assertEqual(set(CAPABILITIES), set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)))

    def test_every_module_is_in_the_list(self) -> None:
        listed = set(re.findall(r"`(?:pheromone\.)?(\w+)`", README.read_text()))
        modules = {path.stem for path in (PACKAGE / "src/pheromone").glob("*.py")}
        files = {"files", "filesystem", "layout", "root"}
        parts = files | {"__init__", "characters", "yaml", "config", "claimtoken", "journal"}
        self.assertEqual(set(), modules - listed - parts)
