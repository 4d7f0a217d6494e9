"""What docs/python.md shows, one block after the other."""

import contextlib
import io
import os
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Page(unittest.TestCase):
    def test_its_blocks_run(self):
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "python.md").read_text(), re.S | re.M)
        self.assertGreater(len(blocks), 4)
        names = {}
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                for block in blocks:
                    exec(compile(block, "docs/python.md", "exec"), names)
        finally:
            os.chdir(before)
        self.assertIn("fcfs [0.0, 100.0, 150.0]", printed.getvalue())
        self.assertIn("Means over 3 seeds", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
