"""Scenarios: what is to be simulated, and runs of it."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import re
import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Mapping

from . import _library as c
from ._columns import Given, columns_of, columns_of_file, is_path, renamed
from ._library import byref, check, long, short
from ._policies import (Host, _local, interrupted, interrupts, is_policy, keep_exception, lua_name_of, lua_text_of,
                        raise_kept)
from ._results import Comparison, Handle, Result, Results

Progress = Callable[[int, int], Any]


def toml(value: Any) -> str:
    """Returns the value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, os.PathLike):
        return json.dumps(os.fspath(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_key(str(key))} = {toml(v)}" for key, v in value.items() if v is not None) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    if hasattr(value, "tolist"):  # numbers of numpy
        return toml(value.tolist())
    if not isinstance(value, (int, float)):
        raise TypeError(f"a key is set to {value!r}, a {type(value).__name__}; expected numbers, texts, lists or dicts")
    return repr(value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_.-]+", key) else json.dumps(key)


class Machine:
    """A machine: ``Machine(nodes=64)``, with all keys of the scenario's table ``machine`` (docs/scenarios.md).

    ``nodes`` may be a list of kinds: ``[{"name": "gpu", "count": 4, "cores": 32, "gpus": 4}, ...]``.
    """

    def __init__(self, nodes: Any = None, **keys: Any) -> None:
        self.keys = ({} if nodes is None else {"nodes": nodes}) | keys

    def __repr__(self) -> str:
        return "Machine(" + ", ".join(f"{key}={value!r}" for key, value in self.keys.items()) + ")"


class Prepared:
    """A checked scenario with its jobs and policies."""

    def __init__(self, handle: Handle, hosts: list[Host]) -> None:
        self.handle, self.hosts = handle, hosts

    @property
    def warnings(self) -> list[str]:
        out: list[str] = []
        while True:
            warning = short.coslice_simulation_warning(self.handle.value, len(out))
            if warning is None:
                return out
            out.append(c.text(warning))

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Around what calls policies of Python: what they keep for the run ends with it."""
        try:
            with interrupts():
                yield
        finally:
            runs = getattr(_local, "runs", {})
            for host in self.hosts:
                if id(host) in runs:
                    runs.pop(id(host))[1]._view = None  # whoever has kept it gets an error

    def run(self, number: int, progress: Progress | None) -> Result:
        options = c.RunOptions()
        options.size = ctypes.sizeof(c.RunOptions)

        def tell(_user: int, done: int, jobs: int) -> int:
            try:  # also where nothing is to be told: here the interpreter notices Ctrl-C
                if progress is not None:
                    progress(done, jobs)
                return int(interrupted())
            except BaseException as e:
                keep_exception(e)
                return 1

        def write(_user: int, line: bytes) -> None:
            print(c.text(line))

        options.progress, options.print = c.PROGRESS(tell), c.PRINT(write)
        out = ctypes.c_void_p()
        with self.calling():
            raise_kept(long.coslice_run(self.handle.value, number, byref(options), byref(out)))
        return Result(Handle(out.value, long.coslice_result_free), self, number)


_LARGE = 100_000  # jobs; the columns of a result of so many are made with the run, which is waited for anyway


class Bar:
    """Progress on a terminal, or in a notebook: a line that is written again, once a run takes longer than a second."""

    def __init__(self, name: str) -> None:
        self.name, self.begin, self.last, self.shown = name, time.monotonic(), 0.0, False

    def __call__(self, done: int, jobs: int) -> None:
        now = time.monotonic()
        if now - self.begin < 1 or now - self.last < 0.2:
            return
        self.last, self.shown = now, True
        sys.stderr.write(f"\r{self.name}: {done:,} of {jobs:,} jobs ({100 * done // max(jobs, 1)} %)")
        sys.stderr.flush()

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 70 + "\r")
            sys.stderr.flush()


def _wants_progress(progress: Any) -> bool:
    if progress is None:
        return sys.stderr.isatty() or "ipykernel" in sys.modules
    return bool(progress)


class Scenario:
    """What is to be simulated. ``cs.load`` makes one of a file, ``Scenario()`` an empty one."""

    def __init__(self) -> None:
        self._handle = Handle(short.coslice_scenario_new(), short.coslice_scenario_free)
        self._hosts: dict[str, Host] = {}

    def set(self, key: str, value: Any) -> "Scenario":
        """Sets a key of the scenario: ``set("machine.nodes", 64)``; a dict sets the keys below it."""
        if isinstance(value, Mapping) and value:
            for inner, v in value.items():
                self.set(f"{key}.{inner}", v)
        elif isinstance(value, (str, os.PathLike)):
            check(short.coslice_set_text(self._handle.value, c.given(key, "key"), c.given_path(value)))
        elif value is not None:
            check(short.coslice_set(self._handle.value, c.given(f"{key}={toml(value)}", "value")))
        return self

    def set_machine(self, machine: Any) -> "Scenario":
        """Sets the machine: a number of nodes, a dict of keys, or a Machine."""
        keys = machine.keys if isinstance(machine, Machine) else machine
        return self.set("machine", keys if isinstance(keys, Mapping) else {"nodes": keys})

    def set_jobs(self, jobs: Any) -> "Scenario":
        """Sets the jobs: the path of a log, a DataFrame, an Arrow table, a dict of columns, or a list of dicts.

        What jobs say: ``submit`` (s), ``nodes`` or ``processes``, ``runtime`` (s), ``limit`` (s), ``id``, ``user``, ...
        (docs/formats.md). What a row does not know is None, NaN or -1. A table with the columns of jobs.csv does, too.
        """
        if is_path(jobs):
            path = os.fspath(jobs)
            columns = columns_of_file(path)
            if columns is None:
                self.set("workload.trace", path)
                return self
        else:
            columns = columns_of(jobs)
        given = Given(renamed(columns))
        check(long.coslice_set_jobs(self._handle.value, given.columns, len(given.columns)))
        return self

    def set_policies(self, policies: list[Any]) -> list[str]:
        """Sets the policies, and returns their names: those of Python and of Lua texts are unlike all others."""
        taken = {os.fspath(p) for p in policies if is_path(p)} | set(_known())
        names: list[str] = []
        for policy in policies:
            names.append(self._add_policy(policy, taken))
            taken.add(names[-1])
        texts = (ctypes.c_char_p * len(names))(*[c.given(name, "name of a policy") for name in names])
        check(short.coslice_set_policies(self._handle.value, texts, len(names)))
        return names

    def _add_policy(self, policy: Any, taken: set[str]) -> str:
        if isinstance(policy, str) and lua_text_of(policy):
            name = _unlike(lua_name_of(policy), taken)
            check(short.coslice_add_lua(self._handle.value, c.given(name, "name of a policy"), c.given(policy, "policy")))
            return name
        if isinstance(policy, (str, os.PathLike)):
            return os.fspath(policy)
        if not is_policy(policy):
            raise TypeError("a policy is a name, a path, a text in Lua, a function of a job, or has a method "
                            f"schedule(view) or key(job); not {type(policy).__name__}")
        host = Host(policy)
        host.name = _unlike(host.name, taken)
        check(short.coslice_add_policy(self._handle.value, c.given(host.name, "name of a policy"), byref(host.callbacks)))
        self._hosts[host.name] = host
        return host.name

    def prepare(self) -> Prepared:
        """Loads everything that can be wrong before anything runs."""
        out = ctypes.c_void_p()
        check(long.coslice_prepare(self._handle.value, byref(out)))
        return Prepared(Handle(out.value, long.coslice_simulation_free), list(self._hosts.values()))

    def run(self, policy: Any = None, seed: int | None = None, progress: Any = None) -> Any:
        """Simulates: returns a Result, of several policies Results.

        ``policy``: a name ("easy"), a path, a text in Lua, a function of a job (its key), an object or a class with a
        method ``schedule(view)`` or ``key(job)``, or a list of these; None: as the scenario says. ``progress``: True,
        False, or a function that is told how many jobs of how many are done; None: a line on a terminal.
        """
        results = self._runs(policy, seed, progress)
        if isinstance(policy, (list, tuple)) or len(results) > 1:
            return results
        result = results[0]
        if short.coslice_simulation_jobs(result._prepared.handle.value) >= _LARGE:
            result.jobs._columns(False)
        return result

    def _runs(self, policy: Any, seed: int | None, progress: Any) -> Results:
        if policy is not None:
            self.set_policies(list(policy) if isinstance(policy, (list, tuple)) else [policy])
        if seed is not None:
            self.set("seed", seed)
        prepared = self.prepare()
        count = short.coslice_simulation_policies(prepared.handle.value)
        results = Results()
        for i in range(count):
            bar = Bar("coslice") if not callable(progress) and _wants_progress(progress) else None
            try:
                results.append(prepared.run(i, progress if callable(progress) else bar))
            finally:
                if bar is not None:
                    bar.clear()
        return results


def _unlike(name: str, taken: set[str]) -> str:
    unlike, n = name, 2
    while unlike in taken:
        unlike, n = f"{name[:60]}-{n}", n + 1
    return unlike


def load(path: Any, **keys: Any) -> Scenario:
    """Loads a scenario (.toml) or a log. ``keys`` are set over it: ``load("s.toml", machine={"nodes": 64})``."""
    scenario = Scenario()
    check(long.coslice_load_file(scenario._handle.value, c.given_path(path)))
    for key, value in keys.items():
        scenario.set(key, value)
    return scenario


def loads(text: str, name: str = "scenario", folder: Any = None, **keys: Any) -> Scenario:
    """Loads a scenario from text; relative paths in it start in ``folder`` (None: the current one)."""
    scenario = Scenario()
    at = None if folder is None else c.given_path(folder)
    check(long.coslice_load_text(scenario._handle.value, c.given(text, "scenario"), c.given(name, "name of the scenario"), at))
    for key, value in keys.items():
        scenario.set(key, value)
    return scenario


def _scenario_of(machine: Any, jobs: Any, keys: Mapping[str, Any]) -> Scenario:
    scenario = Scenario()
    if machine is not None:
        scenario.set_machine(machine)
    if jobs is not None:
        scenario.set_jobs(jobs)
    for key, value in keys.items():
        scenario.set(key, value)
    return scenario


def run(machine: Any = None, jobs: Any = None, policy: Any = "easy", seed: int = 1, *, progress: Any = None,
        **keys: Any) -> Any:
    """Simulates jobs on a machine: ``cs.run(64, "log.swf", policy="easy")``.

    ``machine``: nodes, a dict of keys, or a Machine; None: what the log says. ``jobs``: see Scenario.set_jobs.
    ``policy``, ``progress``: see Scenario.run. Further keys are tables of the scenario: ``engine={"at_limit":
    "extend"}``, ``workload={"generator": "lublin"}``. Returns a Result; of a list of policies, Results.
    """
    return _scenario_of(machine, jobs, keys).run(policy, seed, progress)


def compare(policies: list[Any], scenario: Any = None, *, machine: Any = None, jobs: Any = None, seeds: int = 10,
            progress: Any = None, **keys: Any) -> Comparison:
    """Compares policies with the first one, on the seeds 1 to ``seeds``, as ``coslice compare`` does.

    ``scenario``: the path of one, or a Scenario; or ``machine`` and ``jobs`` as in ``run``. Where nothing is drawn,
    each seed gives the same run, and one is compared job by job.
    """
    if seeds < 1:
        raise ValueError(f"seeds is {seeds}; expected a number from 1 on")
    if isinstance(scenario, Scenario):
        of = scenario
    elif scenario is not None:
        of = load(scenario, **keys)
    else:
        of = _scenario_of(machine, jobs, keys)
    names: list[str] = []
    prints: list[list[str]] = []
    runs: list[Results] = []
    for seed in range(1, seeds + 1):
        results = of._runs(list(policies), seed, progress)
        runs.append(results)
        prints.append([r.summary["fingerprint"] for r in results])
        if seed == 2 and prints[0] == prints[1]:
            runs.pop()
            break
    for result in runs[0]:
        name, n = result.policy, 2
        while name in names:
            name, n = f"{result.policy}-{n}", n + 1
        names.append(name)
    comparison = Comparison()
    for results in runs:
        for name, result in zip(names, results):
            comparison.add(name, result)
    return comparison


def policies() -> list[str]:
    """Returns the names of the policies that come with coslice, and of those found beside it."""
    return list(_known())


@functools.lru_cache(maxsize=1)
def _known() -> tuple[str, ...]:
    out: list[str] = []
    while True:
        name = short.coslice_policy_name(len(out))
        if name is None:
            return tuple(out)
        out.append(c.text(name))
