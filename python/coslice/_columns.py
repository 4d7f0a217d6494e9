"""Columns in and out: lists, arrays, DataFrames and Arrow tables as the library takes them, results without copying."""

from __future__ import annotations

import csv
import ctypes
import json
import math
import os
from array import array
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

from . import _arrow
from . import _library as c

try:
    import numpy
except ImportError:  # everything works without, on memoryviews
    numpy = None  # type: ignore[assignment]

# What jobs.csv calls what a job says, so that results can be jobs again.
_OF_JOBS_CSV = {"job_id": "id", "submission_time": "submit", "requested_number_of_resources": "processes",
                "requested_time": "limit", "run_time": "runtime"}


class Given:
    """Columns that are handed to the library, with what they point to."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.kept: list[Any] = []
        self.columns = (c.Column * len(columns))()
        for i, (name, values) in enumerate(columns.items()):
            to = self.columns[i]
            to.name = c.given(str(name), "name of a column")
            self._fill(to, str(name), values)

    def _fill(self, to: c.Column, name: str, values: Any) -> None:
        if isinstance(values, _arrow.ArrowColumn):
            values = values.as_given(name)
            if isinstance(values, tuple):
                return self._fill_buffer(to, *values)
        if isinstance(values, (str, bytes)) or not _is_iterable(values):
            raise TypeError(f"the column '{name}' is {values!r}; expected a value for each job, as in [{values!r}, ...]")
        if numpy is not None and (isinstance(values, numpy.ndarray) or hasattr(values, "to_numpy")):
            kind, data = _numbers_of(name, values)
            if kind:
                return self._fill_buffer(to, kind, data, len(data))
            values = data
        values = list(values)
        said = [v for v in values if not _missing(v)]
        if all(isinstance(v, str) for v in said) and said:
            texts = (ctypes.c_char_p * len(values))(*[None if _missing(v) else c.given(v, f"column '{name}'")
                                                      for v in values])
            return self._fill_buffer(to, c.STRINGS, texts, len(values))
        try:
            if any(_is_cut(v) for v in said):
                raise TypeError
            if len(said) == len(values) and all(_is_whole(v) for v in said):
                return self._fill_buffer(to, c.INT64, array("q", [int(v) for v in values]), len(values))
            numbers = array("d", [math.nan if _missing(v) else float(v) for v in values])
        except (TypeError, ValueError, OverflowError):
            row = next(i for i, v in enumerate(values) if not _missing(v) and not _is_number(v))
            problem = f"the column '{name}' has {values[row]!r} in row {row + 1}"
            raise c.InputError(f"jobs:{row + 1}: {problem}; expected numbers, or texts alone", "jobs", row + 1, problem,
                               "numbers, or texts alone") from None
        self._fill_buffer(to, c.FLOAT64, numbers, len(values))

    def _fill_buffer(self, to: c.Column, kind: int, data: Any, length: int, offsets: Any = None) -> None:
        self.kept += [data, offsets]
        to.type, to.length = kind, length
        to.data = _address(data)
        if offsets is not None:
            to.offsets = ctypes.cast(_address(offsets), ctypes.POINTER(ctypes.c_int64))


def _is_iterable(values: Any) -> bool:
    try:
        iter(values)
    except TypeError:
        return isinstance(values, getattr(numpy, "ndarray", ()))  # without dimensions, which is said elsewhere
    return True


def _address(data: Any) -> int:
    if isinstance(data, int):
        return data
    if isinstance(data, array):
        return data.buffer_info()[0]
    if numpy is not None and isinstance(data, numpy.ndarray):
        return data.ctypes.data
    return ctypes.addressof(data)


def _missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType") or isinstance(value, str):
        return value is None or not isinstance(value, str) or value == ""
    try:
        return bool(value != value)
    except (ArithmeticError, TypeError, ValueError):  # an array in a row, say: what it is, is said where it is read
        return False


def _is_cut(value: Any) -> bool:
    """Whether float() would read what is no number, or a part of one."""
    return isinstance(value, (bytes, complex)) or getattr(getattr(value, "dtype", None), "kind", "") == "c"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (hasattr(value, "__index__") and not isinstance(value, float))


def _is_number(value: Any) -> bool:
    if isinstance(value, str) or _is_cut(value):
        return False
    try:
        float(value)
    except (TypeError, ValueError, ArithmeticError):
        return False
    return not _is_whole(value) or -2**63 <= int(value) < 2**63


def _numbers_of(name: str, values: Any) -> tuple[int, Any]:
    """The type of the library and the data; type 0: objects, which are looked at one by one."""
    if hasattr(values, "cat"):
        values = values.astype(object)
    data = values.to_numpy() if hasattr(values, "to_numpy") else values
    if isinstance(data, numpy.ma.MaskedArray):
        return 0, [None if hidden else v for v, hidden in zip(data.data.tolist(), numpy.ma.getmaskarray(data).tolist())]
    if data.ndim != 1:
        raise ValueError(f"the column '{name}' has {data.ndim} dimensions; expected 1")
    if data.dtype.kind in "mM":
        raise TypeError(f"the column '{name}' has times ({data.dtype}); expected numbers of seconds, such as "
                        "(times - times.min()).dt.total_seconds()")
    if data.dtype.kind == "u" and data.size and data.max() >= 2**63:
        return 0, data
    if data.dtype.kind in "iub":
        return c.INT64, numpy.ascontiguousarray(data, dtype=numpy.int64)
    if data.dtype.kind == "f":
        return c.FLOAT64, numpy.ascontiguousarray(data, dtype=numpy.float64)
    return 0, data


def columns_of(jobs: Any) -> Mapping[str, Any]:
    """Returns jobs as columns: of a DataFrame, an Arrow table, a dict of columns, or a list of dicts."""
    if isinstance(jobs, Mapping):
        return jobs
    if hasattr(jobs, "columns") and hasattr(jobs, "iloc"):
        return {str(name): jobs[name] for name in jobs.columns}
    if hasattr(jobs, "__arrow_c_stream__"):
        return _arrow.columns_of_stream(jobs)
    rows = list(jobs)
    if not all(isinstance(row, Mapping) for row in rows):
        raise TypeError("jobs are a path, a DataFrame, an Arrow table, a dict of columns or a list of dicts, not "
                        f"{type(jobs).__name__}")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def columns_of_file(path: str) -> Mapping[str, Any] | None:
    """Returns the jobs of a CSV or JSON file whose columns are called as those of jobs; None: the library reads it."""
    ending = Path(path).suffix.lower()
    columns: Any = None
    if ending == ".csv":
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = next(rows, [])
            if not _are_jobs(header):
                return None
            columns = {name: list(values) for name, values in zip(header, zip(*rows))}
            columns = {name: [_number_in(v) for v in values] for name, values in columns.items()}
    elif ending == ".json":
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
            columns = columns_of(content)
        elif isinstance(content, dict) and content and all(isinstance(v, list) for v in content.values()):
            columns = content
    return columns if columns is not None and _are_jobs(columns) else None


def _are_jobs(names: Iterable[str]) -> bool:
    names = set(names)
    sizes = {"nodes", "processes", "requested_number_of_resources"}
    return bool(names & {"runtime", "run_time"}) and bool(names & sizes)


def _number_in(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def renamed(columns: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the columns as the library calls them: of jobs.csv, those that jobs say."""
    if "runtime" in columns or "run_time" not in columns:
        return columns
    out = {_OF_JOBS_CSV[name]: values for name, values in columns.items() if name in _OF_JOBS_CSV}
    for name in ("user", "group", "executable", "queue", "partition"):
        if name in columns:
            out[name] = columns[name]
    return out


# --- results

_NUMPY = {c.INT64: "int64", c.FLOAT64: "float64", c.CODES: "int32"}
_CTYPES = {c.INT64: ctypes.c_int64, c.FLOAT64: ctypes.c_double, c.CODES: ctypes.c_int32}
_FORMATS = {c.INT64: "q", c.FLOAT64: "d", c.CODES: "i"}


class Texts(Sequence[str]):
    """A column of texts: each is made when it is asked for."""

    def __init__(self, column: c.Column, owner: Any) -> None:
        self._column, self._owner = column, owner

    def __len__(self) -> int:
        return self._column.length

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        if not 0 <= i < len(self):
            raise IndexError(i)
        begin, end = self._column.offsets[i], self._column.offsets[i + 1]
        return ctypes.string_at(self._column.data + begin, end - begin).decode()

    def __repr__(self) -> str:
        return f"Texts({list(self[:3])!r}{', ...' if len(self) > 3 else ''})"


class Codes(Sequence[str]):
    """A column of few texts: ``codes``, numbers without copying, are places in ``names``."""

    def __init__(self, codes: Any, names: list[str]) -> None:
        self.codes, self.names = codes, names

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._name(code) for code in self.codes[i]]
        return self._name(self.codes[i])

    def _name(self, code: int) -> str:
        return self.names[code] if code >= 0 else ""  # not known, as in the file

    def __eq__(self, other: Any) -> Any:
        """With a text: which rows have it, as an array of numpy (without numpy, a list)."""
        if not isinstance(other, str):
            return NotImplemented
        code = self.names.index(other) if other in self.names else -1 if other == "" else -2
        return self.codes == code if numpy is not None else [x == code for x in self.codes]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Codes({list(self[:3])!r}{', ...' if len(self) > 3 else ''})"


def shown(column: c.Column, owner: Any) -> Any:
    """Returns a column of a result: an array of numpy or a memoryview, read-only, over the library's own memory."""
    if column.type == c.TEXT:
        return Texts(column, owner)
    kind = _CTYPES[column.type] * column.length
    data = kind.from_address(column.data) if column.length else kind()
    data._owner = owner  # the array keeps the result alive
    if numpy is not None:
        numbers: Any = numpy.frombuffer(data, dtype=_NUMPY[column.type]) if column.length else numpy.empty(0)
        numbers.flags.writeable = False
    else:
        numbers = memoryview(data).cast("B").cast(_FORMATS[column.type]).toreadonly()
    if column.type == c.CODES:
        return Codes(numbers, [c.text(column.names[i]) for i in range(column.name_count)])
    return numbers


def is_path(jobs: Any) -> bool:
    return isinstance(jobs, (str, os.PathLike))
