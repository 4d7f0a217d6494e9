#!/usr/bin/python3
"""A scheduler that speaks Batsim's protocol (version 4), for tests: scheduler.py ENDPOINT WAY.

WAY is "fcfs" (in order of submission, each job on the lowest nodes), "filler" (whatever fits), or a fault to be shown:
see FAULTS at the end. It knows of the protocol what its text says, and nothing of coslice.
"""
import json
import os
import random
import sys
import time

import zmq

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutations  # noqa: E402


def nodes_of(text):
    """The numbers in "0-3 5"."""
    out = []
    for part in text.split():
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def text_of(nodes):
    return " ".join(str(n) for n in nodes)


class Scheduler:
    """Starts jobs in order of submission; with `passes`, also those that fit behind one that does not."""

    def __init__(self, passes=False):
        self.passes = passes
        self.queue, self.running = [], {}
        self.free = set()
        self.now, self.events = 0, []

    def say(self, kind, **data):
        self.events.append({"timestamp": self.now, "type": kind, "data": data})

    def start(self, job, nodes):
        self.queue.remove(job)
        self.running[job["id"]] = nodes
        self.free -= set(nodes)
        self.say("EXECUTE_JOB", job_id=job["id"], alloc=text_of(nodes))

    def decide(self):
        for job in list(self.queue):
            if job["res"] <= len(self.free):
                self.start(job, sorted(self.free)[: job["res"]])
            elif not self.passes:
                return

    def told(self, kind, data):
        if kind == "SIMULATION_BEGINS":
            self.free = set(range(data["nb_resources"]))
            self.config = data["config"]
        elif kind == "JOB_SUBMITTED":
            assert data["job_id"] == data["job"]["id"]
            self.queue.append(data["job"])
        elif kind == "JOB_COMPLETED":
            nodes = self.running.pop(data["job_id"])
            assert nodes_of(data["alloc"]) == nodes
            self.free |= set(nodes)
        elif kind == "NOTIFY" and data["type"] == "event_machine_unavailable":
            self.free -= set(nodes_of(data["resources"]))
        elif kind == "NOTIFY" and data["type"] == "event_machine_available":
            self.free |= set(nodes_of(data["resources"]))

    def answer(self, message):
        self.now, self.events = message["now"], []
        last = 0
        for event in message["events"]:
            assert last <= event["timestamp"] <= self.now
            last = event["timestamp"]
            self.told(event["type"], event["data"])
        if not any(event["type"] == "SIMULATION_ENDS" for event in message["events"]):
            self.decide()
        return {"now": self.now, "events": self.events}


class Killer(Scheduler):
    """Kills each job 10 s after its start, and is called for that; says in the end what it was told."""

    def __init__(self):
        super().__init__()
        self.due, self.log = {}, []

    def start(self, job, nodes):
        super().start(job, nodes)
        self.due[job["id"]] = self.now + 10
        self.say("CALL_ME_LATER", timestamp=self.now + 10)

    def told(self, kind, data):
        super().told(kind, data)
        if kind == "JOB_COMPLETED":
            self.log.append("%s %s at %g" % (data["job_id"], data["job_state"], self.now))
        elif kind == "JOB_KILLED":
            self.log.append("killed %s %s" % (data["job_ids"], sorted(data["job_progress"])))
        elif kind == "REQUESTED_CALL":
            self.log.append("called at %g" % self.now)
            over = sorted(job for job, t in self.due.items() if t == self.now)
            for job in over:
                del self.due[job]
            if over:
                self.say("KILL_JOB", job_ids=over)
        elif kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("\n".join(self.log) + "\n")


class Listener(Scheduler):
    """Writes down all that it is told."""

    def __init__(self):
        super().__init__(passes=True)
        self.log = []

    def told(self, kind, data):
        super().told(kind, data)
        self.log.append("%g %s %s" % (self.now, kind, json.dumps(data, sort_keys=True)))
        if kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("\n".join(self.log) + "\n")


class Rejecter(Scheduler):
    """Rejects jobs of more than one node."""

    def decide(self):
        for job in list(self.queue):
            if job["res"] > 1:
                self.queue.remove(job)
                self.say("REJECT_JOB", job_id=job["id"])
        super().decide()


class Late(Scheduler):
    """Takes 5 s for each decision."""

    def answer(self, message):
        reply = super().answer(message)
        if any(event["type"] == "SIMULATION_ENDS" for event in message["events"]):
            return reply
        reply["now"] += 5
        for event in reply["events"]:
            event["timestamp"] += 5
        return reply


class Asker(Scheduler):
    """Asks for the energy whenever a job has ended, and writes down what it is told."""

    def __init__(self):
        super().__init__()
        self.log = []

    def told(self, kind, data):
        super().told(kind, data)
        if kind == "JOB_COMPLETED":
            self.say("QUERY", requests={"consumed_energy": {}})
        elif kind == "ANSWER":
            self.log.append("%g J at %g" % (data["consumed_energy"], self.now))
        elif kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("\n".join(self.log) + "\n")


class Sleeper(Scheduler):
    """Powers nodes down as soon as they have no job, and up for the first job that waits; writes down what it is told."""

    def __init__(self):
        super().__init__()
        self.off, self.moving, self.log = set(), set(), []

    def order(self, nodes, state):
        if nodes:
            self.moving |= set(nodes)
            self.say("SET_RESOURCE_STATE", resources=text_of(sorted(nodes)), state=state)

    def decide(self):
        super().decide()
        if self.queue:
            lacks = self.queue[0]["res"] - len(self.free) - len(self.moving)
            ups = sorted(self.off)[: max(0, lacks)]
            self.off -= set(ups)
            self.order(ups, "0")
        else:
            downs = set(self.free)
            self.free -= downs
            self.order(downs, "13")

    def told(self, kind, data):
        super().told(kind, data)
        if kind == "RESOURCE_STATE_CHANGED":
            nodes = set(nodes_of(data["resources"]))
            self.moving -= nodes
            (self.free if data["state"] == "0" else self.off).update(nodes)
            self.log.append("%s in %s at %g" % (data["resources"], data["state"], self.now))
        elif kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("\n".join(self.log) + "\n")


class Idler(Scheduler):
    """Starts nothing, and wants to be called again and again: after 10 s, or with `step` 0 at once."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def decide(self):
        self.say("CALL_ME_LATER", timestamp=self.now + self.step)


class Registrar(Scheduler):
    """Registers jobs: dyn!1 and dyn!2 at 5 s, dyn!1 by a profile of its own event, dyn!2 with its own, which is killed at
    its limit; and dyn!3 of three parts when all others are over. Writes down what it is told."""

    def __init__(self):
        super().__init__(passes=True)
        self.log, self.left, self.last = [], 0, False

    def register(self, name, nodes, walltime, called, **more):
        job = {"id": name, "res": nodes, "walltime": walltime, "profile": called, "user": 7}
        self.say("REGISTER_JOB", job_id="dyn!" + name, job=job, **more)

    def told(self, kind, data):
        super().told(kind, data)
        self.log.append("%g %s %s" % (self.now, kind, json.dumps(data, sort_keys=True)))
        if kind == "SIMULATION_BEGINS":
            assert data["config"]["dynamic-jobs-enabled"] and data["config"]["dynamic-jobs-acknowledged"]
            self.say("REGISTER_PROFILE", workload_name="dyn", profile_name="p30", profile={"type": "delay", "delay": 30})
            self.say("CALL_ME_LATER", timestamp=5)
            self.say("NOTIFY", type="registration_finished")
            self.say("NOTIFY", type="continue_registration")
        elif kind == "JOB_SUBMITTED":
            self.left += 1
        elif kind == "JOB_COMPLETED":
            self.left -= 1
            if self.left == 0 and not self.last:
                self.last = True
                self.say("CALL_ME_LATER", timestamp=self.now + 100)
        elif kind == "REQUESTED_CALL" and not self.last:
            self.register("1", 2, 40, "p30")
            self.register("2", 1, 60, "p100", profile={"type": "delay", "delay": 100})
        elif kind == "REQUESTED_CALL":
            parts = {"type": "composed", "repeat": 2, "seq": ["p30", "p100", "p30"]}
            self.register("3", 4, -1, "parts", profile=parts)
            self.say("NOTIFY", type="registration_finished")
        elif kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("\n".join(self.log) + "\n")


class Restarter(Scheduler):
    """Kills w0!1 at 10 s and registers it again with its profile, and at the beginning a job whose parts are registered
    behind it; writes down the profiles that it is told."""

    def __init__(self):
        super().__init__(passes=True)
        self.log = []

    def told(self, kind, data):
        super().told(kind, data)
        if kind == "SIMULATION_BEGINS":
            self.log.append(str(data["config"]["profiles-forwarded-on-submission"]))
            self.say("CALL_ME_LATER", timestamp=10)
            for name, profile in [("all", {"type": "composed", "seq": ["a", "a", "b"]}),
                                  ("a", {"type": "composed", "repeat": 2, "seq": ["b"]}),
                                  ("b", {"type": "delay", "delay": 3})]:
                self.say("REGISTER_PROFILE", workload_name="dyn", profile_name=name, profile=profile)
            self.say("REGISTER_JOB", job_id="dyn!1", job={"id": "dyn!1", "res": 1, "walltime": 50, "profile": "all"})
        elif kind == "REQUESTED_CALL":
            self.say("KILL_JOB", job_ids=["w0!1"])
        elif kind == "JOB_KILLED":
            job = {"id": "w0!1#1", "res": 2, "walltime": 200, "profile": "1", "subtime": self.now}
            self.say("REGISTER_JOB", job_id="w0!1#1", job=job)
            self.say("SET_JOB_METADATA", job_id="w0!1#1", metadata="again")
        elif kind == "JOB_SUBMITTED":
            self.log.append("%s %s" % (data["job_id"], json.dumps(data.get("profile"), sort_keys=True)))
        elif kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("\n".join(self.log) + "\n")


class Impatient(Scheduler):
    """Registers a job and starts it in the same answer."""

    def told(self, kind, data):
        super().told(kind, data)
        if kind == "JOB_SUBMITTED" and data["job_id"] == "w0!1":
            self.say("REGISTER_JOB", job_id="dyn!1", job={"id": "dyn!1", "res": 4, "walltime": 50, "profile": "p"},
                     profile={"type": "delay", "delay": 20})
            self.say("EXECUTE_JOB", job_id="dyn!1", alloc="0-3")
            self.running["dyn!1"] = [0, 1, 2, 3]
            self.free = set()
        if kind == "JOB_SUBMITTED" and data["job_id"] == "dyn!1":
            self.queue.pop()


class Crowd(Scheduler):
    """Registers many jobs in the first answer, each before its profile; they are told of at once."""

    def __init__(self):
        super().__init__(passes=True)
        self.message, self.told_of = 0, {}

    def told(self, kind, data):
        super().told(kind, data)
        if kind == "SIMULATION_BEGINS":
            for i in range(1, 601):
                self.say("REGISTER_JOB", job_id="dyn!%d" % i, job={"id": str(i), "res": 1, "walltime": 9, "profile": "p%d" % i})
                self.say("REGISTER_PROFILE", workload_name="dyn", profile_name="p%d" % i, profile={"type": "delay", "delay": 1 + i % 7})
            self.say("EXECUTE_JOB", job_id="dyn!1", alloc="3")
            self.running["dyn!1"] = [3]
            self.free = {0, 1, 2}
        elif kind == "JOB_SUBMITTED":
            self.told_of.setdefault(self.message, []).append(data["job_id"])
            if data["job_id"] == "dyn!1":
                self.queue.pop()
        elif kind == "SIMULATION_ENDS":
            with open("told", "w") as out:
                out.write("%s\n" % max(len(jobs) for jobs in self.told_of.values()))

    def answer(self, message):
        self.message += 1
        return super().answer(message)


class Mutated(Scheduler):
    """As fcfs, but with messages that are wrong in some way: `mutated:SEED`."""

    def __init__(self, seed):
        super().__init__(passes=True)
        self.random = random.Random(seed)

    def answer(self, message):
        try:
            reply = super().answer(message)
        except (AssertionError, KeyError):  # it has lost count: of what it said something else was understood
            reply = {"now": self.now, "events": self.events}
        return mutations.mutated(self.random, reply) if self.random.random() < 0.2 else reply


class Faulty(Scheduler):
    """Answers the second message as `fault` says: an event, or a whole text."""

    def __init__(self, fault):
        super().__init__()
        self.fault, self.messages = fault, 0

    def answer(self, message):
        reply = super().answer(message)
        self.messages += 1
        if self.messages != 2:
            return reply
        if callable(self.fault):
            return self.fault(reply)
        kind, data = self.fault
        reply["events"] = [{"timestamp": self.now, "type": kind, "data": data}]
        return reply


def dies(_):
    print("this is why", file=sys.stderr)
    sys.stderr.flush()
    os._exit(3)


def hangs(_):
    print("thinking", flush=True)
    time.sleep(600)


def chatters(_):
    while True:
        print("x" * 1000, flush=True)


def sets(**values):
    return lambda reply: {**reply, **values}


def first_event(**values):
    return lambda reply: {**reply, "events": [{**reply["events"][0], **values}]}


def execute(job, alloc):
    return {"timestamp": 0, "type": "EXECUTE_JOB", "data": {"job_id": job, "alloc": alloc}}


def a_job(**values):
    return {"id": "1", "res": 1, "walltime": 10, "profile": "p", **values}


def notify(reply, kind):
    return {"timestamp": reply["now"], "type": "NOTIFY", "data": {"type": kind}}


# The trace of the tests has jobs of 2, 1 and 4 nodes on a machine of 4; all come at 0.
FAULTS = {
    "dies": dies,
    "hangs": hangs,
    "chatters": chatters,
    "garbage": lambda _: "this is no JSON",
    "nested": lambda _: "[" * 1000000,
    "bytes": lambda _: b"\xff\xfe\x00{",
    "list": lambda _: [],
    "no_events": lambda _: {"now": 0},
    "events_text": sets(events="none"),
    "event_number": sets(events=[7]),
    "past": sets(now=-5),
    "no_type": sets(events=[{}]),
    "unknown": ("DO_WHAT_I_MEAN", {}),
    "no_data": lambda reply: {**reply, "events": [{"timestamp": 0, "type": "EXECUTE_JOB"}]},
    "future_event": first_event(timestamp=1),
    "no_alloc": ("EXECUTE_JOB", {"job_id": "w0!1"}),
    "no_job": ("EXECUTE_JOB", {"job_id": "w0!99", "alloc": "0"}),
    "too_few": ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0"}),
    "no_node": ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "3-4"}),
    "twice": ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "1 1"}),
    "backwards": ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "1-0"}),
    "huge": ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0-99999999999999999999"}),
    "taken": sets(events=[execute("w0!1", "0-1"), execute("w0!2", "1")]),
    "again": lambda r: {**r, "events": r["events"] + r["events"]},
    "reject_running": lambda r: {**r, "events": r["events"] + [{"timestamp": r["now"], "type": "REJECT_JOB",
                                                                "data": {"job_id": "w0!1"}}]},
    "kill_waiting": ("KILL_JOB", {"job_ids": ["w0!1"]}),
    "kill_none": ("KILL_JOB", {"job_ids": []}),
    "call_past": ("CALL_ME_LATER", {"timestamp": -1}),
    "query": ("QUERY", {"requests": {"air_temperature_all": {}}}),
    "energy": ("QUERY", {"requests": {"consumed_energy": {}}}),
    "power": ("SET_RESOURCE_STATE", {"resources": "0", "state": "1"}),
    "register": ("REGISTER_JOB", {"job_id": "dyn!1"}),
    "register_no_profile": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job()}),
    "register_parallel": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(),
                                           "profile": {"type": "parallel", "cpu": [1], "com": [0]}}),
    "register_again": ("REGISTER_JOB", {"job_id": "w0!2", "job": a_job(id="2"), "profile": {"type": "delay", "delay": 1}}),
    "register_other": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(id="5"), "profile": {"type": "delay", "delay": 1}}),
    "register_large": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(res=5), "profile": {"type": "delay", "delay": 1}}),
    "register_part": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(res=1.5)}),
    "register_parts": ("REGISTER_PROFILE", {"workload_name": "dyn", "profile_name": "p",
                                            "profile": {"type": "composed", "seq": [1]}}),
    "register_missing": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(),
                                          "profile": {"type": "composed", "seq": ["q"]}}),
    "register_circle": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(),
                                         "profile": {"type": "composed", "seq": ["p", "p"]}}),
    "register_other_log": ("REGISTER_JOB", {"job_id": "w0!1#1", "job": a_job(id="1#1", profile="9")}),
    "register_negative": ("REGISTER_PROFILE", {"workload_name": "dyn", "profile_name": "p",
                                               "profile": {"type": "delay", "delay": -1}}),
    "register_unlimited": ("REGISTER_JOB", {"job_id": "dyn!1", "job": a_job(walltime=0),
                                            "profile": {"type": "delay", "delay": 1}}),
    "register_late": lambda r: {**r, "events": [notify(r, "registration_finished"), {
        "timestamp": r["now"], "type": "REGISTER_JOB",
        "data": {"job_id": "dyn!1", "job": a_job(), "profile": {"type": "delay", "delay": 1}}}]},
    "answers": ("ANSWER", {"estimate_waiting_time": {}}),
    "metadata": lambda r: {**r, "events": r["events"] + [{"timestamp": r["now"], "type": "SET_JOB_METADATA",
                                                          "data": {"job_id": "w0!1", "metadata": "m"}}]},
    "notify": ("NOTIFY", {"type": "hello"}),
    "nothing": sets(events=[]),
}

WAYS = {
    "fcfs": Scheduler,
    "filler": lambda: Scheduler(passes=True),
    "killer": Killer,
    "listener": Listener,
    "rejecter": Rejecter,
    "late": Late,
    "asker": Asker,
    "sleeper": Sleeper,
    "registrar": Registrar,
    "restarter": Restarter,
    "impatient": Impatient,
    "crowd": Crowd,
    "idler": lambda: Idler(10),
    "asks_at_once": lambda: Idler(0),
}


def main():
    endpoint, way = sys.argv[1:3]
    if way == "deaf":
        time.sleep(600)
    if way == "leaves_child":
        if os.fork() == 0:
            time.sleep(600)
        way = "fcfs"
    if way.startswith("mutated:"):
        scheduler = Mutated(way)
    else:
        scheduler = WAYS[way]() if way in WAYS else Faulty(FAULTS[way])
    context = zmq.Context()
    socket = context.socket(zmq.REP)
    socket.bind(endpoint)
    over = False
    while not over:
        message = json.loads(socket.recv())
        over = any(event["type"] == "SIMULATION_ENDS" for event in message["events"])
        reply = scheduler.answer(message)
        if isinstance(reply, str):
            reply = reply.encode()
        elif not isinstance(reply, bytes):
            reply = json.dumps(reply).encode()
        socket.send(reply)


main()
