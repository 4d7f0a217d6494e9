#!/usr/bin/env python3
"""The rules of engine.event_order = "submissions-first", said a second time and slowly.

An independent simulator of fcfs, easy and conservative that gives the schedules of pyss; what coslice computes is
compared with it. It shares no code and no data structure with the engine: plain lists, one idea per function.

    rules.py TRACE.swf[.gz] POLICY... [--nodes N] [--first N]

prints the rows "job_id,starting_time", in order of submission.
"""
import argparse
import gzip
import heapq
import sys
from bisect import bisect_left, bisect_right


class Job:
    __slots__ = ("id", "submit", "run", "limit", "size", "reserved", "event", "running")


def read(path, nodes, first):
    """Jobs in order of submission (ties: of the file), and the machine's size."""
    header, jobs = {}, []
    for line in (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace"):
        if line.startswith(";"):
            key, colon, value = line[1:].partition(":")
            if colon and value.split() and value.split()[0].isdigit():
                header.setdefault(key.strip(), int(value.split()[0]))
            continue
        fields = line.split()
        if not fields:
            continue
        fields += ["-1"] * (18 - len(fields))
        job = Job()
        job.id, job.submit = int(fields[0]), int(fields[1])
        run, limit = int(fields[3]), int(fields[8])
        job.size = max(int(fields[4]), int(fields[7]))
        if job.submit < 0 or job.size <= 0 or run < 0:
            continue
        job.limit = limit if limit > 0 else max(run, 1)
        job.run = min(max(run, 1), job.limit)
        job.reserved = job.event = None
        job.running = False
        jobs.append(job)
    nodes = nodes or header.get("MaxProcs") or header.get("MaxNodes") or max(j.size for j in jobs)
    jobs = [j for j in jobs if j.size <= nodes]
    jobs.sort(key=lambda j: j.submit)
    return jobs[:first], nodes


class Profile:
    """Free nodes over time: free[i] from times[i] until times[i + 1], the last one for ever."""

    def __init__(self, nodes):
        self.times, self.free = [0], [nodes]

    def forget_before(self, now):
        past = bisect_right(self.times, now) - 1
        del self.times[:past], self.free[:past]

    def free_at(self, t):
        return self.free[bisect_right(self.times, t) - 1]

    def earliest(self, size, duration, now):
        """First instant from `now` on at which `size` nodes are free for `duration`."""
        times, free = self.times, self.free
        start, i = now, bisect_right(times, now) - 1
        while True:
            if free[i] < size:
                start = times[i + 1]
            elif i + 1 == len(times) or times[i + 1] >= start + duration:
                return start
            i += 1

    def step_at(self, t):
        i = bisect_left(self.times, t)
        if i == len(self.times) or self.times[i] != t:
            self.times.insert(i, t)
            self.free.insert(i, self.free[i - 1])
        return i

    def add(self, begin, end, change):
        """Changes the free nodes on [begin, end)."""
        first, last = self.step_at(begin), self.step_at(end)
        for i in range(first, last):
            self.free[i] += change
        assert min(self.free[first:last], default=0) >= 0
        for i in (last, first):  # steps that are none would pile up
            if i > 0 and self.free[i] == self.free[i - 1]:
                del self.times[i], self.free[i]


class Simulator:
    """Events: (time, rank of the kind, number, job); the rank puts submissions before ends before starts."""

    SUBMIT, END, START = range(3)

    def __init__(self, jobs, nodes, policy):
        self.profile, self.policy, self.queue = Profile(nodes), policy, []
        self.events = [(job.submit, self.SUBMIT, i, job) for i, job in enumerate(jobs)]
        self.number = len(jobs)  # events of one kind and instant come in the order in which they were made

    def push(self, time, kind, job):
        self.number += 1
        job.event = self.number
        heapq.heappush(self.events, (time, kind, self.number, job))

    def run(self):
        heapq.heapify(self.events)
        while self.events:
            now, kind, number, job = heapq.heappop(self.events)
            if kind == self.START:
                if job.event == number:  # else the reservation has been moved
                    job.running = True
                    self.push(now + job.run, self.END, job)
                continue
            self.profile.forget_before(now)
            if kind == self.SUBMIT:
                self.queue.append(job)
            elif job.run < job.limit:  # the profile gives the nodes back at the limit by itself
                self.profile.add(now, job.reserved + job.limit, +job.size)
            getattr(self, self.policy)(now, kind)

    def reserve(self, job, start):
        self.profile.add(start, start + job.limit, -job.size)
        if job.reserved != start:
            job.reserved = start
            self.push(start, self.START, job)

    def fcfs(self, now, _):
        while self.queue and self.profile.free_at(now) >= self.queue[0].size:
            self.reserve(self.queue.pop(0), now)

    def easy(self, now, kind):
        self.fcfs(now, kind)
        if not self.queue:
            return
        head, profile, i = self.queue[0], self.profile, 1
        shadow = None
        while i < len(self.queue):
            job = self.queue[i]
            i += 1
            if profile.free_at(now) < job.size:  # only a short cut
                continue
            if shadow is None:
                shadow = profile.earliest(head.size, head.limit, now)
                profile.add(shadow, shadow + head.limit, -head.size)
            if profile.earliest(job.size, job.limit, now) == now:
                profile.add(shadow, shadow + head.limit, +head.size)
                shadow = None  # found anew
                i -= 1
                self.reserve(self.queue.pop(i), now)
        if shadow is not None:
            profile.add(shadow, shadow + head.limit, +head.size)

    def conservative(self, now, kind):
        if kind == self.SUBMIT:
            job = self.queue[-1]
            self.reserve(job, self.profile.earliest(job.size, job.limit, now))
            return
        self.queue = [job for job in self.queue if not job.running]
        for job in self.queue:
            self.profile.add(job.reserved, job.reserved + job.limit, +job.size)
            self.reserve(job, self.profile.earliest(job.size, job.limit, now))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("policies", nargs="+", choices=("fcfs", "easy", "conservative"), metavar="policy")
    parser.add_argument("--nodes", type=int, default=0, help="machine size (default: the header's)")
    parser.add_argument("--first", type=int, default=None, help="only the first N jobs")
    arguments = parser.parse_args()
    for policy in arguments.policies:
        jobs, nodes = read(arguments.trace, arguments.nodes, arguments.first)
        Simulator(jobs, nodes, policy).run()
        sys.stdout.writelines(f"{policy},{job.id},{job.reserved}\n" for job in jobs)


if __name__ == "__main__":
    main()
