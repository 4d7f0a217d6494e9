#!/usr/bin/env python3
"""The page of `coslice report` in a browser: charts, the campaign's choices, the Gantt in its frame, light and dark.

usage: report_test.py PROGRAM [FOLDER]      FOLDER keeps pages and screenshots
Ends with 77 where there is no browser."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, find_browser  # noqa: E402
from gantt_test import Pages, ROOT, check, data, equal, failures  # noqa: E402

CAMPAIGN = """
[campaign]
name = "loads"
seeds = 3
scenario = "base.toml"
[axes]
policy = ["easy", "fcfs"]
"workload.lublin.load" = [0.63, 0.81]
"""
DEPTHS = CAMPAIGN.replace('"loads"', '"depths"') + '"policy.params.depth" = [1, 100]\n'
BASE = """
[machine]
nodes = 32
[workload]
generator = "lublin"
[workload.lublin]
jobs = 200
"""
EVIL = """
name = "<script>document.title = 'taken over'</script>"
description = "</p><img src=x onerror=alert(1)>"
[machine]
nodes = 4
[workload]
name = "</script><h1>x</h1>"
jobs = [ { submit = 0, nodes = 2, runtime = 50 }, { submit = 1, nodes = 4, runtime = 6 } ]
[policy]
name = "easy"
"""


def charts(browser):
    return browser.js("[...document.querySelectorAll('figure[id]')].map((f) => f.id)")


def test_run(browser, pages):
    pages.run("run", os.path.join(ROOT, "scenarios/quickstart.toml"), "--quiet", "--out", "quick")
    pages.run("report", "quick", "-o", "quick.html")
    browser.open(pages.path("quick.html"))
    equal("charts", charts(browser), ["chart-utilization", "chart-queue", "chart-wait", "chart-response", "chart-slowdown"])
    check("they are drawn", browser.js("[...document.querySelectorAll('.stage')].every((s) => s.querySelectorAll('path').length > 3)"))
    check("no number is missing", not browser.js("/NaN|undefined|Infinity/.test(document.querySelector('main').innerHTML)"))
    check("the scenario is there", "[machine]" in browser.js("document.body.textContent"))
    check("the policy is there", 'backfill = "easy"' in browser.js("document.body.textContent"))


def test_keys(browser):
    """The values of a chart by keys and by the pointer."""
    browser.js("document.querySelector('#chart-wait .stage').focus(); 1")
    said = "document.querySelector('#chart-wait .said').textContent"
    browser.key("Home")
    first = browser.js(said)
    check(f"Home reads the first values: {first!r}", "short" in first and "%" in first)
    browser.key("End")
    check(f"End reads the last: {browser.js(said)!r}", "100\u202f%" in browser.js(said))
    browser.js("document.activeElement.blur(); 1")
    equal("then it is silent", browser.js(said), "")
    box = browser.js("(() => { const b = document.querySelector('#chart-queue .stage').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    browser.mouse("mouseMoved", box[0] + box[2] / 2, box[1] + box[3] / 2)
    check("the pointer reads too", "mean" in browser.js("document.querySelector('#chart-queue .said').textContent"))


def test_frame(browser):
    """The Gantt comes when it is in view, with the theme of the page, and lets the page scroll."""
    frame = "document.querySelector('.gantt-frame')"
    browser.js(f"{frame}.scrollIntoView(); 1")
    browser.wait(f"{frame}.contentDocument?.documentElement?.dataset.ready")
    equal("its jobs", browser.js(f"{frame}.contentDocument.documentElement.dataset.jobs"), "6000")
    browser.settle()
    box = browser.js(f"(() => {{ const b = {frame}.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()")
    view = f"{frame}.contentDocument.documentElement.dataset.view"
    before, top = browser.js(view), browser.js("scrollY")
    x, y = box[0] + box[2] / 2, min(box[1] + box[3] / 2, 600)
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    browser.settle()
    equal("the wheel does not zoom", browser.js(view), before)
    check("but scrolls the page", browser.js("scrollY") < top)
    browser.js(f"{frame}.scrollIntoView(); 1")
    browser.settle()
    browser.click(x, y)
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    browser.settle()
    check("after a click it zooms", browser.js(view) != before)
    browser.js("document.getElementById('theme').click(); 1")
    browser.settle()
    equal("the frame follows the theme", browser.js(f"{frame}.contentDocument.documentElement.dataset.theme"), "dark")
    equal("the page, too", browser.js("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 28)")


def test_campaign(browser, pages):
    pages.write("base.toml", BASE)
    pages.write("loads.toml", CAMPAIGN)
    if os.path.exists(pages.path("loads.sqlite")):  # kept from before
        os.remove(pages.path("loads.sqlite"))
    pages.run("sweep", "loads.toml", "-o", "loads.sqlite")
    pages.run("report", "loads.sqlite", "-o", "loads.html")
    browser.open(pages.path("loads.html"))
    options = "[...document.getElementById('choose-{}').options].map((o) => o.textContent)"
    equal("axes", browser.js(options.format("x")), ["policy", "workload.lublin.load"])
    title = "document.querySelector('#campaign-chart h3').textContent"
    equal("it begins with the wait over the load", browser.js(title), "wait, all jobs over workload.lublin.load")
    rows = "[...document.querySelectorAll('#campaign-table tr')].map((r) => [...r.cells].map((c) => c.textContent))"
    table = browser.js(rows)
    equal("its table", [table[0], [r[0] for r in table]], [["workload.lublin.load", "easy", "fcfs"], ["workload.lublin.load", "0.63", "0.81"]])
    check("with intervals", all("\u00b1" in cell for row in table[1:] for cell in row[1:]))
    caption = "document.querySelector('#campaign-table caption').textContent"
    check(f"in one unit: {browser.js(caption)}", browser.js(caption) in [f"wait, all jobs, {unit}" for unit in ("s", "min", "h", "d")])
    numbers = [[float(x.replace("\u202f", "").replace(",", "")) for x in cell.split(" \u00b1 ")] for row in table[1:] for cell in row[1:]]
    check(f"written alike: {table[1][1]}", all(len(pair) == 2 and pair[1] > 0 for pair in numbers))
    path = "document.querySelector('#campaign-chart .stage path[stroke-width=\"1.8\"]').getAttribute('d')"
    linear = browser.js(path)
    choose(browser, "scale", 1)
    check("a logarithmic scale draws other lines", browser.js(path) != linear)
    check("of numbers", "NaN" not in browser.js(path))
    choose(browser, "scale", 0)
    choose(browser, "versus", 1)
    check("differences", "difference to easy" in browser.js(title))
    equal("of the other policies", browser.js(rows)[0], ["workload.lublin.load", "fcfs"])
    choose(browser, "x", 0)
    equal("bars have no logarithmic scale", browser.js("document.getElementById('choose-scale') === null"), True)
    check("bars over names", browser.js("document.querySelectorAll('#campaign-chart .stage rect').length") >= 4)
    check("no number is missing", not browser.js("/NaN|undefined|Infinity/.test(document.querySelector('main').innerHTML)"))
    equal("all points", browser.js("document.querySelectorAll('main table')[1].rows.length"), 5)


def test_campaign_with_a_parameter(browser, pages):
    """FCFS has no depth: it stands beside EASY at each one."""
    pages.write("depths.toml", DEPTHS)
    if os.path.exists(pages.path("depths.sqlite")):
        os.remove(pages.path("depths.sqlite"))
    pages.run("sweep", "depths.toml", "-o", "depths.sqlite")
    pages.run("report", "depths.sqlite", "-o", "depths.html")
    browser.open(pages.path("depths.html"))
    rows = "[...document.querySelectorAll('#campaign-table tr')].map((r) => [...r.cells].map((c) => c.textContent))"
    first = browser.js(rows)
    equal("both policies at depth 1", first[0], ["workload.lublin.load", "easy", "fcfs"])
    check("with their figures", all("\u00b1" in cell for row in first[1:] for cell in row[1:]))
    ticks = browser.js("[...document.querySelectorAll('#campaign-chart .stage text')].map((t) => t.textContent)")
    check(f"the values are labelled themselves: {ticks}", "0.63" in ticks and "0.81" in ticks and "0.7" not in ticks)
    choose(browser, "axis-2", 1)
    second = browser.js(rows)
    equal("FCFS is the same at depth 100", [r[2] for r in second], [r[2] for r in first])
    choose(browser, "versus", 2)
    difference = browser.js(rows)
    check("EASY differs from FCFS by a known time", all("\u2013" not in row[1] for row in difference[1:]))
    choose(browser, "versus", 0)
    choose(browser, "x", 2)
    flat = browser.js(rows)
    equal("FCFS over the depths", flat[1][2], flat[2][2])
    choose(browser, "by", 1)
    choose(browser, "axis-0", 1)
    equal("lines by load", browser.js(rows)[0], ["policy.params.depth", "0.63", "0.81"])
    choose(browser, "x", 1)
    choose(browser, "by", 2)
    equal("a policy without a depth is one line", len(browser.js(rows)[0]), 2)
    check("no number is missing", not browser.js("/NaN|undefined|Infinity/.test(document.querySelector('main').innerHTML)"))


def choose(browser, what, option):
    browser.js(f"(() => {{ const s = document.getElementById('choose-{what}'); s.value = '{option}'; s.dispatchEvent(new Event('change')); }})(); 1")
    browser.settle()


def test_several(browser, pages):
    """Several policies beside one another: lines in charts, rows in tables, pictures that move together."""
    pages.run("run", os.path.join(ROOT, "scenarios/quickstart.toml"), "--policy", "fcfs,easy", "--quiet", "--out", "both")
    pages.run("report", "both", "-o", "both.html")
    browser.open(pages.path("both.html"))
    equal("charts", len(charts(browser)), 7)
    legend = "[...document.querySelectorAll('#chart-queue .stage text')].map((t) => t.textContent)"
    check("a line for each policy", {"fcfs", "easy"} <= set(browser.js(legend)))
    check("times have one unit in each table", not browser.js(r"[...document.querySelectorAll('td:not(.text)')].some((c) => /\b(s|min|h|d)\b/.test(c.textContent))"))
    check("the best stands out", browser.js("document.querySelectorAll('td strong').length") > 4)
    roots = []
    for i in (0, 1):
        frame = f"document.querySelectorAll('.gantt-frame')[{i}]"
        browser.js(f"{frame}.scrollIntoView(); 1")
        browser.wait(f"{frame}.contentDocument?.documentElement?.dataset.ready")
        roots.append(f"{frame}.contentDocument.documentElement")
    equal("one axis of time", browser.js(f"{roots[0]}.dataset.view"), browser.js(f"{roots[1]}.dataset.view"))
    before = browser.js(f"{roots[0]}.dataset.view")
    browser.js(f"{roots[0]}.querySelector('#closer').click(); 1")
    browser.settle()
    check("a click zooms the one", browser.js(f"{roots[0]}.dataset.view") != before)
    equal("and the other", browser.js(f"{roots[1]}.dataset.view"), browser.js(f"{roots[0]}.dataset.view"))
    browser.js(f"(() => {{ const r = {roots[0]}; r.querySelector('#job').value = '17'; r.querySelector('#search').requestSubmit(); }})(); 1")
    browser.settle()
    equal("a job that is found is shown in both", browser.js(f"{roots[1]}.dataset.view"), browser.js(f"{roots[0]}.dataset.view"))
    pages.run("gantt", "both", "-o", "gantts.html")
    browser.open(pages.path("gantts.html"))
    equal("two pictures", browser.js("document.querySelectorAll('.gantt-frame').length"), 2)


def test_paper(browser, pages):
    """Printed: pictures in the place of frames, and no heading alone at the foot of a page."""
    browser.open(pages.path("both.html"))
    browser.call("Emulation.setEmulatedMedia", media="print")
    equal("drawings are shown", browser.js("[...document.querySelectorAll('.paper')].map((i) => i.complete && i.naturalWidth > 0 && i.offsetHeight > 100)"), [True, True])
    equal("frames are not", browser.js("document.querySelector('.gantt-frame').offsetHeight"), 0)
    equal("headings stay with what follows", browser.js("[...document.querySelectorAll('h2, h3')].every((h) => getComputedStyle(h).breakAfter === 'avoid')"), True)
    equal("paper is white", browser.js("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.theme(False)


def test_narrow(browser, pages):
    """A table that runs out of a narrow window says so."""
    browser.size(400, 900)
    browser.open(pages.path("both.html"))
    box = "[...document.querySelectorAll('.scroll')].find((s) => s.scrollWidth > s.clientWidth)"
    check("a table is wider", browser.js(f"!!{box}"))
    check("its bar takes room", browser.js(f"{box}.offsetHeight - {box}.clientHeight") >= 8)
    check("it has shadows", browser.js(f"getComputedStyle({box}).backgroundImage").count("gradient") == 4)
    browser.size(1280, 800)


def test_sizes(browser, pages):
    """Wide and narrow, light and dark: nothing runs out of the window, no two texts of a chart lie on one another."""
    for name in ("quick", "loads", "both"):
        for width in (1400, 400):
            browser.size(width, 900)
            for dark in (False, True):
                browser.theme(dark)
                browser.open(pages.path(f"{name}.html"))
                where = f"{name}, {width} wide, {'dark' if dark else 'light'}"
                check(f"{where}: no sideways scrolling", browser.js("document.documentElement.scrollWidth") <= width)
                equal(f"{where}: overlapping texts", browser.js(OVERLAPS), [])
                browser.screenshot(pages.path(f"{name}-{width}-{'dark' if dark else 'light'}.png"))
    browser.size(1280, 800)
    browser.theme(False)


OVERLAPS = """[...document.querySelectorAll('.stage')].flatMap((stage) => {
  const frame = stage.getBoundingClientRect(), texts = [...stage.querySelectorAll('text')].filter((t) => !t.hasAttribute('transform'));
  const boxes = texts.map((t) => t.getBoundingClientRect()), found = [];
  boxes.forEach((a, i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1) found.push(`outside: ${texts[i].textContent}`);
    boxes.forEach((b, k) => {
      if (k > i && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) found.push(`${texts[i].textContent} / ${texts[k].textContent}`);
    });
  });
  return found;
})"""


def test_names(browser, pages):
    """Names that would be markup are shown as they are."""
    pages.write("evil.toml", EVIL)
    pages.run("report", "evil.toml", "-o", "evil.html")
    browser.open(pages.path("evil.html"))
    equal("the title", browser.js("document.title"), "<script>document.title = 'taken over'</script>, easy")
    equal("no markup came in", browser.js("document.querySelectorAll('img:not(.paper), h1').length"), 1)


def test_policy(browser, pages):
    """The content policy forbids every script but its own."""
    with open(pages.path("evil.html")) as page:
        text = page.read()
    pages.write("taken.html", text.replace("</body>", "<script>document.title = 'taken over'</script></body>"))
    browser.open(pages.path("taken.html"))
    check("a foreign script does not run", browser.js("document.title") != "taken over")
    check("the browser complains", any("Content Security Policy" in c for c in browser.complaints))


def main():
    if find_browser() is None:
        print("skipped: there is no Chromium here")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        pages = Pages(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else scratch)
        with Browser(1280, 800) as browser:
            test_run(browser, pages)
            test_keys(browser)
            test_frame(browser)
            test_campaign(browser, pages)
            test_campaign_with_a_parameter(browser, pages)
            test_several(browser, pages)
            test_paper(browser, pages)
            test_narrow(browser, pages)
            test_sizes(browser, pages)
            test_names(browser, pages)
            equal("complaints of the browser", browser.complaints, [])
            test_policy(browser, pages)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
