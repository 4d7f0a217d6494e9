#!/usr/bin/env python3
"""The ticks of the pages' charts, in Node or else in a browser: axes_test.js says what they must keep.

usage: axes_test.py PROGRAM      the program is not used: the pages' sources are read as they are
Ends with 77 where there is neither."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, find_browser  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def main():
    web = "engine/report/web/"
    source = "\n".join(text_of(p) for p in (web + "gantt/units.js", web + "gantt/dates.js", web + "report/scale.js", "tests/program/web/axes_test.js"))
    golden = [json.dumps(text_of(f"tests/program/web/{name}.txt")) for name in ("axes", "date_axes")]
    call = f"JSON.stringify(axesTest({', '.join(golden)}))"
    if shutil.which("node"):
        done = subprocess.run(["node", "-"], input=f'"use strict";\n{source}\nconsole.log({call});', capture_output=True, text=True)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        wrong = json.loads(done.stdout)
    elif find_browser():
        with Browser() as browser:
            wrong = json.loads(browser.js(f"(() => {{ {source}\nreturn {call}; }})()"))
    else:
        print("skipped: there is neither Node nor Chromium here")
        return 77
    for what in wrong[:20]:
        print(f"FAILED: {what}", file=sys.stderr)
    print(f"{len(wrong)} failures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
