"""Runs all tests, and ends with a line of counts as the other parts of the project have it."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path


def main() -> int:
    folder = Path(__file__).resolve().parent
    suite = unittest.defaultTestLoader.discover(str(folder), top_level_dir=str(folder.parent))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f"  did not run: {test.id()} ({reason})")
    # Cases within one test may fail each; the test is one.
    failed = len({str(test).partition(") ")[0] for test, _ in result.failures + result.errors})
    skipped = len(result.skipped)
    print(f"{max(0, result.testsRun - failed - skipped)} passed, {failed} failed, {skipped} skipped")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
