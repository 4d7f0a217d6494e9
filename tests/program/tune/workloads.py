"""Twenty workloads of five families for grid.py: scenarios, what is tuned in them, and what is made small."""
import gzip
import math
import os
import pathlib
import random
import shutil

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
SHARED = pathlib.Path(os.environ.get("COSLICE_SHARED", PROJECT.parent / "shared"))
SITE_WINDOWS = 18  # likewise, of sites: their runs are dear
SEEDS = 24  # workloads of the search
JUDGES = 144  # that judge; of logs and sites twice those of the search


class Range:
    """Numbers from low to high, `count` of them in the grid."""

    def __init__(self, low, high, count, log=False, whole=False):
        self.low, self.high, self.count, self.log, self.whole = low, high, count, log, whole

    def flag(self):
        return "%s:%s%s" % (self.low, self.high, ":log" if self.log else "")

    def values(self):
        out = []
        for i in range(self.count):
            part = i / (self.count - 1)
            x = self.low * (self.high / self.low) ** part if self.log else self.low + part * (self.high - self.low)
            x = round(x) if self.whole else float("%.6g" % x)
            if x not in out:
                out.append(x)
        return out


class Workloads:
    def __init__(self, scenario, seeds=None, windows=None):
        self.scenario, self.seeds, self.windows = scenario, seeds, windows


class Work:
    def __init__(self, family, name, params, figure="wait", needs=None):
        self.family, self.name, self.params, self.figure, self.needs = family, name, params, figure, needs
        self.search = self.judge = None

    def lacks(self):
        return None if self.needs is None or self.needs.exists() else self.needs

    def grid(self):
        points = [[]]
        for values in self.params.values():
            points = [p + [v] for p in points for v in values.values()]
        return points


class Drawn(Work):
    """A scenario of which each seed draws other jobs."""

    def __init__(self, family, name, text, params, figure="wait", files=None):
        super().__init__(family, name, params, figure)
        self.text, self.files = text, files or {}

    def make(self, program, folder):
        for name, text in self.files.items():
            (folder / name).write_text(text)
        (folder / "s.toml").write_text(self.text)
        self.search = Workloads("s.toml", seeds=list(range(1, SEEDS + 1)))
        self.judge = Workloads("s.toml", seeds=list(range(5_000_001, 5_000_001 + JUDGES)))


def windows_of(last, count):
    """`count` windows that cover [0, last], as tune cuts a log."""
    step = (last + 1) / count
    return [[math.floor(step * i), math.floor(step * (i + 1))] for i in range(count)]


class Log(Work):
    """A log is cut into blocks of jobs: every third is searched, two of three judge."""

    def __init__(self, name, file, jobs, params, text, figure="wait", files=None):
        super().__init__("log", name, params, figure, SHARED / "traces" / file)
        self.jobs, self.text, self.files = jobs, text, files or {}

    def make(self, program, folder):
        for name, text in self.files.items():
            (folder / name).write_text(text)
        with gzip.open(self.needs, "rt", errors="replace") as log:
            lines = log.readlines()
        head = [l for l in lines if l.startswith("; MaxProcs") or l.startswith("; MaxNodes")]
        jobs = [l.split() for l in lines if l.strip() and not l.startswith(";")]
        jobs = sorted((j for j in jobs if float(j[3]) > 0), key=lambda j: float(j[1]))
        for part, count, first in (("search", SEEDS, [0]), ("judge", 2 * SEEDS, [1, 2])):
            rows, last = [], 0
            for block in range(SEEDS):
                for which in first:
                    begin = (3 * block + which) * self.jobs
                    these = jobs[begin : begin + self.jobs]
                    since = float(these[0][1])
                    rows += [[*j[:1], "%d" % (last + float(j[1]) - since), *j[2:]] for j in these]
                    last += float(these[-1][1]) - since
            (folder / (part + ".swf")).write_text("".join(head) + "".join(" ".join(r) + "\n" for r in rows))
            (folder / (part + ".toml")).write_text('workload.trace = "%s.swf"\n%s' % (part, self.text))
            setattr(self, part, Workloads(part + ".toml", windows=windows_of(last, count)))


class Site(Work):
    """The twin of a small cluster under Slurm, of which jobs are drawn."""

    def __init__(self, name, conf, params, draw, figure="wait"):
        super().__init__("site", name, params, figure)
        self.conf, self.draw = conf, draw

    def make(self, program, folder):
        (folder / "slurm.conf").write_text(self.conf)
        for part, count, seed in (("search", SITE_WINDOWS, 1), ("judge", 3 * SITE_WINDOWS, 2)):
            jobs, last = site_jobs(random.Random(seed), count, **self.draw)
            (folder / (part + ".events")).write_text(jobs)
            shutil.rmtree(folder / part, ignore_errors=True)
            program("import", "slurm", "--conf", "slurm.conf", "--jobs", part + ".events", "-o", part, folder=folder)
            setattr(self, part, Workloads(part + "/scenario.toml", windows=windows_of(last, count)))


def clock(seconds):
    return "%d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)


def site_jobs(rng, windows, each=60, nodes=10, cores=8, scale=300, load=1.0, short=300, memory=None):
    """Jobs of `windows` parts of the same length, of which each holds `each`, in the simulator's form."""
    lines, last = [], 0
    for w in range(windows):
        jobs, work = [], 0
        for _ in range(each):
            run = max(1, min(rng.lognormvariate(math.log(scale), 1.2), 20 * scale))
            limit = math.ceil(run * rng.uniform(1, 4) / 60) * 60
            wide = int(2 ** rng.uniform(0, math.log2(nodes))) if rng.random() < 0.4 else 1
            tasks = wide * cores if wide > 1 else rng.randint(1, cores)
            jobs.append((run, limit, wide, tasks, rng.randint(1, 9), rng.randint(1, 4)))
            work += run * tasks
        span = work / (nodes * cores * load)
        times = sorted(rng.uniform(0, span) for _ in jobs)
        for at, (run, limit, wide, tasks, user, part) in zip(times, jobs):
            options = "-p short" if limit <= short and part == 1 else "-p batch"
            if memory:
                options += " --mem=%dM" % rng.choice(memory)
            lines.append((last + at, "-sim-walltime %.1f --uid=u%d -t %s -N %d -n %d %s" %
                          (run, user, clock(limit), wide, tasks, options)))
        last += span
    text = "".join("-dt %.2f -e submit_batch_job | -J jobid_%d %s job.sh\n" % (at, i + 1, what)
                   for i, (at, what) in enumerate(lines))
    return text, lines[-1][0]


PATIENT = """---@type coslice.Policy
return {
  api = 1, name = "patient", version = "1",
  description = "Little work first, but a job rises as it waits.",
  params = {
    patience = { default = 6.0, min = 0.001, doc = "Hours after which a job's work counts half." },
    width = { default = 1.0, min = 0, max = 4, doc = "Power of the nodes." },
    length = { default = 1.0, min = 0, max = 4, doc = "Power of the estimate." },
  },
  dynamic_key = function(job, now, params)
    local waited = (now - job.submit) / 3600
    return job.nodes ^ params.width * job.estimate ^ params.length / (1 + waited / params.patience)
  end,
  backfill = "easy",
}
"""

CONF = """ClusterName=small
SlurmctldHost=head
SchedulerType=sched/backfill
SchedulerParameters=%(options)s
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityMaxAge=%(age)s
%(weights)s
DefMemPerCPU=1000
NodeName=n[01-%(nodes)02d] CPUs=%(cores)d RealMemory=64000
PartitionName=batch Nodes=n[01-%(nodes)02d] Default=YES MaxTime=7-0 DefaultTime=60 PriorityJobFactor=1 State=UP
PartitionName=short Nodes=n[01-%(few)02d] MaxTime=60 DefaultTime=10 PriorityJobFactor=10 State=UP
"""


def conf(options, weights, nodes=10, cores=8, age="1-0"):
    return CONF % {"options": options, "weights": "\n".join(weights), "nodes": nodes, "cores": cores, "age": age,
                   "few": max(2, nodes // 2)}


def lublin(nodes, jobs, load, policy, more=""):
    return """machine.nodes = %d
[workload]
generator = "lublin"
target_load = %g
[workload.lublin]
jobs = %d
[policy]
name = "%s"
%s""" % (nodes, load, jobs, policy, more)


def all_of():
    log_range = lambda low, high, count, whole=False: Range(low, high, count, True, whole)
    campus = """machine.nodes = 64
[workload]
script = "%s"
[workload.params]
jobs = 200
load = %g
[policy]
name = "%s"
"""
    script = PROJECT / "scenarios" / "workloads" / "campus.lua"
    easy = {"reservations": log_range(1, 16, 10, True), "depth": log_range(2, 200, 12, True)}
    patient = {"patience": log_range(0.1, 100, 12), "width": Range(0, 2, 12)}
    factors = {"size_weight": log_range(10, 100000, 12), "shortness_weight": log_range(10, 100000, 12)}
    slices = {"interval": log_range(1800, 14400, 12), "medium_share": Range(0.1, 0.8, 12)}
    yield Drawn("synthetic", "campus, EASY", campus % (script, 0.95, "easy"), easy)
    yield Drawn("synthetic", "Lublin, relaxed", lublin(64, 300, 0.9, "relaxed"), {"slack": Range(0, 10, 100)})
    yield Drawn("synthetic", "Lublin, patient", lublin(64, 300, 0.9, "patient.lua"), patient, "wait",
                {"patient.lua": PATIENT})
    yield Drawn("synthetic", "Lublin, multifactor", lublin(64, 300, 0.9, "multifactor"), factors)
    name = 'policy.name = "%s"\n'
    yield Log("KTH-SP2, EASY", "KTH-SP2-1996_via-predictsim.swf.gz", 390, easy, name % "easy")
    yield Log("SDSC-SP2, patient", "SDSC-SP2-1998_via-predictsim.swf.gz", 500, patient, name % "patient.lua",
              "wait", {"patient.lua": PATIENT})
    yield Log("CTC-SP2, multifactor", "CTC-SP2-1996_via-predictsim.swf.gz", 500, factors, name % "multifactor")
    yield Log("SDSC-BLUE, patient", "SDSC-BLUE-2000_via-predictsim.swf.gz", 500, patient, name % "patient.lua",
              "bounded_slowdown", {"patient.lua": PATIENT})
    weights = {"PriorityWeightJobSize": log_range(100, 100000, 8, True),
               "PriorityWeightAge": log_range(100, 100000, 8, True)}
    cycles = {"bf_interval": log_range(30, 1800, 8), "bf_max_job_test": log_range(3, 200, 8, True)}
    yield Site("backfill", conf("bf_interval=60,bf_max_job_test=50,default_queue_depth=5",
                                ["PriorityWeightAge=10000", "PriorityWeightJobSize=1000"]), cycles, dict(load=1.1))
    yield Site("weights", conf("bf_interval=30,default_queue_depth=100",
                               ["PriorityWeightAge=1000", "PriorityWeightJobSize=1000"]), weights, dict(load=1.1))
    yield Site("small first", conf("bf_interval=30,default_queue_depth=100",
                                   ["PriorityFavorSmall=YES", "PriorityWeightAge=1000", "PriorityWeightJobSize=1000"],
                                   16, 16), weights, dict(nodes=16, cores=16, load=1.2), "bounded_slowdown")
    yield Site("window", conf("bf_interval=30,bf_window=1440,bf_resolution=60,default_queue_depth=20",
                              ["PriorityWeightAge=1000", "PriorityWeightPartition=1000"], 20, 4),
               {"bf_window": log_range(10, 2880, 8, True), "default_queue_depth": log_range(1, 100, 7, True)},
               dict(nodes=20, cores=4, load=1.1))
    for jobs, load, figure in ((200, 0.7, "wait"), (200, 0.9, "bounded_slowdown")):
        yield Drawn("slices", "Lublin %g, %s" % (load, figure), lublin(64, jobs, load, "scojo_pect"), slices, figure)
    yield Drawn("slices", "short ones", lublin(64, 200, 0.8, "scojo_pect"),
                {"short": log_range(60, 3600, 12), "short_slice": log_range(60, 1200, 12)}, "bounded_slowdown")
    yield Drawn("slices", "campus", campus % (script, 0.8, "scojo_pect"), slices, "response")
    drawn = '[slowdown]\nmodel = "drawn"\n'
    groups = "machine.processors = 2\nmachine.cores = 2\n"
    lomarc = '[slowdown]\nmodel = "resources"\nmix = [0.4, 0.3, 0.3]\n[engine]\nprocesses_per_node = 1\n'
    pairs = "machine.processors = 1\nmachine.cores = 2\n"
    yield Drawn("groups", "LOMARC", pairs + lublin(64, 250, 0.7, "lomarc", lomarc),
                {"max_slowdown": Range(1, 2.2, 8), "weak_load": Range(0, 2, 8)}, "response")
    yield Drawn("groups", "LOMARC, priorities", pairs + lublin(64, 250, 0.8, "lomarc", lomarc),
                {"medium": log_range(600, 36000, 8), "age": log_range(600, 36000, 8)}, "bounded_slowdown")
    yield Drawn("groups", "G-LOMARC in one queue",
                groups + lublin(48, 200, 0.7, "glomarc_ts", "params.sliced = false\n" + drawn),
                {"max_slowdown": Range(1, 2, 8), "min_gain": Range(-0.2, 1, 8)}, "response")
    yield Drawn("groups", "G-LOMARC-TS",
                groups + lublin(48, 200, 0.7, "glomarc_ts", drawn),
                {"max_slowdown": Range(1, 2, 8), "medium_share": Range(0.1, 0.8, 8)}, "response")
