"""The jobs of real.sh, its records in other forms, and what is said of them."""
import json
import sys

LATENCY = 10  # seconds of the fast clock: daemons and commands take some, and a drive looks every 3 s


def numbers(seed):
    """Whole numbers from 0 on, the same on each machine."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


def write_list(count):
    """More work than the machine can do while they come: 4 s of the fast clock between two jobs in the mean."""
    random = numbers(2026)
    offset = 0
    for i in range(count):
        offset += next(random) % 9
        length = 20 + next(random) % 90
        minutes = min(60, -(-length * (2 + next(random) % 3) // 2 // 60) + next(random) % 2)
        nodes = (1, 1, 1, 2, 2, 4)[next(random) % 6]
        tasks = nodes * (1, 2, 4, 4, 8)[next(random) % 5]
        memory = (1000, 2000, 4000, 12000)[next(random) % 4]
        feature, partition = "-", "batch"
        kind = next(random) % 20
        if kind == 0 and nodes <= 2:
            feature = "fast"
            memory = 20000
        elif kind <= 3:
            feature = "std"
        elif kind <= 6 and length <= 100:
            partition, minutes = "short", 2
        print(offset, length, minutes, tasks, nodes, memory, feature, partition)


def seconds(text):
    import calendar
    import time
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def write_records(completed, listed, csv, sacct):
    """Of jobcomp/filetxt: a list of starts, and a dump as sacct would make it."""
    jobs = [line.split() for line in open(listed)]
    found = {}
    for line in open(completed):
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        number = int(fields["Name"].removeprefix("job"))  # as it stands in the list
        if number in found:  # it was requeued: submitted once, and only its last run counts
            fields["SubmitTime"] = found[number]["SubmitTime"]
        found[number] = fields
    rows = sorted(found.items())
    for _, fields in rows:
        assert fields["JobState"] in ("COMPLETED", "TIMEOUT"), fields
    with open(csv, "w") as starts, open(sacct, "w") as dump:
        starts.write("job_id,submit,start,end\n")
        dump.write("JobID|User|Account|Partition|QOS|Submit|Elapsed|NNodes|NCPUS|Timelimit|ReqTRES|Constraints|OverSubscribe\n")
        for number, f in rows:
            submit, start, end = (seconds(f[k]) for k in ("SubmitTime", "StartTime", "EndTime"))
            starts.write(f"{number},{submit},{start},{end}\n")
            _, _, minutes, tasks, nodes, memory, feature, partition = jobs[number - 1]
            elapsed = end - start
            dump.write(f"{number}|root|root|{partition}|normal|{f['SubmitTime']}|{elapsed // 3600:02}:{elapsed // 60 % 60:02}:"
                       f"{elapsed % 60:02}|{nodes}|{tasks}|00:{int(minutes):02}:00|cpu={tasks},mem={int(memory) * int(nodes)}M,"
                       f"node={nodes}|{'' if feature == '-' else feature}|OK\n")


def judge(twin, driven, other):
    twin, driven, other = (json.load(open(path)) for path in (twin, driven, other))
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
    wrong = []
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
        write_list(int(arguments[0]))
    elif what == "record":
        write_records(*arguments)
    else:
        judge(*arguments)
