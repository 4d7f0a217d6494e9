"""libcoslice.so as ctypes sees it: the structs and functions of coslice.h."""

from __future__ import annotations

import ctypes
import operator
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Any

OK, FAILED, BAD_INPUT, INTERRUPTED, CALLBACK, NO_MEMORY, INTERNAL = range(7)
INT64, FLOAT64, TEXT, CODES, INT32, STRINGS = range(1, 7)
NO_JOB = 0xFFFFFFFF
NEVER = 2**63 - 1


class Error(Exception):
    """What coslice complains about: ``str(error)`` is the message that the program would print.

    ``file`` and ``line`` say where (of jobs that were handed in, the line is the row, from 1), ``problem`` what is
    wrong, ``expected`` what would have been right, ``suggestion`` what to try; each is empty (or 0) where not known.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, problem: str = "", expected: str = "",
                 suggestion: str = "") -> None:
        super().__init__(message)
        self.file, self.line, self.problem = file, line, problem
        self.expected, self.suggestion = expected, suggestion


class InputError(Error, ValueError):
    """A scenario, a log, a policy, a job or an argument is wrong."""


class SimulationError(Error, RuntimeError):
    """The simulation could not go on: a policy raised an error, or left jobs waiting for ever."""


class Column(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("data", c_void_p), ("length", c_size_t),
                ("offsets", POINTER(c_int64)), ("names", POINTER(c_char_p)), ("name_count", c_size_t)]


class ErrorText(Structure):
    _fields_ = [("status", c_int), ("message", c_char_p), ("file", c_char_p), ("line", c_int), ("problem", c_char_p),
                ("expected", c_char_p), ("suggestion", c_char_p)]


class Job(Structure):
    """A job as a policy sees it. The true run time is not in it: no scheduler knows it.

    ``job``: its number for the view; ``id``: the log's own; ``nodes`` that it needs; ``submit``: when it entered the
    queue, s; ``estimate``: how long it is believed to run, s; ``limit``: what its user asked for, s; ``start``: when it
    started, s (NaN: it waits); ``processes``, ``user``, ``group``, ``executable``, ``queue``, ``partition``: numbers,
    -1 where unknown; ``memory``: asked for per process, KB. Fields of your own may be added.
    """

    _fields_ = [("job", c_uint32), ("nodes", c_int32), ("id", c_int64), ("submit", c_double), ("estimate", c_double),
                ("limit", c_double), ("start", c_double), ("processes", c_int32), ("user", c_int32), ("group", c_int32),
                ("executable", c_int32), ("queue", c_int32), ("partition", c_int32), ("memory", c_double)]

    def __repr__(self) -> str:
        return f"Job(id={self.id}, nodes={self.nodes}, submit={self.submit:g}, estimate={self.estimate:g})"


BEGIN = CFUNCTYPE(c_int, c_void_p, c_void_p)
KEY = CFUNCTYPE(c_double, c_void_p, POINTER(Job))
SCHEDULE = CFUNCTYPE(c_int, c_void_p, c_void_p)
TOLD = CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(Job))
PROGRESS = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)
PRINT = CFUNCTYPE(None, c_void_p, c_char_p)


class Callbacks(Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("version", c_char_p), ("backfill", c_char_p), ("begin", BEGIN),
                ("key", KEY), ("schedule", SCHEDULE), ("submitted", TOLD), ("started", TOLD), ("ended", TOLD),
                ("names_nodes", c_int)]


class RunOptions(Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("progress", PROGRESS), ("print", PRINT)]


def _path() -> str:
    return os.environ.get("COSLICE_LIBRARY") or str(Path(__file__).with_name("libcoslice.so"))


def _bind(library: Any, names: dict[str, tuple[Any, list[Any]]]) -> None:
    for name, (result, arguments) in names.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


# Functions that simulate or read files let other threads go on; short ones keep the interpreter's lock: faster.
_LONG: dict[str, tuple[Any, list[Any]]] = {
    "coslice_load_file": (c_int, [c_void_p, c_char_p]),
    "coslice_load_text": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p]),
    "coslice_set_jobs": (c_int, [c_void_p, POINTER(Column), c_size_t]),
    "coslice_prepare": (c_int, [c_void_p, POINTER(c_void_p)]),
    "coslice_run": (c_int, [c_void_p, c_size_t, POINTER(RunOptions), POINTER(c_void_p)]),
    "coslice_result_column": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Column)]),
    "coslice_result_columns": (c_int, [c_void_p, c_char_p, c_int, POINTER(POINTER(Column)), POINTER(c_size_t)]),
    "coslice_result_figure": (c_int, [c_void_p, c_char_p, POINTER(c_double)]),
    "coslice_result_text": (c_char_p, [c_void_p, c_char_p]),
    "coslice_results_write": (c_int, [POINTER(c_void_p), c_size_t, c_char_p]),
    "coslice_result_explain": (c_int, [c_void_p, c_int64, c_int, POINTER(c_char_p)]),
    "coslice_result_gantt": (c_int, [c_void_p, c_char_p, POINTER(c_char_p)]),
    "coslice_comparison_add": (c_int, [c_void_p, c_char_p, c_void_p]),
    "coslice_comparison_text": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_char_p)]),
    "coslice_result_free": (None, [c_void_p]),
    "coslice_simulation_free": (None, [c_void_p]),
}
_INSTANT = [c_void_p, c_uint32, POINTER(c_int64)]
_SHORT: dict[str, tuple[Any, list[Any]]] = {
    "coslice_api_version": (c_int, []),
    "coslice_version": (c_char_p, []),
    "coslice_error": (POINTER(ErrorText), []),
    "coslice_scenario_new": (c_void_p, []),
    "coslice_scenario_free": (None, [c_void_p]),
    "coslice_set": (c_int, [c_void_p, c_char_p]),
    "coslice_set_text": (c_int, [c_void_p, c_char_p, c_char_p]),
    "coslice_set_policies": (c_int, [c_void_p, POINTER(c_char_p), c_size_t]),
    "coslice_add_policy": (c_int, [c_void_p, c_char_p, POINTER(Callbacks)]),
    "coslice_add_lua": (c_int, [c_void_p, c_char_p, c_char_p]),
    "coslice_simulation_jobs": (c_size_t, [c_void_p]),
    "coslice_simulation_nodes": (c_int32, [c_void_p]),
    "coslice_simulation_policies": (c_size_t, [c_void_p]),
    "coslice_simulation_warning": (c_char_p, [c_void_p, c_size_t]),
    "coslice_result_column_name": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "coslice_result_policy": (c_char_p, [c_void_p]),
    "coslice_result_warning": (c_char_p, [c_void_p, c_size_t]),
    "coslice_comparison_new": (c_void_p, []),
    "coslice_comparison_free": (None, [c_void_p]),
    "coslice_policy_name": (c_char_p, [c_size_t]),
    "coslice_view_now": (c_int64, [c_void_p]),
    "coslice_view_free": (c_int32, [c_void_p]),
    "coslice_view_capacity": (c_int32, [c_void_p]),
    "coslice_view_events": (c_uint32, [c_void_p]),
    "coslice_view_waiting": (c_size_t, [c_void_p, POINTER(POINTER(c_uint32))]),
    "coslice_view_fitting": (c_size_t, [c_void_p, POINTER(POINTER(c_uint32))]),
    "coslice_view_running": (c_size_t, [c_void_p, POINTER(POINTER(c_uint32))]),
    "coslice_view_job": (c_int, [c_void_p, c_uint32, POINTER(Job), c_size_t]),
    "coslice_view_fits": (c_int, [c_void_p, c_uint32, POINTER(c_int)]),
    "coslice_view_earliest": (c_int, [c_void_p, c_uint32, c_int64, POINTER(c_int64)]),
    "coslice_view_reservation": (c_int, _INSTANT),
    "coslice_view_shadow": (c_int, [*_INSTANT, POINTER(c_int32)]),
    "coslice_view_ends_by": (c_int, [c_void_p, c_uint32, c_int64, POINTER(c_int)]),
    "coslice_view_nodes": (c_int, [c_void_p, c_uint32, POINTER(POINTER(c_int32)), POINTER(c_size_t)]),
    "coslice_view_fits_on": (c_int, [c_void_p, c_uint32, POINTER(c_int32), c_size_t, POINTER(c_int)]),
    "coslice_view_start_on": (c_int, [c_void_p, c_uint32, POINTER(c_int32), c_size_t]),
    "coslice_view_stop": (c_int, [c_void_p, c_uint32, c_int, c_double]),
    "coslice_view_resume": (c_int, [c_void_p, c_uint32]),
    "coslice_view_preempt": (c_int, [c_void_p, c_uint32, POINTER(c_uint32), c_size_t, c_int, c_double, POINTER(c_int)]),
    "coslice_view_start": (c_int, [c_void_p, c_uint32]),
    "coslice_view_start_in_order": (c_int, [c_void_p, POINTER(c_uint32)]),
    "coslice_view_easy": (c_int, [c_void_p, c_int64, c_int64]),
    "coslice_view_conservative": (c_int, [c_void_p, c_int]),
    "coslice_view_reserve": (c_int, [c_void_p, c_uint32, c_int64]),
    "coslice_view_unreserve": (c_int, [c_void_p, c_uint32]),
    "coslice_view_start_due": (c_int, [c_void_p]),
    "coslice_view_rekey": (c_int, [c_void_p, POINTER(c_double), c_size_t]),
    "coslice_view_wake": (c_int, [c_void_p, c_int64]),
    "coslice_view_note": (c_int, [c_void_p, c_char_p, c_double]),
    "coslice_view_because": (c_int, [c_void_p, c_uint32, c_char_p]),
}

try:
    long = ctypes.CDLL(_path())
except OSError as problem:
    raise ImportError(f"libcoslice.so cannot be loaded ({problem}); `pip install ./python` puts it beside the package, "
                      "or COSLICE_LIBRARY names it") from None
short = ctypes.PyDLL(_path())
_bind(long, _LONG)
_bind(short, _SHORT)


def given(value: str, what: str) -> bytes:
    """Returns the text for the library. A zero in it would be its end."""
    try:
        encoded = value.encode()
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        problem = f"the {what} has a text that cannot be one: {value[:40]!r}"
        raise InputError(f"{problem}; expected texts without zeros and lone surrogates", "", 0, problem,
                         "texts without zeros and lone surrogates")
    return encoded


def given_path(path: Any) -> bytes:
    """Returns the path for the library, also one of bytes, or whose bytes are no text."""
    encoded = os.fsencode(path)
    return given("\0", "path") if b"\0" in encoded else encoded


def whole(value: Any, what: str, least: int = -2**63, most: int = 2**63 - 1) -> int:
    """Returns a whole number that has room in the library's type; ctypes would cut it."""
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{what} is {value}; expected a whole number from {least} to {most}")
    return number


def text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")


def error() -> Error:
    """Returns the last error of this thread as an exception."""
    e = short.coslice_error().contents
    kind = {BAD_INPUT: InputError, FAILED: SimulationError, CALLBACK: SimulationError}.get(e.status, Error)
    if e.status == NO_MEMORY:
        raise MemoryError(text(e.message))
    return kind(text(e.message), text(e.file), e.line, text(e.problem), text(e.expected), text(e.suggestion))


def check(status: int) -> None:
    """Raises what went wrong."""
    if status != OK:
        raise error()


__all__ = ["byref", "c_char_p", "c_double", "c_int", "c_int32", "c_int64", "c_uint32", "c_void_p", "check", "error",
           "given", "given_path", "long", "short", "text", "whole"]
