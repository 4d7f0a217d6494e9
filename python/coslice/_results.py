"""Results: columns, figures, texts and pictures of a run."""

from __future__ import annotations

import _thread
import ctypes
import html
import json
import threading
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from . import _arrow
from . import _library as c
from ._columns import Codes, Texts, shown
from ._library import byref, check, long, short
from ._policies import raise_kept

if TYPE_CHECKING:
    from ._scenario import Prepared


class Table(Mapping[str, Any]):
    """A table of a result: a column by its name, as an array of numpy (without numpy, a memoryview) without copying.

    Times are seconds. In columns of whole numbers -1 stands where the CSV file has an empty field, in others NaN.
    Pandas, polars, DuckDB and pyarrow take it as an Arrow table.
    """

    def __init__(self, result: "Result", name: str) -> None:
        self._result, self._name = result, c.given(name, "name of a table")
        self._names: list[str] = []
        while True:
            column = short.coslice_result_column_name(result._handle.value, self._name, len(self._names))
            if column is None:
                break
            self._names.append(c.text(column))

    def _column(self, name: str) -> c.Column:
        column = c.Column()
        check(long.coslice_result_column(self._result._handle.value, self._name, c.given(name, "name of a column"), byref(column)))
        return column

    def _columns(self, texts: bool) -> list[c.Column]:
        """All of them, made at once; without ``texts``, those without a text in each row."""
        columns, count = ctypes.POINTER(c.Column)(), ctypes.c_size_t()
        check(long.coslice_result_columns(self._result._handle.value, self._name, texts, byref(columns), byref(count)))
        return columns[:count.value]

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return shown(self._column(name), self._result._handle)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order of the CSV file."""
        return list(self._names)

    def to_pandas(self, texts: bool = False) -> Any:
        """Returns a DataFrame whose numbers are the result's own memory, read-only; few texts are categories.

        Columns in which each row has a text of its own (``allocated_resources``) take long: they come with ``texts``.
        """
        import pandas

        columns: dict[str, Any] = {}
        for column in self._columns(texts):
            name, values = c.text(column.name), shown(column, self._result._handle)
            if isinstance(values, Codes):
                columns[name] = pandas.Categorical.from_codes(values.codes, values.names)
            else:
                columns[name] = list(values) if isinstance(values, Texts) else values
        return pandas.DataFrame(columns, copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _arrow.stream_of(self._columns(True), self._result._handle)

    def __repr__(self) -> str:
        return f"<{c.text(self._name)}: {', '.join(self._names)}>"


class Picture(str):
    """A drawing as text (SVG), which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: Any) -> None:
        """Writes the drawing into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


class Handle:
    """A handle of the library, which is freed with the last of what refers to it."""

    def __init__(self, value: int | None, free: Any) -> None:
        if not value:
            raise MemoryError
        self.value, self._free = value, free

    def __reduce__(self) -> Any:  # also of copies, which would be freed twice
        raise TypeError("what the library holds belongs to this process, and cannot be copied or pickled; hand over "
                        "to_pandas(), summary, or what makes the run")

    def __del__(self) -> None:
        value, self.value = getattr(self, "value", None), None
        if not value:
            return
        try:
            self._free(value)
        except KeyboardInterrupt:  # what is raised here would be dropped: Ctrl-C comes again when this is over
            threading.Timer(0.01, _thread.interrupt_main).start()


class Result:
    """What came of one run: ``result["waiting_time"]`` is a column of its jobs, ``result.summary`` all figures."""

    def __init__(self, handle: Handle, prepared: "Prepared", number: int) -> None:
        self._handle, self._prepared, self._number = handle, prepared, number
        self._summary: dict[str, Any] | None = None
        self._jobs: Table | None = None

    @property
    def policy(self) -> str:
        """The policy's name."""
        return c.text(short.coslice_result_policy(self._handle.value))

    @property
    def jobs(self) -> Table:
        """The jobs in the order of the workload: the columns of jobs.csv."""
        if self._jobs is None:
            self._jobs = Table(self, "jobs")
        return self._jobs

    @property
    def timeline(self) -> Table:
        """Waiting jobs, used nodes and cores, each from its ``time`` (s) on."""
        return Table(self, "timeline")

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the jobs."""
        return self.jobs.columns

    def __getitem__(self, name: str) -> Any:
        return self.jobs[name]

    def to_pandas(self, texts: bool = False) -> Any:
        """Returns the jobs as a DataFrame over the result's own memory (see Table.to_pandas)."""
        return self.jobs.to_pandas(texts)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.jobs.__arrow_c_stream__(requested_schema)

    @property
    def summary(self) -> dict[str, Any]:
        """All figures of the run, as summary.json has them."""
        if self._summary is None:
            self._summary = json.loads(self.text("summary.json"))
        return self._summary

    def figure(self, path: str) -> float:
        """Returns a figure by its path in the summary: ``figure("all.wait.mean")``, s."""
        value = ctypes.c_double()
        check(long.coslice_result_figure(self._handle.value, c.given(path, "path of a figure"), byref(value)))
        return value.value

    def text(self, file: str) -> str:
        """Returns a file of the run: "summary.json", "jobs.csv", "timeline.csv" or "scenario.toml"."""
        text = long.coslice_result_text(self._handle.value, c.given(file, "name of a file"))
        if text is None:
            raise c.error()
        return c.text(text)

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the scenario and the run."""
        out = list(self._prepared.warnings)
        while True:
            warning = short.coslice_result_warning(self._handle.value, len(out) - len(self._prepared.warnings))
            if warning is None:
                return out
            out.append(c.text(warning))

    def explain(self, job: int, json: bool = False) -> str:
        """Says why the job of that number (``job_id``) started when it did. The run is made again for it."""
        text = ctypes.c_char_p()
        with self._prepared.calling():
            status = long.coslice_result_explain(self._handle.value, c.whole(int(job), "the number of the job"), int(json), byref(text))
            raise_kept(status)
        return c.text(text.value)

    def gantt(self, format: str = "svg") -> Picture:
        """Draws nodes over time, as "svg" (at most 5,000 rectangles) or as a page, "html". The run is made again."""
        text = ctypes.c_char_p()
        with self._prepared.calling():
            status = long.coslice_result_gantt(self._handle.value, c.given(format, "format"), byref(text))
            raise_kept(status)
        return Picture(c.text(text.value))

    def write(self, folder: Any) -> None:
        """Writes the run into a folder, as ``coslice run --out`` does, where it is the only one of its scenario."""
        write_results([self], folder)

    def _rows(self) -> list[tuple[str, str]]:
        s = self.summary
        return [("policy", self.policy), ("jobs", f"{s['nb_jobs']:,}"), ("makespan, s", f"{s['makespan']:,.0f}"),
                ("utilization", f"{100 * s['utilization']:.1f} %"), ("mean wait, s", f"{s['all']['wait']['mean']:,.0f}"),
                ("mean bounded slowdown", f"{s['all']['bounded_slowdown']['mean']:,.2f}")]

    def __repr__(self) -> str:
        return "<Result " + ", ".join(f"{name} {value}" for name, value in self._rows()) + ">"

    def _repr_html_(self) -> str:
        return _html_table([[name, value] for name, value in self._rows()])


def _html_table(rows: list[list[str]]) -> str:
    cells = ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return "<table>" + "".join(cells) + "</table>"


class Results(list):  # type: ignore[type-arg]
    """The runs of several policies on the same jobs, in their order, and by name: ``results["easy"]``."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for result in self:
            if result.policy == key:
                return result
        raise KeyError(key)

    def write(self, folder: Any) -> None:
        """Writes all runs into a folder, as ``coslice run --out`` does."""
        write_results(list(self), folder)

    def _repr_html_(self) -> str:
        columns = [[name for name, _ in self[0]._rows()]] if self else []
        columns += [[value for _, value in result._rows()] for result in self]
        return _html_table([list(row) for row in zip(*columns)])


def write_results(results: list[Result], folder: Any) -> None:
    handles = (ctypes.c_void_p * len(results))(*[r._handle.value for r in results])
    check(long.coslice_results_write(handles, len(results), c.given_path(folder)))


class Comparison:
    """Variants against the first of them: ``str(comparison)`` is the table of ``coslice compare``."""

    def __init__(self) -> None:
        self._handle = Handle(short.coslice_comparison_new(), short.coslice_comparison_free)

    def add(self, variant: str, result: Result) -> None:
        """Adds a run of a variant; runs of the same seed are compared with one another."""
        check(long.coslice_comparison_add(self._handle.value, c.given(variant, "variant"), result._handle.value))

    def text(self, format: str = "table", figures: str | None = None) -> str:
        """Returns it as "table", "markdown", "csv", "latex" or "json"; ``figures`` chooses: "wait,wait.p95"."""
        text = ctypes.c_char_p()
        chosen = None if figures is None else c.given(figures, "list of figures")
        check(long.coslice_comparison_text(self._handle.value, c.given(format, "format"), chosen, byref(text)))
        return c.text(text.value)

    def rows(self, figures: str | None = None) -> list[dict[str, Any]]:
        """Returns a list of dicts, one for each figure, class and variant; numbers where they are numbers."""
        import csv

        def value_of(text: str) -> Any:
            try:
                return float(text)
            except ValueError:
                return text or None

        rows = csv.DictReader(self.text("csv", figures).splitlines())
        return [{name: value_of(value) for name, value in row.items()} for row in rows]

    def to_pandas(self, figures: str | None = None) -> Any:
        """Returns the same as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows(figures))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"
