"""What the pages of Python show, one block after the other."""

import contextlib
import io
import os
import re
import unittest
from pathlib import Path

from extras import numpy, pandas

ROOT = Path(__file__).resolve().parents[2]


def printed_by(page, least):
    """Runs the blocks of a page in the root of the tree; returns what they print."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.S | re.M)
    assert len(blocks) >= least, page
    names = {}
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for block in blocks:
                exec(compile(block, page, "exec"), names)
    finally:
        os.chdir(before)
    return printed.getvalue()


class Pages(unittest.TestCase):
    def test_python(self):
        printed = printed_by("python.md", 5)
        self.assertIn("fcfs [0.0, 100.0, 150.0]", printed)
        self.assertIn("Means over 3 seeds", printed)

    @unittest.skipUnless(numpy, "numpy is not here")
    def test_learning(self):
        self.assertRegex(printed_by("learning.md", 2), r"at random [0-9.]+, EASY [0-9.]+")

    @unittest.skipUnless(pandas, "pandas is not here")
    def test_from_others(self):
        self.assertRegex(printed_by("from-others.md", 2), r"group\n0 +1740\.0\n1 +3540\.0")


if __name__ == "__main__":
    unittest.main()
