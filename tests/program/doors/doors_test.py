#!/usr/bin/env python3
"""A policy in Lua, as a function and a class of Python, as callbacks of C and over Batsim's protocol gives the same bytes.

usage: doors_test.py PROGRAM [LOG...]

Without logs: the shipped one, and nine real ones where they are at hand (COSLICE_SHARED names their folder). Of each
the first 2,500 jobs count; COSLICE_CASES says how many others, 0 all. Ends with 77 where nothing could be compared."""
import os
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
LIBRARY = os.environ.setdefault("COSLICE_LIBRARY", os.path.join(ROOT, "build", "shared", "libcoslice.so"))
SHARED = os.environ.get("COSLICE_SHARED", os.path.join(ROOT, "..", "shared"))
FIRST = os.environ.get("COSLICE_CASES", "2500")
LOGS = ["CTC-SP2-1996_via-predictsim", "KTH-SP2-1996-2", "KTH-SP2-1996_via-predictsim", "NASA-iPSC-1993-3.1-cln",
        "RICC-2010-2", "SDSC-BLUE-2000_via-predictsim", "SDSC-SP2-1998_first5K", "lublin_ref_typed_seed1",
        "lublin_ref_typeless_seed1"]

if not os.path.exists(LIBRARY):
    print("skipped: there is no build/shared/libcoslice.so (./dev library)")
    sys.exit(77)
sys.path.insert(0, os.path.join(ROOT, "python"))
import coslice as cs  # noqa: E402  where the library is must be known


def shortest(job):
    return job.estimate


def area(job):
    return job.nodes * job.estimate


class EasyPass:
    """EASY backfilling from the primitives."""

    def schedule(self, view):
        head = view.start_in_order()
        if head is None:
            return
        shadow, extra = view.shadow(head)
        for job in view.fitting():
            if not view.fits(job):
                continue
            in_time = view.ends_by(job, shadow)
            if in_time or job.nodes <= extra:
                view.start(job)
                extra -= 0 if in_time else job.nodes


class SortedPass:
    def schedule(self, view):
        view.rekey(shortest)
        view.conservative()


class Shortest:
    def key(self, job):
        return job.estimate


class Area:
    backfill = "conservative"

    def key(self, job):
        return job.nodes * job.estimate


LUA = {
    "shortest": 'backfill = "easy", key = function(job) return job.estimate end',
    "area": 'backfill = "conservative", key = function(job) return job.nodes * job.estimate end',
    "easy_pass": """schedule = function(view)
    local head = view:start_in_order()
    if not head then return end
    local shadow, extra = view:shadow(head)
    for job in view:fitting() do
      if view:fits(job) then
        local in_time = view:ends_by(job, shadow)
        if in_time or job.nodes <= extra then
          view:start(job)
          if not in_time then extra = extra - job.nodes end
        end
      end
    end
  end""",
    "sorted_pass": """schedule = function(view)
    view:rekey(function(job) return job.estimate end)
    view:conservative()
  end""",
}
PYTHON = {  # each way in Python
    "shortest": [shortest, Shortest],
    "area": [cs.Key(area, backfill="conservative"), Area],
    "easy_pass": [EasyPass],
    "sorted_pass": [SortedPass],
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}")


class Ways:
    """The ways in which a policy is run on a log; each returns the bytes of jobs.csv."""

    def __init__(self, folder, log):
        self.folder, self.log = folder, log

    def run(self, out, *flags):
        run(PROGRAM, "run", self.log, "--set", f"workload.first={FIRST}", "--quiet", "--out", self.path(out), *flags)
        return read(self.path(out, "jobs.csv"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def in_lua(self, name):
        return self.run("lua", "--policy", self.path(name + ".lua"))

    def over_protocol(self, name):
        outside = f"'{PROGRAM}' batsim --policy '{self.path(name + '.lua')}' --endpoint {{endpoint}}"
        return self.run("outside", "--scheduler", outside)

    def in_c(self, name):
        run(self.path("policies"), self.log, FIRST, name, self.path("c.csv"))
        return read(self.path("c.csv"))

    def in_python(self, policy):
        return cs.load(self.log, workload={"first": int(FIRST)}).run(policy, progress=False).text("jobs.csv")


def compare(folder, log):
    """Returns how many ways gave other bytes than Lua's."""
    wrong = 0
    ways = Ways(folder, log)
    for name, policies in PYTHON.items():
        begin = time.monotonic()
        expected = ways.in_lua(name)
        others = {"C": ways.in_c(name), "the protocol": ways.over_protocol(name)}
        others.update({f"Python, way {i + 1}": ways.in_python(policy) for i, policy in enumerate(policies)})
        for way, bytes_of in others.items():
            if bytes_of == expected:
                continue
            wrong += 1
            rows = zip(expected.splitlines(), bytes_of.splitlines())
            first = next((f"\n  {a}\n  {b}" for a, b in rows if a != b), " not so many rows")
            print(f"{os.path.basename(log)}, {name}: Lua and {way} differ:{first}")
        jobs = expected.count("\n") - 1
        print(f"{os.path.basename(log)}, {name}: {len(others) + 1} ways, {jobs} jobs, {time.monotonic() - begin:.1f} s",
              flush=True)
    return wrong


def main():
    logs = sys.argv[2:]
    if not logs:
        logs = [os.path.join(ROOT, "scenarios", "traces", "campus.swf")]
        for name in LOGS:
            path = os.path.join(SHARED, "traces", name + ".swf.gz")
            if os.path.exists(path):
                logs.append(path)
            else:
                print(f"skipped: {name}.swf.gz is not here")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in LUA.items():
            with open(os.path.join(folder, name + ".lua"), "w", encoding="utf-8") as file:
                file.write(f'return {{ api = 1, name = "{name}", version = "1",\n  {text} }}\n')
        run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(ROOT, "app", "door"),
            os.path.join(HERE, "policies.c"), LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY), "-o",
            os.path.join(folder, "policies"))
        wrong = sum(compare(folder, log) for log in logs)
    print(f"{len(logs)} logs, {wrong} differences")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
