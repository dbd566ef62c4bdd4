"""The tests of the package as it lies here, installed or not: ``python3 -m unittest`` in the folder above."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
