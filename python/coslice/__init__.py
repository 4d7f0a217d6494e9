"""coslice simulates how a supercomputer schedules its jobs.

    import coslice as cs
    result = cs.run(64, "log.swf.gz", policy="easy")
    result["waiting_time"].mean()          # s; an array of numpy over the result's own memory
    result.summary["utilization"]
    result.explain(17)
    cs.run(64, "log.swf.gz", policy=lambda job: job.nodes * job.estimate)

Times are seconds since the second 0 of the workload. docs/python.md is the page.
"""

from ._library import Error, InputError, Job, SimulationError
from ._library import short as _short
from ._library import text as _text
from ._policies import Key, View
from ._results import Comparison, Picture, Result, Results, Table
from ._scenario import Machine, Scenario, compare, load, loads, policies, run

__version__ = _text(_short.coslice_version())

__all__ = ["Comparison", "Error", "InputError", "Job", "Key", "Machine", "Picture", "Result", "Results", "Scenario",
           "SimulationError", "Table", "View", "compare", "load", "loads", "policies", "run"]
