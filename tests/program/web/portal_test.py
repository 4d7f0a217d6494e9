#!/usr/bin/env python3
"""The page of examples/portal in a browser: which jobs it shows, when they start by the reader's clock, what it says of an old forecast.

usage: portal_test.py PROGRAM [FOLDER]      FOLDER keeps the page and screenshots
Ends with 77 where there is no browser."""
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, find_browser  # noqa: E402
from gantt_test import ROOT, check, equal, failures  # noqa: E402


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Tests write several forecasts in a second, which dates of files do not tell apart."""

    def send_head(self):
        del self.headers["If-Modified-Since"]
        return super().send_head()

    def log_message(self, *_):
        pass


class Portal:
    """A folder with the page and a forecast that the portal's script has made, on a server of this machine."""

    def __init__(self, program, folder):
        self.folder = folder
        shutil.copy(os.path.join(ROOT, "examples/portal/index.html"), folder)
        site = os.path.join(folder, "site")
        os.makedirs(site, exist_ok=True)
        self.write("portal.conf", f"FOLDER={site}\nCONF={ROOT}/tests/slurm/portal/slurm.conf\nSTATE={self.path('forecast.json')}\n"
                   'FORECAST="--runs 20 --past 0 --arrivals none"\n')
        os.makedirs(self.path("bin"), exist_ok=True)
        shutil.copy(program, self.path("bin/coslice"))
        path = ":".join([self.path("bin"), os.path.join(ROOT, "tests/slurm/portal/fake"), os.environ["PATH"]])
        subprocess.run([os.path.join(ROOT, "examples/portal/coslice-portal"), self.path("portal.conf")], check=True,
                       capture_output=True, env={**os.environ, "PATH": path})
        with open(self.path("forecast.json"), encoding="utf-8") as file:
            self.made = json.load(file)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/index.html"

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)

    def forecast(self, **changes):
        self.write("forecast.json", json.dumps({**self.made, **changes}))


def rows(browser):
    return browser.js("document.getElementById('table').hidden ? [] : [...document.querySelectorAll('#jobs tr')].map((r) => r.cells[0].firstChild.data)")


def text(browser, of):
    return browser.js(f"document.getElementById('{of}').hidden ? '' : document.getElementById('{of}').innerText")


def ask(browser, question):
    browser.js(f"(() => {{ const q = document.getElementById('question'); q.value = {json.dumps(question)};"
               " q.dispatchEvent(new Event('input')); return 1; })()")


def starts(browser):
    return browser.js("[...document.querySelectorAll('#jobs tr')].map((r) => r.cells[2].innerText)")


def test_questions(browser, portal):
    browser.visit(portal.url)
    equal("all that wait or are held", rows(browser), ["103", "104_1", "104_2", "105"])
    check("the age is there", "looked at" in text(browser, "age") and browser.js("Intl.DateTimeFormat().resolvedOptions().timeZone") in text(browser, "age"))
    check("what the bars are", "80 %" in text(browser, "legend"))
    ask(browser, "103")
    equal("one job", rows(browser), ["103"])
    equal("the question is in the address", browser.js("location.hash"), "#q=103")
    ask(browser, "104")
    equal("an array", rows(browser), ["104_1", "104_2"])
    ask(browser, "104_[2-7%1]")
    equal("a range", rows(browser), ["104_2"])
    ask(browser, "ann")
    equal("a user, with what runs", rows(browser), ["103", "101", "102"])
    check("since when it runs", "runs since" in starts(browser)[1])
    ask(browser, "105")
    check("why it is held", "JobHeldUser" in browser.js("document.getElementById('jobs').innerText"))
    ask(browser, "999")
    equal("no such job", rows(browser), [])
    check("what that may mean", "Job 999 neither waits nor runs here: it has ended, or it came after" in text(browser, "problem"))
    ask(browser, "nobody 103")
    equal("what there is of several", rows(browser), ["103"])
    check("and what is not", "Nobody called nobody" in text(browser, "problem"))
    browser.visit(portal.url + "#q=bob")
    equal("an address with a question", rows(browser), ["104_1", "104_2", "105"])


def test_times(browser, portal):
    """A job that starts in two hours and five minutes, by the clock of a zone that is half an hour off."""
    now = int(time.time())
    job = {**portal.made["jobs"][0], "low": now + 3600, "median": now + 7500, "high": now + 10800}
    late = {**job, "id": "7", "low": now + 3600, "median": None, "high": None}
    due = {**job, "id": "8", "low": now - 60, "median": now - 30, "high": now + 60}
    portal.forecast(queue=now, jobs=[job, late, due])
    browser.visit(portal.url)
    shown = starts(browser)
    clock = time.strftime("%H:%M", time.gmtime(now + 7500 + 19800))
    check(f"in 2 h 05 min, {clock}: {shown[0]}", shown[0].startswith("in 2 h 0") and browser.js(
        f"new Intl.DateTimeFormat('en-GB', {{hour: '2-digit', minute: '2-digit'}}).format({1000 * (now + 7500)})") == clock)
    check("not within the horizon", shown[1].startswith("not within 7 d"))
    check("due", shown[2].startswith("any moment now"))
    places = browser.js("[...document.querySelectorAll('.band')].map((b) => [b.offsetLeft, b.offsetLeft + b.offsetWidth, b.parentNode.offsetWidth])")
    check("the open bar goes to the end", abs(places[1][1] - places[1][2]) <= 3)
    check("bars lie in their order", places[2][1] < places[0][0] and places[0][1] < places[1][1])
    check("no number is missing", not browser.js("/NaN|undefined|Infinity|null/.test(document.querySelector('main').innerHTML)"))


def test_doubts(browser, portal):
    now = int(time.time())
    portal.forecast(queue=now - 5000)
    browser.visit(portal.url)
    check("an old one is said to be", "is 1 h 23 min old" in text(browser, "age") and browser.js("document.getElementById('age').className") == "warning")
    check("and shown", rows(browser))
    portal.forecast(queue=now + 7200)
    browser.visit(portal.url)
    check("one of later is a clock's fault", "is wrong" in text(browser, "age"))
    portal.forecast(jobs=[])
    browser.visit(portal.url)
    equal("nobody waits", text(browser, "more"), "No job waits.")
    portal.forecast(format="coslice forecast 9")
    browser.visit(portal.url)
    check("another version", 'of the format "coslice forecast 9"' in text(browser, "problem"))
    portal.forecast()
    browser.visit(portal.url)
    portal.write("forecast.json", '{"format": "cosl')
    browser.js("read()")
    check("a damaged one is said to be", "cannot be read" in text(browser, "problem"))
    check("what was read before stays", len(rows(browser)) == 4)
    evil = "<img src=x onerror=document.title='taken'>"
    portal.forecast(jobs=[{**portal.made["jobs"][0], "user": evil, "reason": evil, "partition": evil}])
    browser.visit(portal.url)
    check("names are text", evil in browser.js("document.getElementById('jobs').innerText") and browser.js("document.title") != "taken")
    os.remove(portal.path("forecast.json"))
    browser.visit(portal.url)
    check("none is there", "the server says 404" in text(browser, "problem"))
    browser.complaints.clear()  # the browser itself complains of a 404


def test_looks(browser, portal):
    portal.forecast()
    for name, dark, width in (("light", False, 1000), ("dark", True, 1000), ("narrow", False, 380)):
        browser.theme(dark)
        browser.size(width, 700)
        browser.visit(portal.url)
        browser.settle()
        check(f"{name}: the page itself is no wider than the window", browser.js("document.documentElement.scrollWidth <= innerWidth"))
        browser.screenshot(portal.path(f"{name}.png"))
    browser.theme(True)
    dark = browser.js("getComputedStyle(document.body).backgroundColor")
    browser.theme(False)
    check("dark is another ground", dark != browser.js("getComputedStyle(document.body).backgroundColor"))
    browser.size(1280, 800)


def main():
    if not find_browser():
        print("skipped: there is no Chromium here")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = sys.argv[2] if len(sys.argv) > 2 else scratch
        os.makedirs(folder, exist_ok=True)
        portal = Portal(sys.argv[1], os.path.abspath(folder))
        with Browser() as browser:
            browser.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
            for test in (test_questions, test_times, test_doubts, test_looks):
                test(browser, portal)
            equal("the browser complains of nothing", browser.complaints, [])
        portal.server.shutdown()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
