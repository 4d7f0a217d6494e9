"""Makes what Slurm's tools would show of 300 nodes with many waiting jobs, for timing a choice of `coslice drive`.

usage: long_live_queue.py FOLDER WAITING [SEED]

    export PATH=$PWD/tests/slurm/drive/fake:$PATH FAKE_SLURM=FOLDER
    time coslice drive --choose easy,easy_sjbf,wfp3 --partition batch --dry-run --once >/dev/null
"""
import datetime
import pathlib
import random
import sys

NODES, CORES = 300, 16
NOW = datetime.datetime(2026, 3, 2, 10)
LIMITS = [900, 3600, 7200, 14400, 43200, 86400]
HEAD = ("jobarrayid|state|reason|username|partition|submittime|starttime|timelimit|prioritylong|tres-alloc|"
        "oversubscribe|nodelist|comment")


def clock(seconds):
    days, rest = divmod(seconds, 86400)
    text = f"{rest // 3600}:{rest % 3600 // 60:02}:{rest % 60:02}"
    return f"{days}-{text}" if days else text


def ago(seconds):
    return (NOW - datetime.timedelta(seconds=seconds)).isoformat()


def tres(nodes):
    return f"cpu={nodes * CORES},mem={nodes * 64000}M,node={nodes}"


def main():
    folder, waiting = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    lines, job, node = [HEAD], 100, 1
    while node <= NODES - 2:  # two nodes are idle
        job += 1
        size = min(2 ** draw.randrange(5), NODES - 1 - node)
        limit = draw.choice(LIMITS)
        since = draw.randrange(limit)
        which = f"n[{node}-{node + size - 1}]" if size > 1 else f"n{node}"
        lines.append(f"{job}|RUNNING|None|u{draw.randrange(40)}|batch|{ago(since + 600)}|{ago(since)}|{clock(limit)}|900|"
                     f"{tres(size)}|NO|{which}|")
        node += size
    busy = node - 1
    for i in range(waiting):
        job += 1
        size = 2 ** draw.randrange(6)
        lines.append(f"{job}|PENDING|Priority|u{draw.randrange(40)}|batch|{ago((waiting - i) * 10)}|N/A|"
                     f"{clock(draw.choice(LIMITS))}|{1000 + waiting - i}|{tres(size)}|NO||")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "jobs").write_text("\n".join(lines) + "\n")
    (folder / "config").write_text(f"Configuration data as of {NOW.isoformat()}\n"
                                   "PriorityType            = priority/multifactor\n"
                                   "SelectType              = select/cons_tres\n"
                                   "SelectTypeParameters    = CR_CORE_MEMORY\n")
    (folder / "nodes").write_text("".join(
        f"NodeName=n{n} Arch=x86_64 CPUAlloc={CORES if n <= busy else 0} CPUEfctv={CORES} CPUTot={CORES} "
        "AvailableFeatures=(null) ActiveFeatures=(null) Gres=(null) OS=Linux 6.1.0 #1 SMP RealMemory=64000 AllocMem=0 "
        f"State={'ALLOCATED' if n <= busy else 'IDLE'} ThreadsPerCore=1 Partitions=batch\n" for n in range(1, NODES + 1)))
    (folder / "partitions").write_text(
        f"PartitionName=batch Default=YES Nodes=n[1-{NODES}] PriorityTier=1 State=UP TotalNodes={NODES}\n")


main()
