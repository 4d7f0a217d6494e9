"""docs/tutorial.ipynb runs, in Python alone, and as a notebook where nbconvert and a kernel are."""

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOK = DOCS / "tutorial.ipynb"


class Notebook(unittest.TestCase):
    def test_its_cells_run(self):
        cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
        self.assertGreater(len(cells), 8)
        names = {}
        before = os.getcwd()
        os.chdir(DOCS)
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                for cell in cells:
                    self.assertEqual(cell["outputs"], [], "outputs are not kept")
                    exec(compile("".join(cell["source"]), "tutorial.ipynb", "exec"), names)
        finally:
            os.chdir(before)
        self.assertIn("easy [0.0, 100.0,", printed.getvalue())
        self.assertIn("job ", printed.getvalue())

    def test_it_is_a_notebook(self):
        for needed in ("nbconvert", "ipykernel"):
            if importlib.util.find_spec(needed) is None:
                self.skipTest(f"{needed} is not here (Debian: jupyter-nbconvert, python3-ipykernel)")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "docs")
            copy.mkdir()
            copy.joinpath("tutorial.ipynb").write_text(NOTEBOOK.read_text())
            Path(folder, "scenarios").symlink_to(DOCS.parent / "scenarios")
            command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "out.ipynb",
                       "--ExecutePreprocessor.timeout=300", str(copy / "tutorial.ipynb")]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600,
                                  env=os.environ | {"HOME": folder})
            self.assertEqual(done.returncode, 0, done.stderr)
            cells = [c for c in json.loads((copy / "out.ipynb").read_text())["cells"] if c["cell_type"] == "code"]
        self.assertIn("image/svg+xml", cells[0]["outputs"][0]["data"])
        self.assertIn("text/html", cells[1]["outputs"][0]["data"])


if __name__ == "__main__":
    unittest.main()
