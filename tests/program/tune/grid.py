"""How near does `coslice tune` come to an exhaustive grid, with a tenth of its runs?

usage: grid.py PROGRAM [--only NAME]... [--seed N] [--folder FOLDER]

The workloads are in workloads.py. On each of them a grid of settings is run on all workloads of the search; `tune` has
the same ranges and a tenth of these runs, those by which it judges among them. What each of the two finds is then run
on workloads that neither has seen. A workload is met where the mean of what `tune` found is at most 2 % above that of
the grid's best; 18 of 20 must be met. "today" is the setting without either; "advised" is today's where `tune` says
that the difference may be chance; "own" is what it found on the grid's own workloads, on which the grid's best is the
best by choice.
"""
import argparse
import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import workloads

NEAR = 0.02
MISSES = 0.1  # of all workloads


class Program:
    def __init__(self, path):
        self.path = os.path.realpath(path)

    def __call__(self, *arguments, folder):
        done = subprocess.run([self.path, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit("coslice " + " ".join(map(str, arguments)) + "\n" + done.stderr + done.stdout)
        return done.stdout


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def cost_of(summary, figure):
    found = summary["trimmed"]["all"] if figure in ("wait", "response", "bounded_slowdown") else summary
    for part in (figure + ".mean" if found is not summary else figure).split("."):
        found = found[part]
    return found


def run_all(program, folder, name, work, points, there):
    """Runs the points on the workloads `there`; returns lists of costs by point, in their order."""
    names = list(work.params)
    lines = ["[campaign]", "scenario = " + toml(there.scenario)]
    if there.seeds:
        lines += ["seeds = " + toml(there.seeds)]
    lines += ["[axes]"]
    if there.windows:
        lines += ['"workload.window" = ' + toml(there.windows)]
    lines += ["[[zipped]]"]
    for i, param in enumerate(names):
        lines.append('"policy.params.%s" = %s' % (param, toml([point[i] for point in points])))
    file, results = folder / (name + "-runs.toml"), folder / (name + "-runs.sqlite")
    file.write_text("\n".join(lines) + "\n")
    program("sweep", file, "-o", results, "--workers", 1, *(["--resume", "--prune"] if results.exists() else []),
            folder=folder)
    costs = {}
    for point, summary in sqlite3.connect(results).execute("SELECT point, summary FROM runs ORDER BY run"):
        point = json.loads(point)
        key = tuple(point["policy.params." + p] for p in names)
        costs.setdefault(key, []).append(cost_of(json.loads(summary), work.figure))
    return [costs[tuple(point)] for point in points]


def mean(values):
    return sum(values) / len(values)


def tuned(program, folder, work, there, runs, seed):
    """What tune advises, and what it found."""
    params = ",".join("%s=%s" % (name, work.params[name].flag()) for name in work.params)
    options = ["--params", params, "--runs", runs, "--seed", seed, "--jobs", 1, "--json", "--minimize",
               "slowdown" if work.figure == "bounded_slowdown" else work.figure]
    answer = json.loads(program("tune", there.scenario, *options, folder=folder))
    settings = [[answer[which][name] for name in work.params] for which in ("best", "today")]
    assert answer["runs"] <= runs, (answer["runs"], runs)
    return settings[0], settings[0] if answer["recommended"] else settings[1], answer


def one(program, work, folder, seed):
    folder.mkdir(parents=True, exist_ok=True)
    work.make(program, folder)
    points = work.grid()
    costs = run_all(program, folder, "grid", work, points, work.search)
    means = [mean(c) for c in costs]
    best = points[means.index(min(means))]
    grid_runs = sum(map(len, costs))
    runs = grid_runs // 10
    found, advised, answer = tuned(program, folder, work, work.search, runs, seed)
    today = [answer["today"][name] for name in work.params]
    judged = []
    for setting in (best, found, advised, today):
        if setting not in judged:
            judged.append(setting)
    judge = [mean(c) for c in run_all(program, folder, "judge", work, judged, work.judge)]
    own = [mean(c) for c in run_all(program, folder, "own", work, judged, work.search)]
    def above(setting, values):
        return values[judged.index(setting)] / values[judged.index(best)] - 1
    return {
        "grid": len(points), "grid_runs": grid_runs, "runs": answer["runs"], "best": best, "found": found,
        "advised": advised, "today_above": above(today, judge), "above": above(advised, judge),
        "found_above": above(found, judge), "own_above": above(found, own), "verdict": answer["verdict"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder")
    parser.add_argument("--verbose", action="store_true")
    flags = parser.parse_args()
    program = Program(flags.program)
    scratch = tempfile.TemporaryDirectory()
    folder = pathlib.Path(flags.folder or scratch.name)
    met, count, total = 0, 0, 0.0
    print("%-10s %-28s %5s %6s %5s %8s %8s %8s %8s" %
          ("family", "workload", "grid", "runs", "tune", "today", "found", "advised", "own"))
    for work in workloads.all_of():
        if flags.only and not any(word == work.family or word in work.name for word in flags.only):
            continue
        if work.lacks():
            print("%-10s %-28s skipped: no %s" % (work.family, work.name, work.lacks()))
            continue
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        r = one(program, work, folder / work.name, flags.seed)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        total += seconds
        count += 1
        met += r["found_above"] <= NEAR
        print("%-10s %-28s %5d %6d %5d %+7.1f%% %+7.1f%% %+7.1f%% %+7.1f%%%s" %
              (work.family, work.name, r["grid"], r["grid_runs"], r["runs"], 100 * r["today_above"],
               100 * r["found_above"], 100 * r["above"], 100 * r["own_above"],
               "" if r["found_above"] <= NEAR else "  missed"), flush=True)
        if flags.verbose:
            print("    %.1f s; grid %s, found %s, %s" % (seconds, r["best"], r["found"], r["verdict"]), flush=True)
    print("%d of %d are within %g %% of the grid's best, %.0f s of processor time" % (met, count, 100 * NEAR, total))
    return 0 if met >= (1 - MISSES) * count else 1


if __name__ == "__main__":
    sys.exit(main())
