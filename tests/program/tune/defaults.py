"""Are the defaults of policies good on real logs? Tunes six policies on four logs, for the table and the picture of
docs/defaults.md.

usage: defaults.py PROGRAM [--runs N] [--json FILE] [--write FOLDER] [--from FILE]

Each log gives 24 blocks of 250 jobs that are spread evenly over it, one after the other: a search takes seconds then,
not hours. --json keeps what came out, --from shows that, --write writes the picture into a folder.
"""
import argparse
import gzip
import json
import pathlib
import resource
import sys
import tempfile

import grid
import workloads

BLOCKS, JOBS = 24, 250
GROUPS = "machine.processors = 2\nmachine.cores = 2\n[slowdown]\nmodel = \"drawn\"\n"
PAIRS = ("machine.processors = 1\nmachine.cores = 2\n[slowdown]\nmodel = \"resources\"\nmix = [0.4, 0.3, 0.3]\n"
         "[engine]\nprocesses_per_node = 1\n")
LOGS = [("KTH-SP2", "KTH-SP2-1996_via-predictsim.swf.gz"), ("SDSC-SP2", "SDSC-SP2-1998_via-predictsim.swf.gz"),
        ("CTC-SP2", "CTC-SP2-1996_via-predictsim.swf.gz"), ("SDSC-BLUE", "SDSC-BLUE-2000_via-predictsim.swf.gz")]
POLICIES = [
    ("Scojo-PECT", "scojo_pect", "interval=1800:14400:log,medium_share=0.1:0.8,short_slice=60:1200:log", ""),
    ("G-LOMARC-TS", "glomarc_ts", "max_slowdown=1:2,min_gain=0:1,slack=1:4", GROUPS),
    ("LOMARC", "lomarc", "max_slowdown=1:2.2,medium=600:36000:log", PAIRS),
    ("EASY", "easy", "reservations=1:16:log,depth=5:250:log", ""),
    ("multifactor", "multifactor", "size_weight=10:100000:log,shortness_weight=10:100000:log", ""),
    ("Slurm", "slurm", "bf_interval=30:600:log,PriorityWeightAge=1:100000:log,PriorityWeightJobSize=1:100000:log", ""),
]


def cut(file, folder, name):
    """Writes the blocks of the log as a log of their own."""
    with gzip.open(workloads.SHARED / "traces" / file, "rt", errors="replace") as log:
        lines = log.readlines()
    head = [l for l in lines if l.startswith("; MaxProcs") or l.startswith("; MaxNodes")]
    jobs = [l.split() for l in lines if l.strip() and not l.startswith(";")]
    jobs = sorted((j for j in jobs if float(j[3]) > 0), key=lambda j: float(j[1]))
    rows, last = [], 0
    for block in range(BLOCKS):
        begin = (len(jobs) - JOBS) * block // (BLOCKS - 1)
        these = jobs[begin : begin + JOBS]
        since = float(these[0][1])
        rows += [[*j[:1], "%d" % (last + float(j[1]) - since), *j[2:]] for j in these]
        last += float(these[-1][1]) - since
    (folder / (name + ".swf")).write_text("".join(head) + "".join(" ".join(r) + "\n" for r in rows))


def tune_all(program, runs):
    out = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for log, file in LOGS:
            cut(file, folder, log)
        for title, policy, params, more in POLICIES:
            for log, _ in LOGS:
                scenario = 'policy.name = "%s"\nworkload.trace = "%s.swf"\n%s' % (policy, log, more)
                (folder / "s.toml").write_text(scenario)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                answer = json.loads(program("tune", "s.toml", "--params", params, "--minimize", "response", "--runs",
                                            runs, "--jobs", 1, "--json", folder=folder))
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                kept = ("verdict", "recommended", "today", "best", "change", "interval")
                row = {key: answer.get(key) for key in kept}
                row.update(policy=title, log=log, params=params, seconds=round(seconds, 1))
                out.append(row)
                print("%-12s %-10s %5.1f s  %s" % (title, log, seconds, answer["sentence"]), file=sys.stderr,
                      flush=True)
    return out


def value_text(value):
    return "%.3g" % value if isinstance(value, float) and value < 1000 else "%d" % value


def setting_text(row):
    return ", ".join("`%s` %s" % (name, value_text(value)) for name, value in row["best"].items())


def signed(x):
    return "%+.1f %%" % (100 * x)


def table(rows):
    lines = ["| policy | log | best setting found | response time | 95 % | better than the defaults? |",
             "| --- | --- | --- | --- | --- | --- |"]
    for r in rows:
        found = r["best"] != r["today"] and r["change"] is not None
        lines.append("| %s | %s | %s | %s | %s | %s |" % (
            r["policy"], r["log"], setting_text(r) if found else "the defaults", signed(r["change"]) if found else "-",
            "%s to %s" % tuple(map(signed, r["interval"])) if found and r["interval"] else "-",
            "yes" if r["recommended"] else "no: worse" if r["verdict"] == "worse" else "not beyond chance"))
    return "\n".join(lines) + "\n"


def picture(rows):
    """Changes with their intervals, a row for each policy and log."""
    step, left, wide, top = 18, 190, 420, 34
    ends = [x for r in rows for x in (r["interval"] or [])]
    low, high = max(-1.0, min(ends + [-0.1]) - 0.02), min(0.6, max(ends + [0.1]) + 0.02)

    def at(x):
        return left + wide * (min(max(x, low), high) - low) / (high - low)

    height = top + step * len(rows) + 30
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" '
           'font-family="sans-serif" font-size="11">' % (left + wide + 20, height, left + wide + 20, height),
           "<title>Mean response time with tuned parameters, beside that with the defaults</title>",
           "<style>text{fill:#333}.l{stroke:#999}.i{stroke:#2a6fb0;stroke-width:2}.m{fill:#2a6fb0}.n{stroke:#999;"
           "stroke-width:2}.o{fill:#999}@media (prefers-color-scheme:dark){text{fill:#ddd}}</style>",
           '<text x="%d" y="14">Mean response time with tuned parameters, beside the defaults</text>' % 10]
    tick = -1.0
    while tick <= high + 1e-9:
        if tick >= low:
            out.append('<line class="l" x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke-width="%s"/>'
                       '<text x="%.1f" y="%d" text-anchor="middle">%+d %%</text>' %
                       (at(tick), at(tick), top - 8, height - 24, "1.5" if abs(tick) < 1e-9 else "0.4", at(tick),
                        height - 8, round(100 * tick)))
        tick += 0.2
    for i, r in enumerate(rows):
        y = top + step * i + 4
        out.append('<text x="%d" y="%d" text-anchor="end">%s, %s</text>' % (left - 8, y + 4, r["policy"], r["log"]))
        line, mark = ("i", "m") if r["recommended"] else ("n", "o")
        change = r["change"] if r["best"] != r["today"] and r["change"] is not None else 0
        if r["interval"]:
            out.append('<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>' %
                       (line, at(r["interval"][0]), at(r["interval"][1]), y, y))
        out.append('<circle class="%s" cx="%.1f" cy="%d" r="3.5"/>' % (mark, at(change), y))
    return "\n".join(out) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--json")
    parser.add_argument("--from", dest="kept")
    parser.add_argument("--write")
    flags = parser.parse_args()
    if flags.kept:
        rows = json.loads(pathlib.Path(flags.kept).read_text())
    else:
        rows = tune_all(grid.Program(flags.program), flags.runs)
    if flags.json:
        pathlib.Path(flags.json).write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))
    print("%d of %d are better than the defaults beyond chance; %.0f s of processor time" %
          (sum(r["recommended"] for r in rows), len(rows), sum(r["seconds"] for r in rows)))
    if flags.write:
        (pathlib.Path(flags.write) / "defaults.svg").write_text(picture(rows))


if __name__ == "__main__":
    main()
