#!/usr/bin/env python3
"""random_trace.py SEED: a small trace on standard output, made to be awkward.

Small numbers make ties (of submissions, of ends, of limits and ends), and that is where schedulers differ. There are
jobs as large as the machine and larger, without a size, a run time or a limit, out of order, and beyond their limit.
"""
import random
import sys


def size_fields(draw, nodes):
    kind = draw.random()
    if kind < 0.2:
        size = nodes
    elif kind < 0.9:
        size = draw.randint(1, nodes)
    else:
        size = draw.choice([1, nodes + 1, 0, -1])
    return draw.choice([(size, size), (-1, size), (size, -1), (max(1, size - 1), size)])


def times(draw, span):
    run = draw.randrange(span + 1)
    limit = draw.choice([run, -1, 0, span, 2 * span, run + draw.randrange(span + 1), draw.randrange(1, span + 2)])
    return (-1 if draw.random() < 0.03 else run), limit


def main():
    draw = random.Random(int(sys.argv[1]))
    nodes = draw.choice([1, 2, 3, 4, 5, 8, 10, 16, 100])
    span, gap = draw.choice([2, 4, 8, 20, 100]), draw.choice([1, 2, 3, 10])
    print(f"; MaxProcs: {nodes}")
    now = 0
    for number in range(1, draw.choice([5, 10, 20, 40, 100, 300]) + 1):
        if draw.randrange(gap) == 0:
            now += draw.randrange(span)
        submit = max(0, now - draw.randrange(span)) if draw.random() < 0.03 else now
        allocated, requested = size_fields(draw, nodes)
        run, limit = times(draw, span)
        status = draw.choice([1, 1, 0, 5, -1])
        print(number, submit, -1, run, allocated, -1, -1, requested, limit, -1, status, *[-1] * 7)


if __name__ == "__main__":
    main()
