"""Policies in Python: functions and objects as callbacks of the library."""

from __future__ import annotations

import ctypes
import inspect
import math
import os
import re
import signal
import threading
from typing import Any, Callable, Iterable

from . import _library as c
from ._library import Job, byref, check, short

_NS = 1_000_000_000
_local = threading.local()


def keep_exception(exception: BaseException) -> None:
    """Keeps what was raised inside a callback, for the caller of the run."""
    if getattr(_local, "exception", None) is None:
        _local.exception = exception


def raise_kept(status: int) -> None:
    """Raises what a callback of this thread has raised, else what the library says."""
    kept, _local.exception = getattr(_local, "exception", None), None
    if kept is not None:
        raise kept
    if status == c.INTERRUPTED:
        raise KeyboardInterrupt
    check(status)


class _Interrupts:
    """Ctrl-C while the library runs. The interpreter would raise it where a callback begins, and ctypes would drop it.

    So it is noted, the next callback ends the run, and then it is raised. A second one ends a callback that hangs.
    """

    noted = False

    def __enter__(self) -> None:
        self.before = None
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            _Interrupts.noted = False
            self.before = signal.signal(signal.SIGINT, self._note)

    @staticmethod
    def _note(number: int, frame: Any) -> None:
        if _Interrupts.noted:
            raise KeyboardInterrupt
        _Interrupts.noted = True

    def __exit__(self, *_: Any) -> None:
        if self.before is None:
            return
        signal.signal(signal.SIGINT, self.before)
        if _Interrupts.noted:
            _Interrupts.noted = False
            _local.exception = None
            raise KeyboardInterrupt


def interrupts() -> _Interrupts:
    return _Interrupts()


def interrupted() -> bool:
    """Returns whether Ctrl-C asks the run of this thread to end."""
    return _Interrupts.noted and threading.current_thread() is threading.main_thread()


class View:
    """What a policy sees and does in a pass: the waiting and the running jobs, the free nodes, and decisions.

    It is valid inside the method that it was handed to. Instants are whole nanoseconds, which compare exactly;
    ``view.now`` and all spans are seconds.
    """

    __slots__ = ("_view", "_jobs", "_out_int", "_out_time", "_out_list", "_out_job")

    def __init__(self, view: int) -> None:
        self._view = view
        self._jobs: dict[int, Job] = {}
        self._out_int = ctypes.c_int()
        self._out_time = ctypes.c_int64()
        self._out_list = ctypes.POINTER(ctypes.c_uint32)()
        self._out_job = ctypes.c_uint32()

    # --- what it knows

    @property
    def now(self) -> float:
        """The instant of the pass, s."""
        return short.coslice_view_now(self._view) / 1e9

    @property
    def instant(self) -> int:
        """The same in nanoseconds, beside instants of plans."""
        return short.coslice_view_now(self._view)

    @property
    def free(self) -> int:
        """Nodes that can be had now."""
        return short.coslice_view_free(self._view)

    @property
    def capacity(self) -> int:
        """Nodes of the machine."""
        return short.coslice_view_capacity(self._view)

    @property
    def submitted(self) -> bool:
        """Whether jobs have come since the last pass."""
        return bool(short.coslice_view_events(self._view) & 1)

    @property
    def ended(self) -> bool:
        """Whether jobs have ended since the last pass."""
        return bool(short.coslice_view_events(self._view) & 2)

    @property
    def due(self) -> bool:
        """Whether reserved starts are for now."""
        return bool(short.coslice_view_events(self._view) & 4)

    @property
    def corrected(self) -> bool:
        """Whether jobs have outrun what they were believed to run."""
        return bool(short.coslice_view_events(self._view) & 8)

    def waiting(self) -> list[Job]:
        """Returns the waiting jobs in the order of the queue."""
        return self._listed(short.coslice_view_waiting(self._view, byref(self._out_list)))

    def fitting(self) -> list[Job]:
        """Returns those of the waiting jobs that fit now (see ``fits``): much faster than to ask each of them."""
        return self._listed(short.coslice_view_fitting(self._view, byref(self._out_list)))

    def _listed(self, count: int) -> list[Job]:
        jobs = self._jobs
        try:
            found = [jobs[j] for j in self._out_list[:count]]
        except KeyError:
            found = [self._job(j) for j in self._out_list[:count]]
        for job in found:
            if job.start == job.start:  # it was interrupted, and waits again
                self._read(job, job.job)
        return found

    def running(self) -> list[Job]:
        """Returns the running jobs in the order of their starts."""
        count = short.coslice_view_running(self._view, byref(self._out_list))
        found = [self._job(j) for j in self._out_list[:count]]
        for job in found:
            if job.start != job.start:
                self._read(job, job.job)
        return found

    def _job(self, number: int) -> Job:
        job = self._jobs.get(number)
        if job is None:
            job = self._jobs[number] = self._read(Job(), number)
        return job

    def _read(self, job: Job, number: int) -> Job:
        check(short.coslice_view_job(self._view, number, byref(job), ctypes.sizeof(Job)))
        return job

    def _forget(self, number: int) -> None:
        self._jobs.pop(number, None)

    def nodes(self, job: Job) -> list[int]:
        """Returns the nodes of a running job, numbered from 0 as in jobs.csv."""
        nodes, count = ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
        check(short.coslice_view_nodes(self._view, job.job, byref(nodes), byref(count)))
        return nodes[:count.value]

    # --- questions about a waiting job

    def fits(self, job: Job, on: Iterable[int] | None = None) -> bool:
        """Returns whether it could start now, for as long as it is believed to run, beside all reservations.

        ``on``: numbers of nodes, of which it would have some. Its policy says ``names_nodes = True`` then.
        """
        if on is None:
            check(short.coslice_view_fits(self._view, job.job, byref(self._out_int)))
        else:
            check(short.coslice_view_fits_on(self._view, job.job, *_numbered(on), byref(self._out_int)))
        return self._out_int.value != 0

    def earliest(self, job: Job, after: int = 0) -> int | None:
        """Returns the first instant (ns) from ``after`` on at which it could start; None if there is none."""
        check(short.coslice_view_earliest(self._view, job.job, c.whole(after, "after"), byref(self._out_time)))
        return self._instant()

    def reservation(self, job: Job) -> int | None:
        """Returns the instant (ns) for which it is reserved, or None."""
        check(short.coslice_view_reservation(self._view, job.job, byref(self._out_time)))
        return self._instant()

    def shadow(self, job: Job) -> tuple[int | None, int]:
        """Returns when a job that cannot start will start at the latest (ns), and the nodes that it leaves then."""
        extra = ctypes.c_int32()
        check(short.coslice_view_shadow(self._view, job.job, byref(self._out_time), byref(extra)))
        return self._instant(), extra.value

    def ends_by(self, job: Job, instant: int | None) -> bool:
        """Returns whether it would end by that instant (ns) if it started now."""
        at = c.NEVER if instant is None else c.whole(instant, "the instant")
        check(short.coslice_view_ends_by(self._view, job.job, at, byref(self._out_int)))
        return self._out_int.value != 0

    def _instant(self) -> int | None:
        at = self._out_time.value
        return None if at == c.NEVER else at

    # --- decisions

    def start(self, job: Job, on: Iterable[int] | None = None) -> None:
        """Starts a waiting job now; raises InputError if it does not fit.

        ``on``: numbers of nodes, of which it gets the lowest that are free; all where they are as many as it needs. Its
        policy has an attribute ``names_nodes = True`` then: without, nodes are counted.
        """
        if on is None:
            check(short.coslice_view_start(self._view, job.job))
        else:
            check(short.coslice_view_start_on(self._view, job.job, *_numbered(on)))

    def stop(self, job: Job, how: str = "requeue", grace: float = 0.0) -> None:
        """Stops a running job after ``grace`` seconds, if it has not ended by then.

        ``how``: "requeue", it waits again, and what it did since its last checkpoint is lost; "checkpoint", it writes
        one first; "kill", for good; "suspend", it stands still on its nodes until ``resume``.
        """
        check(short.coslice_view_stop(self._view, job.job, _way(how), grace))

    def resume(self, job: Job) -> None:
        """Lets a suspended job go on: now, or when those have ended to which it has lent nodes."""
        check(short.coslice_view_resume(self._view, job.job))

    def preempt(self, job: Job, running: Iterable[Job], how: str = "requeue", grace: float = 0.0) -> bool | None:
        """Starts a waiting job, whatever is reserved, and stops as few running jobs for it as are needed.

        Those are the first ones of ``running``, without those that are not needed; ``how`` and ``grace`` as for
        ``stop``. Returns whether it has started; None if it will have room when the grace is over.
        """
        jobs = [r.job for r in running]
        list_of_jobs = (ctypes.c_uint32 * len(jobs))(*jobs)
        check(short.coslice_view_preempt(self._view, job.job, list_of_jobs, len(jobs), _way(how), grace,
                                         byref(self._out_int)))
        return {0: False, 1: True}.get(self._out_int.value)

    def start_in_order(self) -> Job | None:
        """Starts jobs from the head of the queue while they fit; returns the first one that does not."""
        check(short.coslice_view_start_in_order(self._view, byref(self._out_job)))
        left = self._out_job.value
        return None if left == c.NO_JOB else self._job(left)

    def easy(self, reservations: int = 1, depth: int | None = None) -> None:
        """Makes a pass of EASY backfilling: so many reservations, at most ``depth`` jobs tested behind them."""
        tested = -1 if depth is None else c.whole(depth, "depth")
        check(short.coslice_view_easy(self._view, c.whole(reservations, "reservations"), tested))

    def conservative(self, compress: str = "queue") -> None:
        """Makes a pass of conservative backfilling; reservations move up by the "queue" or by their "start"."""
        if compress not in ("queue", "start"):
            raise ValueError(f"compress is {compress!r}; expected 'queue' or 'start'")
        check(short.coslice_view_conservative(self._view, compress == "start"))

    def reserve(self, job: Job, instant: int | None) -> None:
        """Reserves that instant (ns) for a waiting job, in place of an earlier reservation; it must fit."""
        at = c.NEVER if instant is None else c.whole(instant, "the instant")
        check(short.coslice_view_reserve(self._view, job.job, at))

    def unreserve(self, job: Job) -> None:
        """Takes a reservation back."""
        check(short.coslice_view_unreserve(self._view, job.job))

    def start_due(self) -> None:
        """Starts the jobs whose reservations are for now."""
        check(short.coslice_view_start_due(self._view))

    def rekey(self, keys: Callable[[Job], float] | Iterable[float]) -> None:
        """Sorts the queue anew, lowest key first: a function of a job, or a number for each of ``waiting()``."""
        numbers = [keys(job) for job in self.waiting()] if callable(keys) else list(keys)
        check(short.coslice_view_rekey(self._view, (ctypes.c_double * len(numbers))(*numbers), len(numbers)))

    def wake(self, seconds: float) -> None:
        """Asks for a pass after so many seconds."""
        span = float(seconds) * _NS
        at = c.NEVER if span >= c.NEVER else min(self.instant + round(span), c.NEVER)
        check(short.coslice_view_wake(self._view, c.whole(at, "the instant")))

    def note(self, name: str, value: float) -> None:
        """Notes a number; count and mean of each name are in the summary, under ``notes``."""
        check(short.coslice_view_note(self._view, c.given(name, "name of a note"), value))

    def because(self, job: Job, text: str) -> None:
        """Says why a job waits, for explanations."""
        check(short.coslice_view_because(self._view, job.job, c.given(text, "reason")))


def _number(key: Any, job: Job) -> float:
    """What ctypes could not convert, it would only print."""
    try:
        if not isinstance(key, (str, bytes)):  # which float() would read
            return float(key)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"the key of job {job.id} is {key!r}; expected a number")


def _numbered(nodes: Iterable[int]) -> tuple[Any, int]:
    numbers = [c.whole(n, "the number of a node", -2**31, 2**31 - 1) for n in nodes]
    return (ctypes.c_int32 * len(numbers))(*numbers), len(numbers)


def _way(how: str) -> int:
    ways = {"requeue": 1, "checkpoint": 2, "kill": 3, "suspend": 4}
    if how not in ways:
        raise ValueError(f"how is {how!r}; expected one of {', '.join(ways)}")
    return ways[how]


class Key:
    """A function of a job as a policy: jobs wait by it, lowest first, ties in order of submission.

    ``backfill``: "easy", "conservative" or "none".
    """

    def __init__(self, key: Callable[[Job], float], backfill: str = "easy", name: str | None = None,
                 version: str = "1") -> None:
        self.key, self.backfill, self.version = key, backfill, version
        self.name = name or name_of(key)


def name_of(policy: Any) -> str:
    """Returns what the policy is called: its ``name``, else that of its function or class."""
    name = getattr(policy, "name", None)
    if not isinstance(name, str):
        name = getattr(policy, "__name__", None) or type(policy).__name__
    return re.sub(r"[^A-Za-z0-9_.-]", "", name)[:64] or "policy"


def is_policy(policy: Any) -> bool:
    return callable(policy) or hasattr(policy, "schedule") or hasattr(policy, "key")


class Host:
    """Stands between the library and one policy of Python."""

    def __init__(self, policy: Any) -> None:
        if inspect.isroutine(policy) or isinstance(policy, type(lambda: 0)) or (
                callable(policy) and not inspect.isclass(policy) and not hasattr(policy, "schedule")
                and not hasattr(policy, "key")):
            policy = Key(policy)
        self.policy = policy
        self.name = name_of(policy)
        self.callbacks = self._callbacks()

    def _callbacks(self) -> c.Callbacks:
        def has(method: str) -> bool:
            return callable(getattr(self.policy, method, None))

        callbacks = c.Callbacks()
        callbacks.size = ctypes.sizeof(c.Callbacks)
        callbacks.version = c.given(str(getattr(self.policy, "version", "1")), "version")
        callbacks.names_nodes = int(bool(getattr(self.policy, "names_nodes", False)))
        own_pass = has("schedule")
        if not own_pass and not has("key"):
            raise TypeError(f"policy '{self.name}' has neither a method schedule(view) nor key(job)")
        callbacks.begin = c.BEGIN(self._begin)
        if own_pass:
            callbacks.schedule = c.SCHEDULE(self._schedule)
        else:
            callbacks.backfill = c.given(str(getattr(self.policy, "backfill", "easy")), "backfill")
        if has("key") and not own_pass:
            callbacks.key = c.KEY(self._key)
        for event in ("submitted", "started", "ended"):
            if has(event) or (event == "ended" and own_pass):
                setattr(callbacks, event, c.TOLD(self._teller(event)))
        return callbacks

    def _runs(self) -> dict[Any, Any]:
        runs = getattr(_local, "runs", None)
        if runs is None:
            runs = _local.runs = {}
        return runs

    def _begin(self, _user: int, view: int) -> int:
        try:
            policy = self.policy() if inspect.isclass(self.policy) else self.policy
            shown = View(view)
            self._runs()[id(self)] = policy, shown, getattr(policy, "schedule", None), getattr(policy, "key", None)
            if hasattr(policy, "begin"):
                policy.begin(shown)
            return 0
        except BaseException as e:  # noqa: B036  also KeyboardInterrupt: it must not be lost in the library
            keep_exception(e)
            return 1

    def _key(self, _user: int, job: Any) -> float:
        try:
            key = self._runs()[id(self)][3](job.contents)
            return key if type(key) is float else _number(key, job.contents)
        except BaseException as e:
            keep_exception(e)
            return math.nan

    def _schedule(self, _user: int, _view: int) -> int:
        try:
            _, shown, schedule, _ = self._runs()[id(self)]
            schedule(shown)
            return 1 if _Interrupts.noted and interrupted() else 0
        except BaseException as e:
            keep_exception(e)
            return 1

    def _teller(self, event: str) -> Callable[[int, int, Any], int]:
        def tell(_user: int, _view: int, job: Any) -> int:
            try:
                policy, shown, _, _ = self._runs()[id(self)]
                told = getattr(policy, event, None)
                if told is not None:
                    known = shown._job(job.contents.job) if event != "ended" else shown._jobs.get(job.contents.job)
                    if known is None:
                        known = Job.from_buffer_copy(job.contents)
                    known.start = job.contents.start
                    told(shown, known)
                if event == "ended":
                    shown._forget(job.contents.job)
                return 0
            except BaseException as e:
                keep_exception(e)
                return 1

        return tell


def lua_text_of(policy: str) -> bool:
    """Returns whether the text is a policy in Lua, and not a name or a path."""
    return "\n" in policy or policy.lstrip().startswith("return")


def lua_name_of(text: str) -> str:
    found = re.search(r"""\bname\s*=\s*["']([A-Za-z0-9_.-]+)["']""", text)
    return found.group(1) if found else "lua"


def path_of(policy: Any) -> str | None:
    return os.fspath(policy) if isinstance(policy, (str, os.PathLike)) else None
