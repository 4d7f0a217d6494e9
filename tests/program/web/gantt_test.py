#!/usr/bin/env python3
"""The page of `coslice gantt` in a browser: what it says, where things lie, what it does when it is used.

usage: gantt_test.py PROGRAM [FOLDER]      FOLDER keeps pages and screenshots
Ends with 77 where there is no browser."""
import csv
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, find_browser  # noqa: E402

SLICED = """
name = "sliced"
seed = 3
[machine]
nodes = 32
[workload]
generator = "lublin"
[workload.lublin]
jobs = {jobs}
load = 0.8
[policy]
name = "scojo_pect"
[policy.params]
memory = "MM5"
"""
BY_HAND = """
name = "by hand"
[machine]
nodes = 4
[workload]
jobs = [ { submit = 0, nodes = 2, runtime = 5000, limit = 11000 }, { submit = 100, nodes = 4, runtime = 600, limit = 600 } ]
[policy]
name = "scojo_pect"
"""
SHARING = """
name = "shared"
[machine]
nodes = 1
cores = 4
[workload]
jobs = [ { submit = 0, processes = 4, runtime = 100 }, { submit = 10, processes = 2, runtime = 200 }, { submit = 20, processes = 2, runtime = 300 } ]
[policy]
name = "pairs.lua"
"""
PAIRS = """
return {
  api = 1, name = "pairs", version = "1",
  sharing = {
    alone = function(job, machine) return machine.cores end,
    shared = function(job, machine) return machine.cores // 2 end,
  },
  schedule = function(view)
    local head = view:head()
    local group = head and view:waiting_candidates():without(head):best_of_all(head, 0.5, 1)
    if group and view:can_start_group(group) then view:start_group(group)
    elseif head and view:fits(head) then view:start(head) end
  end,
}
"""
COLOURS = {"short": (237, 169, 58), "medium": (74, 151, 207), "long": (56, 71, 158)}  # as in colours.js, light
failures = []


def check(what, happened):
    if not happened:
        failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr)


def equal(what, found, expected):
    check(f"{what}: {found!r}, not {expected!r}", found == expected)


class Pages:
    """Makes pages with the program."""

    def __init__(self, program, folder):
        self.program, self.folder = os.path.abspath(program), folder

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stderr

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as out:
            out.write(text)

    def path(self, name):
        return os.path.join(self.folder, name)


def data(browser):
    return browser.js("({...document.documentElement.dataset})")


def view(browser):
    return [float(n) for n in data(browser)["view"].split()]


def tip(browser):
    return browser.js(r"document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText.replace(/\n+/g, '\n')")


def go(browser, fragment):
    browser.js(f"location.hash = {fragment!r}; 1")
    browser.settle()


def pixel(browser, x, y):
    """Colour of the chart at a place of the window."""
    return tuple(browser.js(f"""(() => {{
      const canvas = document.getElementById("chart"), box = canvas.getBoundingClientRect();
      const at = (n, low) => Math.round((n - low) * canvas.width / box.width);
      return [...canvas.getContext("2d").getImageData(at({x}, box.left), at({y}, box.top), 1, 1).data].slice(0, 3);
    }})()"""))


def near(a, b, by=6):
    return all(abs(x - y) <= by for x, y in zip(a, b))


def place(browser, t, node):
    """Where that time and node lie in the window."""
    t0, t1, n0, n1 = view(browser)
    left, top, width, height = (float(n) for n in data(browser)["plot"].split())
    return left + (t - t0) / (t1 - t0) * width, top + (node + 0.5 - n0) / (n1 - n0) * height


def test_by_hand(browser, pages):
    """A long job of two nodes: a foreign job in medium slices, stopped at their ends; a short job that takes all nodes."""
    pages.write("hand.toml", BY_HAND)
    pages.run("gantt", "hand.toml", "-o", "hand.html")
    browser.open(pages.path("hand.html"))
    equal("jobs", data(browser)["jobs"], "2")
    check("the title", browser.js("document.title") == "by hand, scojo_pect")
    check("the legend names the classes that have bars or slices", browser.js("document.getElementById('legend').innerText").split()[:3] == ["short", "medium", "long"])
    go(browser, "at=60,0")
    check(f"job 1 is a foreign job at first: {tip(browser)!r}", tip(browser).startswith("Job 1\nrunning as a foreign job in a medium slice"))
    go(browser, "at=60,3")
    equal("no job is on node 3 then", tip(browser), "")
    x, y = place(browser, 2000, 0)
    browser.mouse("mouseMoved", x, y)
    check(f"the pointer finds job 1 in its slice: {tip(browser)!r}", tip(browser).startswith("Job 1\nrunning in its long slice"))
    check("long jobs have their colour", near(pixel(browser, x, y + 12), COLOURS["long"]))
    end = browser.js("JSON.parse(document.getElementById('about').textContent).to")
    go(browser, f"at={end - 30},0")
    check("it runs to the end", tip(browser).startswith("Job 1"))
    browser.mouse("mouseMoved", 600, place(browser, 0, 3)[1] + 110)
    check(f"the queue speaks: {tip(browser)!r}", "wait" in tip(browser) and "used nodes" in tip(browser))


def test_shared(browser, pages):
    """Two jobs on one node lie side by side while they share it."""
    pages.write("pairs.lua", PAIRS)
    pages.write("shared.toml", SHARING)
    pages.run("gantt", "shared.toml", "-o", "shared.html")
    browser.open(pages.path("shared.html"))
    equal("pieces", data(browser)["bars"], "4")
    x, y = place(browser, 150, 0)
    for shift, job, other in ((-60, 2, 3), (60, 3, 2)):
        browser.mouse("mouseMoved", x, y + shift)
        check(f"job {job} beside {other}: {tip(browser)!r}", tip(browser).startswith(f"Job {job}\nrunning, on this node beside job {other}\n"))
    check("partners have different colours", not near(pixel(browser, x + 30, y - 60), pixel(browser, x + 30, y + 60), 20))
    x, _ = place(browser, 350, 0)
    for shift in (-60, 60):
        browser.mouse("mouseMoved", x, y + shift)
        check("then job 3 has it alone", tip(browser).startswith("Job 3\nrunning\n"))
    browser.click(x, y)
    browser.settle()
    check("the panel names its partner", "shared nodes with\njob 2" in browser.js("document.getElementById('panel-body').innerText"))
    equal("colours are by job", browser.js("document.getElementById('colouring').value"), "job")
    equal("one phase in its story", browser.js("document.querySelectorAll('#panel-body li').length"), 1)


def test_every_job(browser, pages):
    """Jobs of a plain run lie where the job list says."""
    pages.run("run", os.path.join(ROOT, "scenarios/quickstart.toml"), "--quiet", "--out", "quick")
    note = pages.run("gantt", "quick", "-o", "quick.html")
    browser.open(pages.path("quick.html"))
    check("all rectangles are there", f" {int(data(browser)['rectangles']):,} rectangles of 6,000 jobs" in note)
    equal("that number is painted", data(browser)["painted"], "true")
    with open(pages.path("quick/jobs.csv")) as rows:
        jobs = list(csv.DictReader(rows))
    for job in random.Random(7).sample(jobs, 40):
        middle = (float(job["starting_time"]) + float(job["finish_time"])) / 2
        node = job["allocated_resources"].split()[-1].split("-")[-1]
        go(browser, f"at={middle},{node}")
        check(f"job {job['job_id']} is found at {middle} on node {node}", tip(browser).startswith(f"Job {job['job_id']}\n"))
    longest = max(jobs, key=lambda j: float(j["execution_time"]))
    middle = (float(longest["starting_time"]) + float(longest["finish_time"])) / 2
    x, y = place(browser, middle, int(longest["allocated_resources"].split("-")[0].split()[0]))
    go(browser, "colour=class")
    check("painted ones have their colour too", near(pixel(browser, x, y), COLOURS["long"], 30))


def test_use(browser, pages):
    """Wheel, drag, keys, click, search, colours, theme."""
    browser.open(pages.path("quick.html"))
    full = view(browser)
    x, y = 640, 400
    before = place(browser, 0, 0)[0]
    t_under = full[0] + (x - before) / (place(browser, full[1], 0)[0] - before) * (full[1] - full[0])
    for _ in range(8):
        browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240)
    browser.settle()
    near_view = view(browser)
    check("the wheel zooms", near_view[1] - near_view[0] < (full[1] - full[0]) / 30)
    check("about the pointer", near_view[0] < t_under < near_view[1])
    check("fewer rectangles are drawn, one by one", data(browser)["painted"] == "false" and int(data(browser)["drawn"]) < 3000)
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseMoved", x - 100, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
    browser.settle()
    moved = view(browser)
    check("a drag moves", abs((moved[0] - near_view[0]) - (near_view[1] - near_view[0]) * 100 / (1280 - 61 - 10)) < (near_view[1] - near_view[0]) * 0.02)
    check("a drag is no click", browser.js("document.getElementById('panel').hidden"))
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240, modifiers=8)
    browser.settle()
    check("with Shift it zooms the nodes", view(browser)[3] - view(browser)[2] < 128 and view(browser)[0] == moved[0])
    browser.key("ArrowRight")
    browser.settle()
    check("an arrow moves", view(browser)[0] > moved[0])
    browser.key("+")
    browser.settle()
    check("+ zooms", view(browser)[1] - view(browser)[0] < (moved[1] - moved[0]) * 0.8)
    browser.key("0")
    browser.settle()
    equal("0 shows everything", view(browser), full)
    search(browser)
    legend = browser.js("document.getElementById('legend').innerText")
    browser.key("c")
    browser.settle()
    check("c changes the colours", browser.js("document.getElementById('legend').innerText") != legend)
    bright = sum(pixel(browser, 4, 300))
    browser.key("t")
    browser.settle()
    check("t makes it dark", sum(pixel(browser, 4, 300)) < bright - 300)
    browser.key("?")
    check("? shows the keys", browser.js("document.getElementById('keys').open"))


def search(browser):
    browser.key("f")
    equal("f leads to the field", browser.js("document.activeElement.id"), "job")
    browser.js("document.getElementById('job').value = '4711'; document.getElementById('search').requestSubmit(); 1")
    browser.settle()
    equal("the job is shown", browser.js("document.getElementById('panel-title').textContent"), "Job 4711")
    facts = browser.js("[...document.querySelectorAll('#panel-body dd')].map((e) => e.textContent)")
    check(f"with its facts: {facts}", len(facts) >= 9 and facts[0] in COLOURS)
    check("and told to screen readers", "bounded slowdown" in browser.js("document.getElementById('live').textContent"))
    browser.js("document.getElementById('job').value = '99999'; document.getElementById('search').requestSubmit(); 1")
    check("a job that is not there is said", "No job 99999" in browser.js("document.getElementById('live').textContent"))
    browser.js("document.getElementById('chart').focus(); 1")
    browser.key("Escape")
    check("Escape lets it go", browser.js("document.getElementById('panel').hidden"))


def test_sizes(browser, pages):
    """Wide and narrow: nothing runs out of the window."""
    for width, height in ((1600, 900), (760, 1000), (380, 760)):
        browser.size(width, height)
        browser.open(pages.path("hand.html"))
        check(f"{width} wide: no sideways scrolling", browser.js("document.documentElement.scrollWidth") <= width)
        check(f"{width} wide: there is a chart", browser.js("document.getElementById('chart').getBoundingClientRect().height") >= 300)
        for dark in (False, True):
            browser.theme(dark)
            browser.settle()
            browser.screenshot(pages.path(f"hand-{width}-{'dark' if dark else 'light'}.png"))
        browser.theme(False)
    browser.size(1280, 800)


def test_size_changes(browser, pages):
    """A chart of another size is drawn in the same frame: its canvas begins black."""
    browser.open(pages.path("hand.html"))
    equal("its colour", browser.js("""new Promise((done) => {
      const stage = document.getElementById("stage"), chart = document.getElementById("chart"), before = chart.height;
      new ResizeObserver(() => {
        if (chart.height !== before) done([...chart.getContext("2d").getImageData(2, 2, 1, 1).data]);
      }).observe(stage);
      stage.style.maxHeight = "360px";
    })"""), [255, 255, 255, 255])


def test_many(browser, pages):
    """A hundred thousand rectangles; times are told, not judged."""
    pages.write("many.toml", SLICED.format(jobs=20000))
    note = pages.run("gantt", "many.toml", "-o", "many.html")
    browser.open(pages.path("many.html"))
    d = data(browser)
    check("all rectangles are there", f"{int(d['rectangles']):,} rectangles" in note)
    check("there are many", int(d["rectangles"]) > 100000)
    print(f"{int(d['rectangles']):,} rectangles, {os.path.getsize(pages.path('many.html')) / 1e6:.1f} MB: "
          f"shown after {float(d['loadMs']):.0f} ms, drawn in {float(d['drawMs']):.0f} ms")
    browser.screenshot(pages.path("many.png"))


def test_policy(browser, pages):
    """The page's content policy forbids every script but its own."""
    with open(pages.path("hand.html")) as page:
        text = page.read()
    pages.write("evil.html", text.replace("</body>", "<script>document.title = 'taken over'</script></body>"))
    browser.open(pages.path("evil.html"))
    equal("the title", browser.js("document.title"), "by hand, scojo_pect")
    check("the browser complains", any("Content Security Policy" in c for c in browser.complaints))


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def main():
    if find_browser() is None:
        print("skipped: there is no Chromium here")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        pages = Pages(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else scratch)
        with Browser(1280, 800) as browser:
            for test in (test_by_hand, test_shared, test_every_job, test_use, test_sizes, test_many):
                test(browser, pages)
            equal("complaints of the browser", browser.complaints, [])
            test_policy(browser, pages)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
