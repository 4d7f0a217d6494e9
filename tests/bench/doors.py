"""What comes through C, Python and Batsim's protocol costs, beside the program: seconds of CPU, the least of several runs.

usage: doors.py PROGRAM LIBRARY SCRATCH-FOLDER [RUNS]      ./dev bench doors
"""
import os
import pathlib
import resource
import subprocess
import sys
import time

PROGRAM, LIBRARY, SCRATCH = (os.path.abspath(name) for name in sys.argv[1:4])
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["COSLICE_LIBRARY"] = LIBRARY
sys.path.insert(0, str(ROOT / "python"))
import coslice as cs  # noqa: E402  where the library is must be known


def log_of(jobs):
    path = os.path.join(SCRATCH, f"synthetic-{jobs}.swf")
    if not os.path.exists(path):
        os.makedirs(SCRATCH, exist_ok=True)
        subprocess.run([PROGRAM, "generate", ROOT / "scenarios/workloads/synthetic.lua", "--jobs", str(jobs), "--nodes", "128",
                        "--load", "0.85", "--seed", "1", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def cpu_of(*command):
    """Seconds of CPU of a command and all that it starts."""
    def used():
        of = resource.getrusage(resource.RUSAGE_CHILDREN)
        return of.ru_utime + of.ru_stime

    before = used()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return used() - before, done.stdout


def least(measure):
    return min(measure() for _ in range(RUNS))  # another one had the processor, or its cache, now and then


def timed(run):
    begin = time.process_time()
    run()
    return time.process_time() - begin


class FirstFit:
    """As in doors.c."""

    calls = 0

    def schedule(self, view):
        for job in view.fitting():
            FirstFit.calls += 1
            if view.fits(job):
                view.start(job)
                FirstFit.calls += 1


def run_beside_program():
    log = log_of(30000)
    ways = {"the program": lambda: cpu_of(PROGRAM, "run", log, "--policy", "easy", "--quiet")[0],
            "the program with its table": lambda: cpu_of(PROGRAM, "run", log, "--policy", "easy")[0],
            "cs.run": lambda: timed(lambda: cs.run(None, log, "easy", progress=False)),
            "cs.run with its summary": lambda: timed(lambda: cs.run(None, log, "easy", progress=False).summary)}
    best = dict.fromkeys(ways, 1e9)
    for _ in range(3 * RUNS):  # in turn: the machine may be slower for a while
        for name, measure in ways.items():
            best[name] = min(best[name], measure())
    print("30,000 jobs, EASY: " + ", ".join(f"{name} {1000 * seconds:.0f} ms" for name, seconds in best.items()))


def frame_of_a_million():
    try:
        import pandas  # noqa: F401
    except ImportError:
        return print("a DataFrame: skipped, pandas is not here")
    cs.run(4, [{"nodes": 1, "runtime": 1}]).to_pandas()  # imports
    result = cs.run(None, log_of(1000000), "fcfs", progress=False)
    first = timed(result.to_pandas)
    again = least(lambda: timed(result.to_pandas))
    lazy = cs.load(log_of(1000000)).run(["fcfs"], progress=False)[0]  # of several policies: made when they are asked for
    print(f"10^6 jobs to a DataFrame: {1000 * first:.1f} ms at first, {1000 * again:.1f} ms again; "
          f"{1000 * timed(lazy.to_pandas):.0f} ms where the run has not made the columns")


def decisions():
    log = log_of(300000)
    binary = os.path.join(SCRATCH, "doors")
    subprocess.run(["cc", "-O2", f"-I{ROOT / 'app/door'}", ROOT / "tests/bench/doors.c", LIBRARY,
                    "-Wl,-rpath," + os.path.dirname(LIBRARY), "-o", binary], check=True)
    best = min((subprocess.run([binary, log], stdout=subprocess.PIPE, text=True, check=True).stdout.split() for _ in range(RUNS)),
               key=lambda row: float(row[2]))
    jobs, calls, seconds = int(best[0]), int(best[1]), float(best[2])
    print(f"a pass in C: {calls / seconds:,.0f} decisions/s ({calls:,} questions and starts of {jobs:,} jobs in a run of {seconds:.3f} s)")
    scenario = cs.load(log_of(30000))
    scenario.set_policies([FirstFit])
    prepared = scenario.prepare()

    def once():
        FirstFit.calls = 0
        return timed(lambda: prepared.run(0, None))

    seconds = least(once)
    print(f"a pass in Python: {FirstFit.calls / seconds:,.0f} decisions/s ({FirstFit.calls:,} in a run of {seconds:.3f} s)")


def protocol():
    log = log_of(5000)
    alone = least(lambda: cpu_of(PROGRAM, "run", log, "--policy", "fcfs", "--quiet")[0])
    binary = os.path.join(SCRATCH, "scheduler")
    subprocess.run(["cc", "-O2", ROOT / "examples/c/scheduler.c", "-o", binary], check=True)
    outside = {"in C": f"{binary} {{endpoint}}", "coslice batsim": f"{PROGRAM} batsim --policy fcfs --endpoint {{endpoint}}"}
    if subprocess.run(["/usr/bin/python3", "-c", "import zmq"], stderr=subprocess.DEVNULL).returncode == 0:
        outside["in Python"] = f"/usr/bin/python3 {ROOT / 'tests/program/batsim/scheduler.py'} {{endpoint}} fcfs"
    else:
        print("a scheduler in Python: skipped, there is no python3-zmq")
    rows = pathlib.Path(SCRATCH, "timed", "timeline.csv")
    for name, command in outside.items():
        both = least(lambda: cpu_of(PROGRAM, "run", log, "--quiet", "--scheduler", command, "--out", str(rows.parent))[0])
        messages = rows.read_text().count("\n") - 1  # one at each instant
        print(f"a scheduler {name}: {1e6 * (both - alone) / messages:.0f} us a message of both sides ({messages:,} messages)")


if __name__ == "__main__":
    run_beside_program()
    decisions()
    frame_of_a_million()
    protocol()
