"""Messages of Batsim's protocol that are wrong in some way: what schedulers and simulators should never send."""
import copy
import json

STRANGE = [
    None, True, False, 0, -1, 1, 7, 2**31 - 1, 2**31, -(2**31), 2**63, 10**30, 0.5, -0.25, 1e-9, 1e9, 1e18, 1e308, -1e308,
    float("nan"), float("inf"), "", " ", "0", "-1", "w0!1", "w0!99", "dyn!1", "0-3", "3-0", "0-99999999999", "1 1", "0,1",
    "\u0000", "\ud83d\ude00", "a" * 5000, [], {}, [[]], [1, "2", None], {"delay": -1, "type": "delay"}, {"a": {"b": []}},
]


def places(value, path=()):
    """All places in a message: paths of keys."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(children):
        yield from places(child, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def change_value(random, message):
    path = random.choice([p for p in places(message) if p])
    at(message, path[:-1])[path[-1]] = copy.deepcopy(random.choice(STRANGE))


def change_number(random, message):
    numbers = [p for p in places(message) if p and type(at(message, p)) in (int, float)]
    if numbers:
        path = random.choice(numbers)
        at(message, path[:-1])[path[-1]] += random.choice([-1000, -1, -1e-7, 1e-7, 1, 60, 1e7, 1e300])


def remove(random, message):
    paths = [p for p in places(message) if p]
    if paths:
        path = random.choice(paths)
        del at(message, path[:-1])[path[-1]]


def repeat_event(random, message):
    if message.get("events"):
        message["events"].insert(random.randrange(len(message["events"]) + 1), copy.deepcopy(random.choice(message["events"])))


def swap_events(random, message):
    random.shuffle(message.get("events", []))


def exchange_values(random, message):
    paths = [p for p in places(message) if p]
    a, b = random.choice(paths), random.choice(paths)
    if a[: len(b)] != b and b[: len(a)] != a:
        x, y = at(message, a), at(message, b)
        at(message, a[:-1])[a[-1]], at(message, b[:-1])[b[-1]] = y, x


EVENTS = [
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0"}), ("REJECT_JOB", {"job_id": "w0!2"}), ("KILL_JOB", {"job_ids": ["w0!1"]}),
    ("CALL_ME_LATER", {"timestamp": 50}), ("SET_RESOURCE_STATE", {"resources": "0", "state": "1"}),
    ("QUERY", {"requests": {"consumed_energy": {}}}), ("ANSWER", {"consumed_energy": 1}), ("NOTIFY", {"type": "registration_finished"}),
    ("NOTIFY", {"type": "continue_registration"}), ("NOTIFY", {"type": "event_machine_unavailable", "resources": "1"}),
    ("NOTIFY", {"type": "event_machine_available", "resources": "1"}), ("SET_JOB_METADATA", {"job_id": "w0!1", "metadata": "m"}),
    ("REGISTER_JOB", {"job_id": "dyn!1", "job": {"id": "dyn!1", "res": 1, "walltime": 10, "profile": "p"},
                      "profile": {"type": "delay", "delay": 5}}),
    ("REGISTER_PROFILE", {"workload_name": "dyn", "profile_name": "p", "profile": {"type": "delay", "delay": 5}}),
    ("SIMULATION_BEGINS", {}), ("SIMULATION_ENDS", {}), ("REQUESTED_CALL", {}),
    ("JOB_SUBMITTED", {"job_id": "w0!77", "job": {"id": "w0!77", "res": 1, "walltime": 10, "profile": "p"}}),
    ("JOB_COMPLETED", {"job_id": "w0!1", "job_state": "COMPLETED_SUCCESSFULLY", "return_code": 0, "alloc": "0"}),
    ("JOB_KILLED", {"job_ids": ["w0!1"]}), ("RESOURCE_STATE_CHANGED", {"resources": "0", "state": "0"}),
    ("CHANGE_JOB_STATE", {"job_id": "w0!1", "job_state": "RUNNING"}),
]


def add_event(random, message):
    kind, data = copy.deepcopy(random.choice(EVENTS))
    if isinstance(message.get("events"), list):
        event = {"timestamp": message.get("now", 0), "type": kind, "data": data}
        message["events"].insert(random.randrange(len(message["events"]) + 1), event)


MUTATIONS = [change_value, change_number, remove, repeat_event, swap_events, exchange_values, add_event, add_event]


def damage_bytes(random, text):
    for _ in range(random.randrange(1, 4)):
        where = random.randrange(len(text) + 1)
        how = random.randrange(4)
        if how == 0:
            text = text[:where]
        elif how == 1:
            text = text[:where] + bytes([random.randrange(256)]) + text[where + 1:]
        elif how == 2:
            text = text[:where] + text[where + random.randrange(9):]
        else:
            text = text[:where] + random.choice([b"[" * 40, b"{" * 40, b"\x00", b"\xff\xfe", b"NaN", b"-", b"e99999", b"\"" * 3]) + text[where:]
    return text


def mutated(random, message):
    """The message as bytes, changed."""
    message = copy.deepcopy(message)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        try:
            random.choice(MUTATIONS)(random, message)
        except (KeyError, IndexError, TypeError, AttributeError):
            pass  # what an earlier change has made of it
    text = json.dumps(message).encode()
    return damage_bytes(random, text) if random.random() < 0.15 else text
