"""Makes the files of a site with a long queue, for measuring `coslice forecast`: 160 nodes of 48 cores and 32 with four
GPUs, two weeks of records, and a maintenance of all nodes in four days.

usage: long_queue.py FOLDER WAITING

    coslice import slurm --conf FOLDER/slurm.conf --assoc FOLDER/assoc.cfg --reservations FOLDER/reservations.txt \
      --jobs FOLDER/jobs.sacct -o FOLDER/site
    coslice forecast FOLDER/site --queue FOLDER/squeue.txt --now 2026-03-17T00:00:00
"""
import datetime
import heapq
import pathlib
import random
import sys

DAYS, JOBS_A_DAY, DAY, FEW = 16, 1500, 86400, 15
NOW = DAYS * DAY
BEGIN = datetime.datetime(2026, 3, 1)
NODES = ["n%03d" % (i + 1) for i in range(160)] + ["g%02d" % (i + 1) for i in range(32)]
PLACES = {"short": range(160), "work": range(160), "week": range(60), "gpu": range(160, 192)}

CONF = """ClusterName=long
SlurmctldHost=ctl
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_window=10080,bf_resolution=180,bf_max_job_test=2000,default_queue_depth=200,bf_interval=60
PriorityType=priority/multifactor
PriorityWeightAge=5000
PriorityWeightFairshare=100000
PriorityWeightPartition=20000
PriorityDecayHalfLife=7-0
AccountingStorageEnforce=associations,limits,qos
GresTypes=gpu
NodeName=n[001-160] Sockets=2 CoresPerSocket=24 RealMemory=190000
NodeName=g[01-32] Sockets=2 CoresPerSocket=32 RealMemory=500000 Gres=gpu:v100:4
PartitionName=short Nodes=n[001-160] MaxTime=4:00:00 PriorityJobFactor=5
PartitionName=work Nodes=n[001-160] Default=YES MaxTime=2-0
PartitionName=week Nodes=n[001-060] MaxTime=7-0
PartitionName=gpu Nodes=g[01-32] MaxTime=1-0
"""
RESERVATION = """ReservationName=spring StartTime=%s EndTime=%s Duration=10:00:00
   Nodes=n[001-160],g[01-32] NodeCnt=192 CoreCnt=9728 PartitionName=(null) Flags=MAINT,SPEC_NODES,ALL_NODES
   TRES=cpu=9728
   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null)
"""


def date(seconds):
    return (BEGIN + datetime.timedelta(seconds=int(seconds))).strftime("%Y-%m-%dT%H:%M:%S")


def span(seconds):
    days, rest = divmod(int(seconds), DAY)
    return "%d-%02d:%02d:%02d" % (days, rest // 3600, rest // 60 % 60, rest % 60)


class Job:
    """`cores` and `gpus` are those of a node, as `memory` (MiB) is."""

    def __init__(self, draw, submit):
        self.submit, self.gpus = int(submit), 0
        self.user = min(int(draw.expovariate(0.1)), 59)
        kind, self.nodes = draw.random(), draw.choice([1, 1, 1, 2, 4])
        self.cores = draw.choice([1, 4, 16, 48]) if self.nodes == 1 else 48
        if kind < 0.6:
            self.partition, self.limit = "short", draw.choice([1800, 3600, 7200, 14400])
        elif kind < 0.74:
            self.partition, self.limit = "work", draw.choice([4, 8, 12, 24, 48]) * 3600
        elif kind < 0.76:
            self.partition, self.limit = "week", draw.choice([3, 5, 7]) * DAY
        else:
            self.partition, self.nodes, self.gpus = "gpu", 1, draw.choice([1, 1, 2, 4])
            self.cores, self.limit = 12 * self.gpus, draw.choice([2, 6, 12, 24]) * 3600
        self.memory = 3800 * self.cores
        self.runtime = int(max(20, self.limit * draw.choice([0.01, 0.05, 0.1, 0.3, 0.5, 1])))
        self.on = []


def drawn(draw):
    jobs, t = [], 0
    while t < NOW:
        t += draw.expovariate(JOBS_A_DAY / DAY * (1.6 if 8 <= t // 3600 % 24 < 19 else 0.5))
        jobs.append(Job(draw, t))
    return [job for job in jobs if job.submit < NOW]


def schedule(jobs):
    """Starts jobs in order, others before the first few that do not fit. Returns (that ended, that run)."""
    cores, gpus = [48] * 160 + [64] * 32, [0] * 160 + [4] * 32
    ends, queue, ended, coming = [], [], [], jobs[:]
    while True:
        t = min([ends[0][0]] if ends else [NOW], [coming[0].submit] if coming else [NOW])[0]
        if t >= NOW:
            return ended, [job for _, _, job in ends]
        while ends and ends[0][0] <= t:
            job = heapq.heappop(ends)[2]
            ended.append(job)
            for n in job.on:
                cores[n], gpus[n] = cores[n] + job.cores, gpus[n] + job.gpus
        while coming and coming[0].submit <= t:
            queue.append(coming.pop(0))
        waiting, missed = [], dict.fromkeys(PLACES, 0)
        for job in queue:
            if missed[job.partition] == FEW:
                waiting.append(job)
                continue
            fits = [n for n in PLACES[job.partition] if cores[n] >= job.cores and gpus[n] >= job.gpus][: job.nodes]
            if len(fits) < job.nodes:
                missed[job.partition] += 1
                waiting.append(job)
                continue
            job.on, job.start = fits, t + 1
            heapq.heappush(ends, (job.start + job.runtime, job.number, job))
            for n in fits:
                cores[n], gpus[n] = cores[n] - job.cores, gpus[n] - job.gpus
        queue = waiting


def waits(draw, count):
    """As users leave them: many in sweeps of jobs alike."""
    jobs = []
    while len(jobs) < count:
        first = Job(draw, NOW - min(draw.expovariate(1 / DAY), 14 * DAY))
        for _ in range(draw.choice([1, 1, 20, 50, 100])):
            job = Job(draw, first.submit)
            job.__dict__.update(first.__dict__)
            jobs.append(job)
    return jobs[:count]


def main():
    folder, count, draw = pathlib.Path(sys.argv[1]), int(sys.argv[2]), random.Random(3)
    folder.mkdir(parents=True, exist_ok=True)
    jobs, waiting = drawn(draw), waits(draw, count)
    for number, job in enumerate(jobs + waiting):
        job.number = 500000 + number
    ended, running = schedule(jobs)
    accounts = ["chem", "astro", "eng", "med"]
    (folder / "slurm.conf").write_text(CONF)
    (folder / "assoc.cfg").write_text(
        "add qos Name=normal\nadd cluster Name=long Fairshare=1 QOS=normal DefaultQOS=normal\n" +
        "".join("add account name=%s Fairshare=%d\n" % (a, 10 * (i + 1)) for i, a in enumerate(accounts)) +
        "".join("add user name=u%02d Account=%s\n" % (u, accounts[u % 4]) for u in range(60)))
    maintenance = NOW + 4 * DAY + 8 * 3600
    (folder / "reservations.txt").write_text(RESERVATION % (date(maintenance), date(maintenance + 36000)))
    rows = ["JobID|User|Account|Partition|QOS|JobName|Submit|Start|End|Elapsed|State|NNodes|NCPUS|ReqMem|Timelimit|"
            "AllocTRES|ReqTRES|Constraints|NodeList|Eligible|SubmitLine"]
    for j in sorted(ended, key=lambda j: j.number):
        tres = "cpu=%d,mem=%dM,node=%d" % (j.cores * j.nodes, j.memory * j.nodes, j.nodes)
        tres += ",gres/gpu=%d" % j.gpus if j.gpus else ""
        state = "TIMEOUT" if j.runtime == j.limit else "COMPLETED"
        rows.append("|".join(map(str, (
            j.number, "u%02d" % j.user, accounts[j.user % 4], j.partition, "normal", "job", date(j.submit),
            date(j.start), date(j.start + j.runtime), span(j.runtime), state, j.nodes, j.cores * j.nodes,
            "%dM" % (j.memory * j.nodes), span(j.limit), tres, tres, "", ",".join(NODES[n] for n in j.on),
            date(j.submit), "sbatch -N%d job.sh" % j.nodes))))
    (folder / "jobs.sacct").write_text("\n".join(rows) + "\n")
    rows = ["JOBID|USER|ACCOUNT|PARTITION|QOS|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|TIME|NODES|CPUS|MIN_MEMORY|"
            "TRES_PER_NODE|NODELIST|REASON"]
    for j in running + waiting:
        starts = (("RUNNING", date(j.start), span(NOW - j.start), ",".join(NODES[n] for n in j.on), "None") if j.on else
                  ("PENDING", "N/A", "0:00", "", "Priority"))
        rows.append("|".join(map(str, (
            j.number, "u%02d" % j.user, accounts[j.user % 4], j.partition, "normal", starts[0], date(j.submit),
            starts[1], span(j.limit), starts[2], j.nodes, j.cores * j.nodes, "%dM" % j.memory,
            "gres:gpu:%d" % j.gpus if j.gpus else "N/A", starts[3], starts[4]))))
    (folder / "squeue.txt").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
