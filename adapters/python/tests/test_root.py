"""Which hive a folder belongs to."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from pheromone import Hive, NoHive, find_root


class RootTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(os.path.realpath(folder.name))
        self.main = self.top / "main"
        (self.main / ".git/worktrees/side").mkdir(parents=True)
        (self.main / ".git/worktrees/side/commondir").write_text("../..\n")
        (self.main / ".git/config").write_text("[core]\n\tbare = false\n")
        self.side = self.top / "side"
        (self.side / "src").mkdir(parents=True)
        (self.side / ".git").write_text(f"gitdir: {self.main}/.git/worktrees/side\n")

    def test_it_is_the_nearest_above(self) -> None:
        (self.main / ".deia").mkdir()
        (self.main / "a/b").mkdir(parents=True)
        self.assertEqual(self.main, find_root(self.main / "a/b"))
        (self.main / "a/.deia").mkdir()
        self.assertEqual(self.main / "a", find_root(self.main / "a/b"))

    def test_a_linked_work_tree_shares_the_main_ones(self) -> None:
        (self.main / ".deia").mkdir()
        self.assertEqual(self.main, find_root(self.side / "src"))
        (self.side / ".deia").mkdir()
        self.assertEqual(self.main, find_root(self.side / "src"), "a copy of the versioned files is no hive")
        (self.side / ".deia/hive.yaml").write_text("format: 1\nseparate: true\n")
        self.assertEqual(self.side, find_root(self.side / "src"))

    def test_a_root_that_is_named_is_no_other_hive_and_none_is_made(self) -> None:
        with self.assertRaises(NoHive):
            Hive(self.top / "typo", "nightly-job")
        self.assertFalse((self.top / "typo").exists())
        (self.main / ".deia").mkdir()
        (self.side / ".deia").mkdir()
        self.assertEqual(self.main, Hive(self.side, "nightly-job").root)

    def test_a_main_tree_that_can_not_be_reached_is_an_error(self) -> None:
        (self.side / ".deia").mkdir()
        (self.side / ".git").write_text("gitdir: /nowhere/.git/worktrees/side\n")
        with self.assertRaises(NoHive):
            find_root(self.side)
        with self.assertRaises(NoHive):
            find_root(self.main)

    def test_a_bare_repository_may_have_one_beside_its_trees(self) -> None:
        (self.main / ".git/config").write_text("[core]\n\tbare = true\n")
        with self.assertRaises(NoHive):
            find_root(self.side)
        (self.top / ".deia").mkdir()
        self.assertEqual(self.top, find_root(self.side))

    def test_a_name_that_is_taken_by_something_else_is_an_error(self) -> None:
        (self.top / ".deia").mkdir()
        (self.main / ".deia").write_text("")
        with self.assertRaisesRegex(NoHive, "expected one"):
            find_root(self.main)


if __name__ == "__main__":
    unittest.main()
