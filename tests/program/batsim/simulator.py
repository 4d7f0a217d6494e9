#!/usr/bin/python3
"""A small Batsim, for tests: simulator.py ENDPOINT SEED [SHARE].

It draws jobs, asks the scheduler at the endpoint by Batsim's protocol (version 4) and simulates what that decides. What
the scheduler may not do ends it with status 1. SHARE of the messages (0) are wrong in some way. It knows of the protocol
what its text says, and nothing of coslice.
"""
import heapq
import json
import os
import random
import sys

import zmq

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutations  # noqa: E402


def nodes_of(text):
    out = []
    for part in text.split():
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


class Simulator:
    NODES = 16

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now, self.order = 0.0, 0
        self.coming, self.events = [], []
        self.waiting, self.running, self.left = {}, {}, {}
        self.free, self.gone = set(range(self.NODES)), set()
        self.jobs = 40
        t = 0.0
        for i in range(1, self.jobs + 1):
            t += self.random.choice([0, self.random.expovariate(1 / 60)])
            self.at(t, "submit", i)
        for _ in range(2):
            self.at(self.random.uniform(0, t), "node_goes", self.random.randrange(self.NODES))

    def at(self, time, what, of):
        self.order += 1
        heapq.heappush(self.coming, (time, self.order, what, of))

    def say(self, kind, data):
        self.events.append({"timestamp": self.now, "type": kind, "data": data})

    def begin(self):
        resources = [{"id": n, "name": "n%d" % n, "state": "idle", "properties": {"role": ""}, "zone_properties": {}}
                     for n in range(self.NODES)]
        self.say("SIMULATION_BEGINS", {
            "nb_resources": self.NODES, "nb_compute_resources": self.NODES, "nb_storage_resources": 0,
            "allow_compute_sharing": False, "allow_storage_sharing": True,
            "config": {"redis-enabled": False, "redis-hostname": "127.0.0.1", "redis-port": 6379, "redis-prefix": "default",
                       "profiles-forwarded-on-submission": False, "dynamic-jobs-enabled": False,
                       "dynamic-jobs-acknowledged": False, "profile-reuse-enabled": False, "sched-config": "",
                       "forward-unknown-events": False},
            "compute_resources": resources, "storage_resources": [], "workloads": {"w0": "jobs.json"}, "profiles": {"w0": {}}})

    def submit(self, i):
        run = self.random.expovariate(1 / 300) + 1
        job = {"id": "w0!%d" % i, "subtime": self.now, "res": self.random.randrange(1, 20), "profile": "p%d" % i}
        if self.random.random() < 0.9:
            job["walltime"] = round(run * self.random.choice([0.8, 1, 1.5, 3])) + 1
        self.waiting[job["id"]] = (job, run)
        self.say("JOB_SUBMITTED", {"job_id": job["id"], "job": job})
        if i == self.jobs:
            self.say("NOTIFY", {"type": "no_more_static_job_to_submit"})

    def end(self, job_id):
        if job_id in self.running:
            nodes, state = self.running.pop(job_id)
            self.free |= set(nodes) - self.gone
            self.say("JOB_COMPLETED", {"job_id": job_id, "job_state": state, "return_code": 0,
                                       "alloc": " ".join(map(str, nodes))})

    def node_goes(self, n):
        self.gone.add(n)
        self.free.discard(n)
        self.say("NOTIFY", {"type": "event_machine_unavailable", "resources": str(n)})
        self.at(self.now + 500, "node_comes", n)

    def node_comes(self, n):
        if n in self.gone:
            self.gone.discard(n)
            if all(n not in nodes for nodes, _ in self.running.values()):
                self.free.add(n)
            self.say("NOTIFY", {"type": "event_machine_available", "resources": str(n)})

    def call(self, _):
        self.say("REQUESTED_CALL", {})

    def execute(self, data):
        job, run = self.waiting.pop(data["job_id"])
        nodes = nodes_of(data["alloc"])
        assert len(nodes) == job["res"] and set(nodes) <= self.free, (data, self.free)
        self.free -= set(nodes)
        limit = job.get("walltime", run)
        late = run > limit
        self.running[job["id"]] = (nodes, "COMPLETED_WALLTIME_REACHED" if late else "COMPLETED_SUCCESSFULLY")
        self.at(self.now + min(run, limit), "end", job["id"])

    def obey(self, answer):
        assert set(answer) == {"now", "events"} and answer["now"] >= self.now
        for event in answer["events"]:
            assert event["timestamp"] == self.now
            kind, data = event["type"], event["data"]
            if kind == "EXECUTE_JOB":
                self.execute(data)
            elif kind == "REJECT_JOB":
                assert self.waiting.pop(data["job_id"])[0]["res"] > self.NODES
            elif kind == "CALL_ME_LATER":
                assert data["timestamp"] > self.now
                self.at(data["timestamp"], "call", None)
            else:
                raise AssertionError(event)

    def step(self):
        """All that happens at the next instant; False: nothing is to come."""
        while self.coming and not self.events:
            self.now = max(self.now, self.coming[0][0])
            while self.coming and self.coming[0][0] <= self.now:
                _, _, what, of = heapq.heappop(self.coming)
                getattr(self, what)(of)
        return bool(self.events)


def main():
    endpoint, seed = sys.argv[1], int(sys.argv[2])
    share = float(sys.argv[3]) if len(sys.argv) > 3 else 0
    simulator = Simulator(seed)
    context = zmq.Context()
    socket = context.socket(zmq.REQ)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.RCVTIMEO, 20000)
    socket.connect(endpoint)

    def ask(wrong):
        message = {"now": simulator.now, "events": simulator.events}
        text = json.dumps(message).encode()
        simulator.events = []
        if wrong and simulator.random.random() < share:
            text = mutations.mutated(simulator.random, message)
        socket.send(text)
        return json.loads(socket.recv())

    simulator.begin()
    simulator.obey(ask(True))
    while simulator.step():
        simulator.obey(ask(True))
    assert not simulator.waiting and not simulator.running, "jobs are left"
    simulator.say("SIMULATION_ENDS", {})
    assert ask(False)["events"] == []
    print("all %d jobs are over at %g s" % (simulator.jobs, simulator.now))


if __name__ == "__main__":
    main()
