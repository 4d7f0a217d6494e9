"""The Arrow C data interface by ctypes: tables of others as columns, and tables of results for others."""

from __future__ import annotations

import ctypes
import struct
from array import array
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any

from . import _library as c


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


_RELEASE_SCHEMA = CFUNCTYPE(None, POINTER(Schema))
_RELEASE_ARRAY = CFUNCTYPE(None, POINTER(Array))
_RELEASE_STREAM = CFUNCTYPE(None, POINTER(Stream))
Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
                   ("n_children", c_int64), ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)),
                   ("release", _RELEASE_SCHEMA), ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                  ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
                  ("dictionary", POINTER(Array)), ("release", _RELEASE_ARRAY), ("private_data", c_void_p)]
_GET_SCHEMA = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
_GET_NEXT = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
_LAST_ERROR = CFUNCTYPE(c_char_p, POINTER(Stream))
Stream._fields_ = [("get_schema", _GET_SCHEMA), ("get_next", _GET_NEXT), ("get_last_error", _LAST_ERROR),
                   ("release", _RELEASE_STREAM), ("private_data", c_void_p)]

_STREAM = b"arrow_array_stream"
_api = ctypes.pythonapi
_DESTRUCTOR = CFUNCTYPE(None, c_void_p)
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = ctypes.py_object, [c_void_p, c_char_p, _DESTRUCTOR]
_pointer_in = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))

# Formats of numbers, as array has them.
_NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}


class ArrowColumn:
    """A column of an Arrow table, its parts put together."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.values: list[Any] = []

    def as_given(self, name: str) -> Any:
        """Returns the numbers as (type, data, length); of other things the values, which are looked at one by one."""
        values = self.values
        if self.format in ("u", "U", "vu") or (self.format == "L" and any(v is not None and v >= 2**63 for v in values)):
            return values
        if self.format not in ("f", "g") and None not in values:
            return c.INT64, array("q", values), len(values)
        return c.FLOAT64, array("d", [float("nan") if v is None else v for v in values]), len(values)


def _numbers(code: str, address: int, offset: int, length: int) -> list[Any]:
    numbers = array(code)
    if length:
        numbers.frombytes(ctypes.string_at(address + offset * numbers.itemsize, length * numbers.itemsize))
    return numbers.tolist()


def _values(schema: Schema, data: Array, name: str) -> list[Any]:
    format = schema.format.decode()
    if schema.dictionary:
        places = _plain_values(format, data, name)
        names = _values(schema.dictionary.contents, data.dictionary.contents, name)
        return [None if place is None else names[place] for place in places]
    return _plain_values(format, data, name)


def _plain_values(format: str, data: Array, name: str) -> list[Any]:
    length, offset = data.length, data.offset
    if format in _NUMBERS:
        values = _numbers(_NUMBERS[format], data.buffers[1] or 0, offset, length)
    elif format in ("u", "U"):
        ends = _numbers("i" if format == "u" else "q", data.buffers[1] or 0, offset, length + 1)
        text = ctypes.string_at(data.buffers[2], ends[-1]) if data.buffers[2] and ends[-1] else b""
        values = [text[ends[i]:ends[i + 1]].decode() for i in range(length)]
    elif format == "vu":
        values = _views(data)
    elif format == "b":
        bits = ctypes.string_at(data.buffers[1], (offset + length + 7) // 8) if length else b""
        values = [bits[(offset + i) >> 3] >> ((offset + i) & 7) & 1 for i in range(length)]
    elif format == "n":
        return [None] * length
    else:
        raise TypeError(f"the column '{name}' is of Arrow's type '{format}'; expected numbers (of seconds, not "
                        "dates) or texts")
    if data.null_count and data.buffers[0]:
        valid = ctypes.string_at(data.buffers[0], (offset + length + 7) // 8)
        values = [v if valid[(offset + i) >> 3] >> ((offset + i) & 7) & 1 else None for i, v in enumerate(values)]
    return values


def _views(data: Array) -> list[Any]:
    """Texts of up to 12 bytes stand in their views, longer ones in one of the buffers behind."""
    views = ctypes.string_at(data.buffers[1] + 16 * data.offset, 16 * data.length) if data.length else b""
    values = []
    for at in range(0, len(views), 16):
        size, text = struct.unpack_from("<i12s", views, at)
        if size > 12:
            buffer, begin = struct.unpack_from("<8xii", views, at)
            text = ctypes.string_at(data.buffers[2 + buffer] + begin, size)
        values.append(text[:size].decode())
    return values


def columns_of_stream(table: Any) -> dict[str, ArrowColumn]:
    """Returns the columns of whatever has ``__arrow_c_stream__``: of pyarrow, polars, DuckDB, ..."""
    capsule = table.__arrow_c_stream__()
    stream = Stream.from_address(_api.PyCapsule_GetPointer(capsule, _STREAM))
    schema = Schema()

    def must(status: int) -> None:
        if status != 0:
            message = stream.get_last_error(ctypes.byref(stream))
            raise ValueError(f"the Arrow stream failed: {(message or b'').decode() or status}")

    must(stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    try:
        if schema.format != b"+s":
            raise TypeError("the Arrow stream is of no table")
        children = [schema.children[i].contents for i in range(schema.n_children)]
        columns = {}
        for child in children:
            of = child.dictionary.contents if child.dictionary else child
            columns[child.name.decode()] = ArrowColumn(of.format.decode())
        while True:
            batch = Array()
            must(stream.get_next(ctypes.byref(stream), ctypes.byref(batch)))
            if not batch.release:
                return columns
            try:
                for i, (name, column) in enumerate(columns.items()):
                    values = _values(children[i], batch.children[i].contents, name)
                    column.values += values[batch.offset:batch.offset + batch.length]
            finally:
                batch.release(ctypes.byref(batch))
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))


# --- tables for others

_alive: dict[int, Any] = {}  # what streams, schemas and arrays point to, until they are released
_FORMATS = {c.INT64: b"l", c.FLOAT64: b"g", c.TEXT: b"U", c.CODES: b"i"}


def _keep(kept: Any) -> int:
    number = id(kept)
    _alive[number] = kept
    return number


def _released(structure: Any) -> None:
    released = structure.contents
    for i in range(released.n_children if hasattr(released, "n_children") else 0):
        child = released.children[i]
        if child.contents.release:
            child.contents.release(child)
    if hasattr(released, "dictionary") and released.dictionary and released.dictionary.contents.release:
        released.dictionary.contents.release(released.dictionary)
    _alive.pop(released.private_data, None)
    released.release = type(released.release)()


_release_schema = _RELEASE_SCHEMA(_released)
_release_array = _RELEASE_ARRAY(_released)
_release_stream = _RELEASE_STREAM(_released)


def _fill_schema(to: Schema, columns: list[c.Column]) -> None:
    children, kept = [], []
    for column in columns:
        child = Schema(format=_FORMATS[column.type], name=column.name, flags=2, release=_release_schema)
        if column.type == c.CODES:
            names = Schema(format=b"U", name=b"", flags=2, release=_release_schema)
            child.dictionary = ctypes.pointer(names)
            kept.append(names)
        children.append(child)
    pointers = (POINTER(Schema) * len(children))(*[ctypes.pointer(child) for child in children])
    to.format, to.name, to.n_children, to.children = b"+s", b"", len(children), pointers
    to.release, to.private_data = _release_schema, _keep([children, pointers, kept, columns])


def _texts_array(texts: list[bytes]) -> Array:
    ends = [0]
    for text in texts:
        ends.append(ends[-1] + len(text))
    offsets = (c_int64 * len(ends))(*ends)
    data = ctypes.create_string_buffer(b"".join(texts))
    buffers = (c_void_p * 3)(None, ctypes.addressof(offsets), ctypes.addressof(data))
    return Array(length=len(texts), n_buffers=3, buffers=buffers, release=_release_array,
                 private_data=_keep([offsets, data, buffers]))


def _fill_array(to: Array, columns: list[c.Column], owner: Any) -> None:
    children = []
    for column in columns:
        if column.type == c.TEXT:
            offsets = ctypes.cast(column.offsets, c_void_p).value
            buffers = (c_void_p * 3)(None, offsets, column.data)
        else:
            buffers = (c_void_p * 2)(None, column.data)
        kept = [buffers, owner]  # a child may outlive its table
        child = Array(length=column.length, n_buffers=len(buffers), buffers=buffers, release=_release_array,
                      private_data=_keep(kept))
        if column.type == c.CODES:
            kept.append(_texts_array([column.names[i] for i in range(column.name_count)]))
            child.dictionary = ctypes.pointer(kept[-1])
        children.append(child)
    pointers = (POINTER(Array) * len(children))(*[ctypes.pointer(child) for child in children])
    none = (c_void_p * 1)(None)
    to.length, to.n_buffers, to.buffers = (columns[0].length if columns else 0), 1, none
    to.n_children, to.children = len(children), pointers
    to.release, to.private_data = _release_array, _keep([children, pointers, none, owner])


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    address = _pointer_in(capsule, _STREAM)
    stream = Stream.from_address(address)
    if stream.release:
        stream.release(ctypes.byref(stream))
    _alive.pop(address, None)


def stream_of(columns: list[c.Column], owner: Any) -> Any:
    """Returns a capsule with the columns as a stream of one batch, over the same memory; ``owner`` keeps that alive."""
    done: list[bool] = []

    def get_schema(_stream: Any, out: Any) -> int:
        ctypes.memset(out, 0, ctypes.sizeof(Schema))
        _fill_schema(out.contents, columns)
        return 0

    def get_next(_stream: Any, out: Any) -> int:
        ctypes.memset(out, 0, ctypes.sizeof(Array))
        if not done:
            done.append(True)
            _fill_array(out.contents, columns, owner)
        return 0

    stream = Stream(get_schema=_GET_SCHEMA(get_schema), get_next=_GET_NEXT(get_next),
                    get_last_error=_LAST_ERROR(lambda _stream: None), release=_release_stream)
    stream.private_data = _keep([columns, owner])
    address = ctypes.addressof(stream)
    _alive[address] = stream
    return _api.PyCapsule_New(address, _STREAM, _destroy)
