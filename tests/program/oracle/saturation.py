#!/usr/bin/env python3
"""How often a machine is called saturated, by the load that is offered to it: the test of engine/metrics/steadiness.cpp
read again, on a queue of fluid work that stands for a machine of 16 nodes.

usage: saturation.py [FIRST-SEED [RUNS]]      (1000 and 200; thresholds were chosen on the seeds 0 to 199)"""
import math
import random
import sys

NODES, PARTS, TRIM = 16, 16, 0.02
LEAST_GROWTH, LEAST_EVIDENCE = 0.01, 1.345


def unfinished_work(load, jobs, seed):
    """(time, work waiting) at each submission. A job has 1, 2, 4 or 8 nodes and a mean run time of 1,000 s."""
    draw = random.Random(seed)
    now = work = 0.0
    points = []
    for _ in range(jobs):
        gap = draw.expovariate(1) * 1000 * 3.75 / (NODES * load)
        work = max(0.0, work - gap)
        now += gap
        work += 2 ** draw.randrange(4) * draw.expovariate(1 / 1000) / NODES
        points.append((now, work))
    return points


def is_saturated(points):
    cut = int(len(points) * TRIM)
    first, last = points[cut][0], points[-cut][0]
    sums, counts = [0.0] * PARTS, [0] * PARTS
    for now, work in points:
        part = int((now - first) / (last - first) * PARTS)
        if 0 <= part < PARTS:
            sums[part] += work
            counts[part] += 1
    means = [s / max(1, c) for s, c in zip(sums, counts)]
    changes = [b - a for a, b in zip(means, means[1:])]
    mean = sum(changes) / len(changes)
    deviation = math.sqrt(sum((c - mean) ** 2 for c in changes) / (len(changes) - 1))
    growth = (means[-1] - means[0]) / ((last - first) * (PARTS - 1) / PARTS)
    evidence = mean * math.sqrt(len(changes)) / deviation if deviation else 0
    return growth > LEAST_GROWTH and evidence > LEAST_EVIDENCE


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    for jobs in (1500, 6000):
        for load in (0.6, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2):
            found = sum(is_saturated(unfinished_work(load, jobs, seed)) for seed in range(first, first + runs))
            print(f"{jobs} jobs, load {load}: saturated in {100 * found / runs:.1f} %")


if __name__ == "__main__":
    main()
