#!/usr/bin/env python3
"""What `coslice export` writes, read by the rules of its readers.

usage: readers_test.py PROGRAM

Neither evalys nor a viewer of traces can be taken for granted, so their rules stand here:
- evalys (evalys/jobset.py, JobSet.from_csv): a comma-separated table; ranges of resources as "0-3 7", as procset reads
  them; from them the bounds of the machine, the load, and the free resources at each event.
- the Trace Event Format, as Perfetto's importer takes it: times are read as floating point and rounded to nanoseconds,
  complete events of a thread are disjoint or nest, tracks are threads with numbers of their own."""
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

# The columns that evalys names, and what they must be.
NUMBERS = ["submission_time", "requested_number_of_resources", "requested_time", "success", "starting_time", "execution_time",
           "finish_time", "waiting_time", "turnaround_time", "stretch"]
COLUMNS = ["job_id", "workload_name", "profile", "allocated_resources"] + NUMBERS

QUARTERS = 'name = "quarters"\n[machine]\nnodes = 8\n[workload]\ngenerator = "lublin"\n[workload.lublin]\njobs = 300\nload = 0.9\n' \
           'nodes = 8\n[policy]\nname = "conservative"\n'
CASES = {
    "EASY": ("scenarios/quickstart.toml", ["--set", "workload.params.jobs=400", "--policy", "easy"]),
    "conservative": (QUARTERS, []),
    "a log": ("scenarios/traces/campus.swf", ["--policy", "easy"]),
    "time slices": ("scenarios/time_slices.toml", []),
    "shared nodes": ("scenarios/groups.toml", []),
    "coscheduled processes": ("scenarios/two_applications.toml", ["--policy", "gang"]),
}


class Resources:
    """A set of resources, as procset reads and counts it."""

    def __init__(self, text):
        self.members = set()
        for part in text.split(" "):
            ends = [int(end) for end in part.split("-", 1)]  # a ValueError is evalys' ValueError
            assert ends[0] <= ends[-1], text
            self.members |= set(range(ends[0], ends[-1] + 1))


def coslice(folder, *words):
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-5)  # evalys rounds to six digits


def read_jobs(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows, "no job"
    for row in rows:
        missing = [c for c in COLUMNS if row.get(c) in (None, "")]
        assert not missing, (row["job_id"], missing)
        for column in NUMBERS:
            row[column] = float(row[column])
            assert math.isfinite(row[column]), row
        row["resources"] = Resources(row["allocated_resources"]).members
    return rows


def check_jobs(rows, summary, exclusive):
    nodes, resources = summary["machine"]["nodes"], set().union(*(row["resources"] for row in rows))
    assert min(resources) >= 0 and max(resources) < nodes
    assert len({row["job_id"] for row in rows}) == len(rows) == summary["all"]["jobs"]
    for row in rows:
        assert near(row["waiting_time"], row["starting_time"] - row["submission_time"]), row
        assert near(row["execution_time"], row["finish_time"] - row["starting_time"]), row
        assert near(row["turnaround_time"], row["finish_time"] - row["submission_time"]), row
        assert near(row["stretch"], row["turnaround_time"] / row["execution_time"]), row
    wait = sum(row["waiting_time"] for row in rows) / len(rows)
    assert math.isclose(wait, summary["all"]["wait"]["mean"], rel_tol=1e-6), (wait, summary["all"]["wait"]["mean"])
    if not exclusive:
        return
    # JobSet.free_intervals: at each instant what ends gives back before what starts takes.
    events = [(row["starting_time"], 1, row) for row in rows] + [(row["finish_time"], 0, row) for row in rows]
    free = set(range(nodes))
    for _, grabs, row in sorted(events, key=lambda event: event[:2]):
        if grabs:
            assert row["resources"] <= free, (row["job_id"], "takes what is not free")
            free -= row["resources"]
        else:
            free |= row["resources"]
    assert len(free) == nodes
    # JobSet.utilisation: the same mean as ours.
    area = sum(len(row["resources"]) * row["execution_time"] for row in rows)
    span = max(row["finish_time"] for row in rows) - min(row["submission_time"] for row in rows)
    assert math.isclose(area / span / nodes, summary["utilization"], rel_tol=1e-6), (area / span / nodes, summary["utilization"])


def nanoseconds(microseconds):
    return round(float(microseconds) * 1000)


METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}


def check_trace(text, rows, summary, exclusive):
    trace = json.loads(text, parse_float=str, parse_int=int)  # numbers as they are written
    assert trace["displayTimeUnit"] in ("ms", "ns")
    threads, named, counters = defaultdict(list), set(), defaultdict(list)
    for e in trace["traceEvents"]:
        assert isinstance(e["name"], str) and e["name"] and isinstance(e["pid"], int) and isinstance(e["args"], dict), e
        if e["ph"] == "X":
            begin, length = nanoseconds(e["ts"]), nanoseconds(e["dur"])
            assert isinstance(e["tid"], int) and e["tid"] > 0 and begin >= 0 and length > 0, e
            assert isinstance(e["cat"], str)
            threads[e["pid"], e["tid"]].append((begin, begin + length, e["args"]["job"]))
        elif e["ph"] == "C":
            counters[e["pid"], e["name"]].append(nanoseconds(e["ts"]))
            assert e["args"] and all(isinstance(n, int) for n in e["args"].values()), e
        else:
            assert e["ph"] == "M", e
            key, kind = METADATA[e["name"]]
            assert isinstance(e["args"][key], kind), e
            if e["name"] == "thread_name":
                named.add((e["pid"], e["tid"]))
    assert set(threads) == named, "tracks without names, or names without tracks"
    # A viewer takes a thread's number for one thread, whatever its process.
    assert len({tid for _, tid in threads}) == len(threads)
    for track, spans in threads.items():
        spans.sort(key=lambda s: (s[0], -s[1]))
        stack = []
        for begin, end, job in spans:
            while stack and stack[-1] <= begin:
                stack.pop()
            assert not stack or end <= stack[-1], (track, job, "overlaps what it does not lie in")
            stack.append(end)
    for name, times in counters.items():
        assert times == sorted(times), name
    assert len(counters) == 2
    assert {str(job) for spans in threads.values() for _, _, job in spans} == {row["job_id"] for row in rows}
    if exclusive:
        used = sum(end - begin for spans in threads.values() for begin, end, _ in spans) / 1e9
        assert math.isclose(used, sum(len(row["resources"]) * row["execution_time"] for row in rows), rel_tol=1e-9)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (scenario, flags) in CASES.items():
            path = os.path.join(ROOT, scenario)
            if scenario is QUARTERS:
                path = os.path.join(folder, "quarters.toml")
                with open(path, "w", encoding="utf-8") as out:
                    out.write(scenario)
            run = os.path.join(folder, name.replace(" ", "_"))
            coslice(folder, "run", path, *flags, "--quiet", "--out", run)
            with open(os.path.join(run, "summary.json"), encoding="utf-8") as text:
                summary = json.load(text)
            exclusive = name in ("EASY", "conservative", "a log")
            rows = read_jobs(coslice(folder, "export", run, "--format", "evalys", "-o", "-"))
            check_jobs(rows, summary, exclusive)
            check_trace(coslice(folder, "export", run, "--format", "perfetto", "-o", "-"), rows, summary, exclusive)
            print(f"{name}: {len(rows)} jobs")


main()
