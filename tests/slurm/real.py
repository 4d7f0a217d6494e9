"""The jobs of real.sh, its records in other forms, and what is said of them.

What a site's jobs ask for stands in a line `#Jobs=` of its file, words with blanks between them:

  seed=7       other jobs                     users        four users
  long         twice as long, half as many    uneven       tasks that nodes do not have alike
  shared       some with --oversubscribe      exclusive    some with --exclusive, and `short` gives whole nodes
  gpus         some with GPUs                 licences     some with licences
  later        --begin, holds, dependencies   arrays       some are arrays, of which few may run at a time
  allocated    the dump says what jobs got    qos          some of a high and of a low quality of service
  reserved     a reservation, and jobs in it  accounts     each user in its account, for sites with lines #Accounts=
  loose        some say tasks and no nodes    wide         some of a third partition, `wide`
  pausing      what is suspended stands still (sleep does not)
  ranges       some with a range of nodes      either       some of two partitions, batch and wide
  typed        some with GPUs of a type        owned        some of the partitions `own` and `half`
  silent       no job says its memory: it is 1500 MB for each task (DefMemPerCPU)
"""
import calendar
import json
import re
import sys
import time

LATENCY = 10  # seconds of the fast clock: daemons and commands take some, and a drive looks every 3 s
USERS = ("games", "man", "mail", "news")  # there are such on each machine
ACCOUNTS = {"games": "physics", "man": "chemistry", "mail": "biology", "news": "biology"}


def numbers(seed):
    """Whole numbers from 0 on, the same on each machine."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


class Job:
    """One line of the list: what is asked for."""

    def __init__(self, number, offset, length, minutes, tasks, nodes, memory, feature, partition):
        self.number, self.offset, self.length, self.minutes = number, offset, length, minutes
        self.tasks, self.nodes, self.memory, self.feature, self.partition = tasks, nodes, memory, feature, partition
        self.user, self.account, self.qos, self.oversubscribe, self.gpus, self.licence = "root", "root", "normal", "OK", 0, ""
        self.begin, self.held, self.after, self.elements, self.reservation, self.uneven = 0, 0, 0, 0, "", False
        self.loose, self.per_node, self.silent, self.most_nodes, self.gpu_type = False, 0, False, 0, ""

    def options(self):
        """Of sbatch; tasks are spread evenly unless the job is to be uneven."""
        words = [f"-Jjob{self.number}"] + ([] if self.most_nodes and self.per_node else [f"-n{self.tasks}"])
        if not self.loose:
            words.append(f"-N{self.nodes}-{self.most_nodes}" if self.most_nodes else f"-N{self.nodes}")
        words += [] if self.silent else [f"--mem={self.memory}"]
        words += [f"-t{self.minutes}", f"-p{self.partition}"]
        if self.per_node:
            words.append(f"--ntasks-per-node={self.per_node}")
        elif not self.uneven and not self.loose and not self.most_nodes:
            words.append(f"--ntasks-per-node={self.tasks // self.nodes}")
        if self.feature:
            words.append("--constraint=" + self.feature)
        if self.user != "root":
            words.append("--uid=" + self.user)
        if self.account != "root":
            words.append("--account=" + self.account)
        if self.qos != "normal":
            words.append("--qos=" + self.qos)
        if self.oversubscribe != "OK":
            words.append("--oversubscribe" if self.oversubscribe == "YES" else "--exclusive")
        if self.gpus:
            words.append(f"--gres=gpu:{self.gpu_type + ':' if self.gpu_type else ''}{self.gpus}")
        if self.licence:
            words.append("--licenses=" + self.licence)
        if self.begin:
            words.append(f"--begin=now+{self.begin}")
        if self.held:
            words.append("--hold")
        if self.after:
            words.append(f"--dependency=afterany:@{self.after}@")  # real.sh puts the number that it has got there
        if self.elements:
            words.append(f"--array=1-{self.elements}%2")
        if self.reservation:
            words.append("--reservation=" + self.reservation)
        return words


def plain_jobs(count, seed, longer):
    """More work than the machine can do while they come: 4 s of the fast clock between two jobs in the mean."""
    random = numbers(seed)
    offset = 0
    for i in range(count):
        offset += next(random) % 9 * longer
        length = (20 + next(random) % 90) * longer
        minutes = min(60, -(-length * (2 + next(random) % 3) // 2 // 60) + next(random) % 2)
        nodes = (1, 1, 1, 2, 2, 4)[next(random) % 6]
        tasks = nodes * (1, 2, 4, 4, 8)[next(random) % 5]
        memory = (1000, 2000, 4000, 12000)[next(random) % 4]
        feature, partition = "", "batch"
        kind = next(random) % 20
        if kind == 0 and nodes <= 2:
            feature = "fast"
            memory = 20000
        elif kind <= 3:
            feature = "std"
        elif kind <= 6 and length <= 100:
            partition, minutes = "short", 2
        yield Job(i + 1, offset, length, minutes, tasks, nodes, memory, feature, partition)


def add_extras(job, words, random):
    draw = [next(random) % 100 for _ in range(10)]
    if "users" in words or "qos" in words:
        job.user = USERS[min(draw[0] // 20, 3)]
        if "accounts" in words or "qos" in words:
            job.account = ACCOUNTS[job.user]
    if "uneven" in words and draw[1] < 60 and job.nodes > 1:
        job.uneven = True
    if "shared" in words and draw[2] < 60:
        job.oversubscribe = "YES"
    if "exclusive" in words and draw[2] >= 85:
        job.oversubscribe = "NO"
    if "gpus" in words and draw[3] < 40 and job.partition == "batch" and job.nodes <= 2:
        job.gpus, job.feature = 1 + draw[3] % 2, ""
    if "licences" in words and draw[4] < 30:
        job.licence = ("matlab:1", "matlab:2", "ansys:1")[draw[4] % 3]
    if "later" in words:
        if draw[5] < 10:
            job.begin = 30 + 5 * draw[6]
        elif draw[5] < 20:
            job.held = 20 + 4 * draw[6]
        elif draw[5] < 45 and job.number > 10:
            job.after = job.number - 1 - draw[6] % 5
    if "arrays" in words and draw[7] < 8:
        job.elements = 2 + draw[7]
    if "qos" in words:
        job.qos = ("high", "low", "normal")[draw[8] % 3]
    if "reserved" in words and draw[9] < 15 and job.nodes <= 2 and not job.feature and job.partition == "batch":
        job.reservation = "kept"
    if "wide" in words and job.partition == "batch" and next(random) % 100 < 30:
        job.partition = "wide"
    if "ranges" in words and job.partition == "batch" and next(random) % 100 < 40:
        job.most_nodes = job.nodes + 1 + next(random) % 3
        if next(random) % 2:  # so many tasks on each node, of as many nodes as it gets; else so many on all of them
            job.per_node = job.tasks // job.nodes
        else:
            job.tasks = max(job.tasks, job.most_nodes)
    if "either" in words and job.partition == "batch" and next(random) % 100 < 40:
        job.partition = "batch,wide"
    if "typed" in words and job.nodes <= 2 and job.partition == "batch" and next(random) % 100 < 50:
        job.gpu_type, job.feature = ("a100", "v100")[next(random) % 3 // 2], ""
        job.gpus, job.memory = 1 + next(random) % 2, min(job.memory, 12000)
    if "owned" in words and job.partition == "batch" and not job.feature:
        job.partition = ("batch", "batch", "own", "half")[next(random) % 4]
        if job.partition == "half":
            job.tasks = min(job.tasks, 4 * job.nodes)
    if "silent" in words:
        job.silent, job.memory = True, 1500 * job.tasks // job.nodes
    if "loose" in words:
        kind, many = next(random) % 10, next(random)
        job.loose = kind < 7
        if kind < 5:
            job.tasks = 1 + many % (12 if job.feature == "fast" else 20)
        elif kind < 7:
            job.per_node = (2, 3, 4, 6)[many % 4]
            job.tasks = job.per_node * (1 + many // 4 % (2 if job.feature == "fast" else 4))


def jobs_of(count, words):
    seed = next((int(w.removeprefix("seed=")) for w in words if w.startswith("seed=")), 2026)
    longer = 2 if "long" in words else 1
    count //= longer
    random, jobs = numbers(seed + 1), []
    for job in plain_jobs(count, seed, longer):
        add_extras(job, words, random)
        if job.elements:
            job.after = job.held = 0
        jobs.append(job)
    for job in jobs:  # nobody waits for an array
        if job.after and jobs[job.after - 1].elements:
            job.after = 0
    return jobs


def write_list(count, words):
    """Lines in the order in which they are due: offset, seconds to sleep, options; or offset, `do`, a command."""
    lines = []
    for job in jobs_of(count, words):
        lines.append((job.offset, f"{job.length} {' '.join(job.options())}"))
        if job.held:
            lines.append((job.offset + job.held, f"do scontrol release jobname=job{job.number}"))
    if "reserved" in words:
        lines.append((0, "do scontrol -Q create reservation reservationname=kept starttime=now+240 duration=10 users=root nodes=n[5-8]"))
        lines.append((0, "do scontrol -Q create reservation reservationname=repair starttime=now+600 duration=5 users=root nodes=f[1-2] flags=maint"))
    for offset, line in sorted(lines, key=lambda x: (x[0], x[0] > 0 or not x[1].startswith("do "))):
        print(offset, line)


def seconds(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def clock(number):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(number))


def span(number):
    return f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"


def completed_jobs(completed):
    """By number of the job in the list, and of the element of an array."""
    found = {}
    for line in open(completed):
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        key = int(fields["Name"].removeprefix("job")), int(fields.get("ArrayTaskId", 0))
        if key in found:  # it was requeued: submitted once, and only its last run counts
            fields["SubmitTime"] = found[key]["SubmitTime"]
        found[key] = fields
    return found


def asked(job, element):
    """The list of resources as sacct has it in ReqTRES."""
    parts = [f"cpu={job.tasks}", f"mem={job.memory * job.nodes}M", f"node={job.nodes}"]
    if job.gpus:
        parts.append(f"gres/gpu={job.gpus * job.nodes}")
        if job.gpu_type:
            parts.append(f"gres/gpu:{job.gpu_type}={job.gpus * job.nodes}")
    if job.licence:
        name, count = job.licence.split(":")
        parts.append(f"license/{name}={count}")
    return ",".join(parts)


def says_tasks(words):
    """Whether the commands say how tasks may be spread."""
    return any(word in words for word in ("loose", "uneven", "ranges", "either"))


def write_records(completed, csv, sacct, count, words):
    """Of jobcomp/filetxt: a list of starts, and a dump as sacct would make it."""
    jobs = jobs_of(count, words)
    rows = sorted(completed_jobs(completed).items())
    step = 100 if "arrays" in words else 1  # elements have numbers of their own
    columns = "JobID|User|Account|Partition|QOS|Submit|Elapsed|NNodes|NCPUS|Timelimit|ReqTRES|Constraints|OverSubscribe".split("|")
    extra = ["JobIDRaw", "SubmitLine"] if "arrays" in words else []
    extra += ["Dependency", "Eligible", "Reason"] if "later" in words or "arrays" in words else []
    extra += ["AllocTRES"] if "allocated" in words or "loose" in words else []
    extra += ["SubmitLine"] if says_tasks(words) else []
    extra += ["Reservation"] if "reserved" in words else []
    with open(csv, "w") as starts, open(sacct, "w") as dump:
        starts.write("job_id,submit,start,end,nodes\n")
        dump.write("|".join(columns + extra) + "\n")
        for (number, element), f in rows:
            job = jobs[number - 1]
            submit, start, end = (seconds(f[k]) for k in ("SubmitTime", "StartTime", "EndTime"))
            site_id = number * step + element
            assert f["JobState"] in ("COMPLETED", "TIMEOUT", "PREEMPTED", "CANCELLED", "FAILED"), f
            starts.write(f"{site_id},{submit},{start},{end},\"{f['NodeList']}\"\n")
            eligible = submit + (job.begin or job.held)
            got, asks = f.get("Tres", ""), asked(job, element)
            as_run = "loose" in words or "ranges" in words
            if "loose" in words:  # what a job has not said is as Slurm has it
                asks, got = got, re.sub(r"node=\d+", f"node={f['NodeCnt']}", got)
            row = {
                "JobID": f"{number * step}_{element}" if element else str(number * step), "User": job.user, "Account": job.account,
                "Partition": f["Partition"], "QOS": job.qos, "Submit": f["SubmitTime"], "Elapsed": span(job.length if "pausing" in words else max(end - start, job.length if f["JobState"] in ("PREEMPTED", "CANCELLED") else 0)),
                "NNodes": f["NodeCnt"] if as_run else job.nodes,
                "NCPUS": f["ProcCnt"] if "allocated" in words or as_run else job.tasks,
                "Timelimit": span(job.minutes * 60), "ReqTRES": asks, "Constraints": job.feature,
                "OverSubscribe": "NO" if "exclusive" in words and job.partition == "short" else job.oversubscribe, "JobIDRaw": site_id,
                "SubmitLine": " ".join(["sbatch"] + job.options()) if says_tasks(words) else f"sbatch --array=1-{job.elements}%2" if element else "sbatch",
                "Dependency": f"afterany:{job.after * step}" if job.after else "", "Eligible": clock(eligible),
                "Reason": "JobHeldUser" if job.held else "None", "AllocTRES": re.sub(r"cpu=\d+", f"cpu={f['ProcCnt']}", got), "Reservation": job.reservation}
            dump.write("|".join(str(row[c]) for c in columns + extra) + "\n")


def expected(count, words):
    """How many jobs are to be on record, elements of arrays one by one."""
    return sum(job.elements or 1 for job in jobs_of(count, words))


def judge(*paths):
    twin, driven, other, *chosen = (json.load(open(path)) for path in paths)
    among = twin["among_records"]
    distances = twin["distances"]
    error = sum(d["mean_error"] for d in distances) / len(distances)
    print(f"the machine's runs beside one another: {among['mean_error']:.1f} s a job, rank correlation {among['rank_correlation']:.3f}")
    print(f"the twin beside the machine: {error:.1f} s a job (single runs "
          + ", ".join(f"{d['mean_error']:.1f}" for d in distances)
          + f"), mean wait {distances[0]['mean_wait']:.1f} s, on record {distances[0]['recorded_mean_wait']:.1f} s")
    d = driven["distances"][0]
    print(f"`easy` driven beside `easy` simulated: {d['mean_error']:.1f} s a job, mean wait {d['recorded_mean_wait']:.1f} s, "
          f"simulated {d['mean_wait']:.1f} s, rank correlation {d['rank_correlation']:.3f}")
    o = sum(x["mean_error"] for x in other["distances"]) / len(other["distances"])
    print(f"`easy` simulated beside Slurm's own scheduler: {o:.1f} s a job")
    as_easy, as_fcfs = (c["distances"][0] for c in chosen)
    print(f"the machine for which `easy` was chosen, after `fcfs`: mean wait {as_easy['recorded_mean_wait']:.1f} s; beside `easy` "
          f"simulated ({as_easy['mean_wait']:.1f} s) {as_easy['mean_error']:.1f} s a job, beside `fcfs` "
          f"({as_fcfs['mean_wait']:.1f} s) {as_fcfs['mean_error']:.1f} s")
    wrong = []
    if as_easy["mean_error"] > as_fcfs["mean_error"]:
        wrong.append("the machine is as the policy would have it that was not chosen")
    allowed = 1.5 * among["mean_error"] + LATENCY  # a few runs know their spread only roughly
    if error > allowed:
        wrong.append("the twin is much further from the machine than the machine from itself")
    if d["mean_error"] > allowed:
        wrong.append("the driven machine is much further from its simulation than the machine from itself")
    if d["mean_error"] > o:
        wrong.append("the driven machine is not as its policy would have it")
    for w in wrong:
        print("failed: " + w)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "list":
        write_list(int(arguments[0]), arguments[1].split())
    elif what == "expected":
        print(expected(int(arguments[0]), arguments[1].split()))
    elif what == "record":
        write_records(*arguments[:3], int(arguments[3]), arguments[4].split())
    else:
        judge(*arguments)
