"""What comes through Python is the same simulation; and how it is used."""

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import coslice as cs
from extras import numpy, pandas, pyarrow
from programs import run_program

ROOT = Path(__file__).resolve().parents[2]
JOBS = [{"submit": 0, "nodes": 4, "runtime": 100}, {"submit": 10, "nodes": 4, "runtime": 50},
        {"submit": 20, "nodes": 2, "runtime": 50}, {"submit": 30, "nodes": 1, "runtime": 20, "user": 3},
        {"submit": 40, "nodes": 3, "runtime": 10}]
COLUMNS = {name: [job.get(name) for job in JOBS] for name in ("submit", "nodes", "runtime", "user")}
MODEL = {"generator": "lublin", "lublin": {"jobs": 600, "load": 0.9}}
LUA_KEY = "return { api = 1, name = 'work', version = '1', backfill = 'easy',\n  key = function(job) return job.nodes * job.estimate end }"


def work(job):
    return job.nodes * job.estimate


class Runs(unittest.TestCase):
    def test_jobs_of_all_kinds_are_the_same(self):
        expected = cs.run(4, JOBS).text("jobs.csv")
        self.assertEqual(cs.run(4, COLUMNS).text("jobs.csv"), expected)
        self.assertEqual(cs.run({"nodes": 4}, COLUMNS).text("jobs.csv"), expected)
        self.assertEqual(cs.run(cs.Machine(nodes=4), COLUMNS).text("jobs.csv"), expected)
        with tempfile.TemporaryDirectory() as folder:
            as_json = Path(folder, "jobs.json")
            as_json.write_text(json.dumps(JOBS))
            self.assertEqual(cs.run(4, as_json).text("jobs.csv"), expected)
            as_json.write_text(json.dumps(COLUMNS))
            self.assertEqual(cs.run(4, str(as_json)).text("jobs.csv"), expected)
            as_csv = Path(folder, "jobs.csv")
            as_csv.write_text("submit,nodes,runtime,user\n0,4,100,\n10,4,50,\n20,2,50,\n30,1,20,3\n40,3,10,\n")
            self.assertEqual(cs.run(4, as_csv).text("jobs.csv"), expected)
            as_csv.write_text(expected)  # results are jobs again
            again = cs.run(4, as_csv)
            self.assertEqual(list(again["starting_time"]), list(cs.run(4, JOBS)["starting_time"]))
        toml = "machine.nodes = 4\npolicy.name = 'easy'\nworkload.jobs = [" + ", ".join(
            "{ " + ", ".join(f"{k} = {v}" for k, v in job.items()) + " }" for job in JOBS) + "]"
        self.assertEqual(cs.loads(toml).run().text("jobs.csv"), expected)

    def test_a_scenario_file(self):
        results = cs.load(ROOT / "scenarios" / "backfilling.toml").run()
        self.assertEqual([r.policy for r in results], ["fcfs", "easy"])
        self.assertLess(results["easy"].figure("all.wait.mean"), results["fcfs"].figure("all.wait.mean"))
        one = cs.load(ROOT / "scenarios" / "backfilling.toml").run("easy")
        self.assertEqual(one.text("jobs.csv"), results["easy"].text("jobs.csv"))
        self.assertIn("<table>", results._repr_html_())

    def test_a_log(self):
        log = ROOT / "scenarios" / "traces" / "campus.swf"
        self.assertGreater(len(cs.run(None, log)["job_id"]), 100)
        self.assertEqual(cs.run(jobs=str(log)).text("jobs.csv"), cs.load(log).run("easy").text("jobs.csv"))

    def test_keys(self):
        result = cs.run(64, policy="fcfs", seed=7, workload=MODEL, metrics={"classes": [{"name": "all"}]})
        self.assertEqual(result.summary["seed"], 7)
        self.assertEqual(set(result["job_class"]), {"all"})
        machine = cs.Machine([{"name": "small", "count": 3, "cores": 4}, {"name": "large", "count": 1, "cores": 16}])
        kinds = cs.run(machine, [{"nodes": 1, "runtime": 10}])
        self.assertIn("node_names", kinds.columns)
        self.assertEqual(len(kinds["node_names"][0]) > 0, True)

    def test_columns(self):
        result = cs.run(4, JOBS)
        self.assertEqual(list(result["job_id"]), [1, 2, 3, 4, 5])
        self.assertEqual(list(result["user"]), [-1, -1, -1, 3, -1])
        self.assertEqual(list(result["starting_time"])[:2], [0, 100])
        self.assertEqual(result["final_state"][0], "COMPLETED_SUCCESSFULLY")
        self.assertEqual(result["allocated_resources"][0], "0-3")
        self.assertEqual(result.columns[0], "job_id")
        self.assertEqual(dict(result.timeline).keys(), set(result.timeline.columns))
        with self.assertRaises(KeyError):
            result["wait"]
        waits = result["waiting_time"]
        del result
        gc.collect()
        self.assertEqual(waits[0], 0)  # the column keeps the result alive
        with self.assertRaises((TypeError, ValueError)):
            waits[0] = 1

    def test_figures_and_texts(self):
        result = cs.run(4, JOBS)
        self.assertEqual(result.figure("all.wait.mean"), result.summary["all"]["wait"]["mean"])
        self.assertTrue(result.text("scenario.toml"))
        self.assertIn("utilization", result._repr_html_())
        self.assertIn("easy", repr(result))
        self.assertTrue(result.explain(2).startswith("job 2"))
        json.loads(result.explain(2, json=True))
        self.assertIn("</svg>", result.gantt()._repr_svg_())
        with tempfile.TemporaryDirectory() as folder:
            result.write(Path(folder, "run"))
            self.assertEqual(Path(folder, "run", "jobs.csv").read_text(), result.text("jobs.csv"))

    def test_errors(self):
        with self.assertRaises(cs.InputError) as caught:
            cs.run(4, [{"nodes": 4, "runtime": 100}, {"nodes": 4, "runtime": -3}])
        self.assertEqual((caught.exception.file, caught.exception.line), ("jobs", 2))
        with self.assertRaisesRegex(cs.InputError, "did you mean 'runtime'"):
            cs.run(4, {"runtme": [1], "nodes": [1], "runtime": [1]})
        with self.assertRaisesRegex(cs.InputError, "jobs:2: the column 'runtime' has 'long' in row 2"):
            cs.run(4, {"runtime": [1, "long"], "nodes": [1, 1]})
        with self.assertRaisesRegex(cs.InputError, "there is no policy 'esay'.*did you mean 'easy'"):
            cs.run(4, JOBS, "esay")
        with self.assertRaises(ValueError):  # also those of Python
            cs.run(0, JOBS)
        with self.assertRaises(TypeError):
            cs.run(4, 17)
        with self.assertRaises(TypeError):
            cs.run(4, JOBS, 17)

    def test_compare(self):
        comparison = cs.compare(["fcfs", work], machine=64, workload=MODEL, seeds=3)
        self.assertIn("Means over 3 seeds", str(comparison))
        self.assertEqual({row["variant"] for row in comparison.rows("wait")}, {"fcfs", "work"})
        self.assertIn("One run each", str(cs.compare(["fcfs", "easy"], jobs=ROOT / "scenarios" / "traces" / "campus.swf")))

    def test_policies(self):
        self.assertIn("conservative", cs.policies())


class Policies(unittest.TestCase):
    def run_model(self, policy):
        return cs.run(64, policy=policy, workload=MODEL).text("jobs.csv")

    def test_a_key(self):
        expected = self.run_model(LUA_KEY)
        self.assertEqual(self.run_model(work), expected)
        self.assertEqual(self.run_model(lambda job: job.nodes * job.estimate), expected)
        self.assertEqual(self.run_model(cs.Key(work, name="mine")), expected)
        conservative = self.run_model(LUA_KEY.replace("easy", "conservative"))
        self.assertEqual(self.run_model(cs.Key(work, backfill="conservative")), conservative)

    def test_names_are_unlike(self):
        def easy(job):
            return -job.nodes

        results = cs.run(64, policy=[lambda job: 0, work, lambda job: -job.nodes, easy, "easy"], workload=MODEL)
        self.assertEqual([r.policy for r in results], ["lambda", "work", "lambda-2", "easy-2", "easy"])
        texts = [r.text("jobs.csv") for r in results]
        self.assertEqual((texts[0], texts[2]), (texts[4], texts[3]))
        self.assertEqual(len(set(texts)), 3)

    def test_a_pass(self):
        class Easy:
            """EASY from the primitives."""

            def schedule(self, view):
                head = view.start_in_order()
                if head is None:
                    return
                shadow, extra = view.shadow(head)
                for job in view.fitting():
                    if not view.fits(job):
                        continue
                    in_time = view.ends_by(job, shadow)
                    if in_time or job.nodes <= extra:
                        view.start(job)
                        extra -= 0 if in_time else job.nodes

        self.assertEqual(self.run_model(Easy), self.run_model("easy"))
        self.assertEqual(self.run_model(Easy()), self.run_model("easy"))

        class Ready:
            def schedule(self, view):
                view.easy()

        self.assertEqual(self.run_model(Ready), self.run_model("easy"))

        class Sorted:
            def schedule(self, view):
                view.rekey(work)
                view.easy()

        self.assertEqual(self.run_model(Sorted), self.run_model(LUA_KEY))

        class Conservative:
            def schedule(self, view):
                view.conservative()

        self.assertEqual(self.run_model(Conservative), self.run_model("conservative"))

    def test_preemption(self):
        class Preempts:
            def schedule(self, view):
                head = view.start_in_order()
                if head is not None:
                    view.preempt(head, [r for r in reversed(view.running()) if r.nodes < head.nodes])

        lua = """return { api = 1, name = "preempts", version = "1", schedule = function(view)
          local head = view:start_in_order()
          if head then view:preempt(head, { rank = "newest", among = function(r) return r.nodes < head.nodes end }) end
        end }"""
        self.assertEqual(self.run_model(Preempts), self.run_model(lua))

    def test_jobs_that_are_stopped(self):
        class Stops:
            def schedule(self, view):
                if view.now == 0:
                    view.wake(10)
                elif view.now == 10:
                    first, second = view.running()
                    view.stop(first, "suspend")
                    view.stop(second, "kill", grace=5)
                    view.wake(30)
                    with self.test.assertRaisesRegex(ValueError, "how is 'stop'; expected one of requeue"):
                        view.stop(first, "stop")
                    with self.test.assertRaisesRegex(cs.InputError, "is suspended; resume it first"):
                        view.stop(first)
                elif view.now == 40:
                    view.resume(view.running()[0])
                view.start_in_order()

        policy = Stops()
        policy.test = self
        result = cs.run(2, [{"nodes": 1, "runtime": 100}, {"nodes": 1, "runtime": 100}, {"nodes": 1, "runtime": 7}], policy)
        self.assertEqual(list(result["finish_time"]), [130, 15, 22])

    def test_named_nodes(self):
        class Highest:
            names_nodes = True

            def schedule(self, view):
                free = set(range(view.capacity))
                for job in view.running():
                    free -= set(view.nodes(job))
                for job in view.waiting():
                    chosen = sorted(free)[-job.nodes:]
                    if not view.fits(job, on=chosen):
                        return
                    view.start(job, on=chosen)
                    free -= set(chosen)

        result, fcfs = cs.run(64, policy=[Highest, "fcfs"], workload=MODEL)
        self.assertEqual(list(result["starting_time"]), list(fcfs["starting_time"]))
        self.assertTrue(result["allocated_resources"][0].endswith("63"))

        class Counted:
            def schedule(self, view):
                view.start(view.waiting()[0], on=[0])

        with self.assertRaisesRegex(cs.InputError, "nodes are counted, and cannot be named here"):
            cs.run(4, JOBS, Counted)

    def test_a_class_is_new_in_each_run(self):
        class Counts:
            name = "counts"
            made = []

            def __init__(self):
                self.begun = self.came = self.went = self.gone = 0
                self.made.append(self)

            def begin(self, view):
                self.begun += 1

            def submitted(self, view, job):
                self.came += 1

            def started(self, view, job):
                self.went += 1
                assert job.start == view.now

            def ended(self, view, job):
                self.gone += 1

            def schedule(self, view):
                view.note("free", view.free)
                assert sum(job.nodes for job in view.running()) + view.free == view.capacity
                view.easy()

        scenario = cs.loads("machine.nodes = 64").set("workload", MODEL)
        first, second = scenario.run(Counts), scenario.run(Counts)
        self.assertEqual(first.text("jobs.csv"), second.text("jobs.csv"))
        self.assertEqual([(c.begun, c.came, c.went, c.gone) for c in Counts.made], [(1, 600, 600, 600)] * 2)
        self.assertGreater(first.figure("notes.free.count"), 600)
        self.assertIn("job 5", first.explain(5))
        self.assertEqual(len(Counts.made), 3)

    def test_what_a_policy_raises_comes_out(self):
        def fails(job):
            raise LookupError(f"job {job.id}")

        with self.assertRaisesRegex(LookupError, "job 1"):
            cs.run(4, JOBS, fails)

        class Late:
            def schedule(self, view):
                if view.now > 0:
                    view.start(view.waiting()[0])
                view.start_in_order()

        with self.assertRaisesRegex(cs.InputError, "job 2 cannot start now: it needs 4 nodes for its whole estimate, 0 are free"):
            cs.run(4, JOBS, Late)
        with self.assertRaisesRegex(cs.SimulationError, "gave no number as the key of job 1"):
            cs.run(4, JOBS, lambda job: float("nan"))

        class Keeps:
            def schedule(self, view):
                Keeps.view, Keeps.job = view, (view.waiting() or [Keeps.job])[0]
                view.easy()

        cs.run(4, JOBS, Keeps)
        with self.assertRaisesRegex(cs.InputError, "only valid inside the callback"):
            Keeps.view.start(Keeps.job)
        self.assertEqual(Keeps.view.waiting(), [])

        class Idle:
            def schedule(self, view):
                pass

        with self.assertRaisesRegex(cs.SimulationError, "left 5 jobs waiting for ever"):
            cs.run(4, JOBS, Idle)


class Processes(unittest.TestCase):
    def test_ctrl_c_ends_a_run(self):
        program = """
import coslice as cs, os, signal, threading
class Slow:
    def schedule(self, view):
        view.easy()
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
for policy in ("easy", Slow):
    try:
        while True:
            cs.run(64, policy=policy, workload={"generator": "lublin", "lublin": {"jobs": 20000, "load": 0.9}})
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start() if policy == "easy" else None
print(len(cs.run(4, [{"nodes": 1, "runtime": 5}])["job_id"]))
"""
        done = run_program(program)
        self.assertEqual((done.stdout, done.returncode), ("interrupted\ninterrupted\n1\n", 0), done.stderr)

    def test_ctrl_c_while_a_handle_is_freed_is_not_dropped(self):
        program = """
import signal, time
from coslice._results import Handle
handle = Handle(1, lambda value: signal.raise_signal(signal.SIGINT))
try:
    del handle
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
"""
        done = run_program(program, timeout=60)
        self.assertEqual((done.stdout, done.returncode), ("interrupted\n", 0), done.stderr)

    def test_other_threads_run_meanwhile(self):
        ticks = []
        stop = threading.Event()

        def count():
            while not stop.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        begin = time.monotonic()
        cs.run(128, policy="conservative", progress=False,
               workload={"generator": "lublin", "lublin": {"jobs": 30000, "load": 0.95}})
        spent = time.monotonic() - begin
        stop.set()
        thread.join()
        longest = max((b - a for a, b in zip(ticks, ticks[1:])), default=spent)
        self.assertLess(longest, max(0.25, spent / 2))

    def test_threads_and_forks(self):
        expected = cs.run(64, policy=work, workload=MODEL).text("jobs.csv")
        found = []
        threads = [threading.Thread(target=lambda: found.append(cs.run(64, policy=work, workload=MODEL).text("jobs.csv")))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 4)
        child = os.fork()
        if child == 0:
            os._exit(0 if cs.run(64, policy=work, workload=MODEL).text("jobs.csv") == expected else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_many_runs_do_not_grow(self):
        class Pass:
            def schedule(self, view):
                view.easy()

        def some(count):
            for _ in range(count):
                cs.run(4, COLUMNS, work)["waiting_time"]
                cs.run(4, COLUMNS, Pass).summary
                try:
                    cs.run(4, COLUMNS, "no such")
                except cs.InputError:
                    pass
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        times = int(os.environ.get("COSLICE_TIMES", "1"))
        before = some(150)
        self.assertLess(some(300 * times) - before, 2048)  # KB

    def test_progress(self):
        told = []
        cs.run(64, policy="easy", workload=MODEL, progress=lambda done, jobs: told.append((done, jobs)))
        self.assertEqual(told[-1], (600, 600))

        def fails(done, jobs):
            raise StopIteration("enough")

        with self.assertRaises(StopIteration):
            cs.run(64, policy="easy", workload=MODEL, progress=fails)


@unittest.skipUnless(numpy, "numpy is not here")
class WithNumpy(unittest.TestCase):
    def test_columns_are_arrays_without_copies(self):
        result = cs.run(4, JOBS)
        self.assertIsInstance(result["waiting_time"], numpy.ndarray)
        self.assertTrue(numpy.shares_memory(result["waiting_time"], result["waiting_time"]))
        self.assertFalse(result["waiting_time"].flags.owndata)
        self.assertEqual((result["final_state"] == "COMPLETED_SUCCESSFULLY").sum(), 5)

    def test_arrays_are_jobs(self):
        columns = {"submit": numpy.array([0, 10, 20, 30, 40], dtype="uint16"), "nodes": numpy.array([4, 4, 2, 1, 3], "int8"),
                   "runtime": numpy.array([100, 50, 50, 20, 10], "float32"), "user": numpy.array([numpy.nan] * 3 + [3, numpy.nan])}
        self.assertEqual(cs.run(4, columns).text("jobs.csv"), cs.run(4, JOBS).text("jobs.csv"))
        strided = {name: numpy.repeat(values, 2)[::2] for name, values in columns.items()}
        self.assertEqual(cs.run(4, strided).text("jobs.csv"), cs.run(4, JOBS).text("jobs.csv"))


@unittest.skipUnless(pandas, "pandas is not here")
class WithPandas(unittest.TestCase):
    def test_frames(self):
        frame = pandas.DataFrame(JOBS)
        result = cs.run(4, frame)
        self.assertEqual(result.text("jobs.csv"), cs.run(4, JOBS).text("jobs.csv"))
        self.assertEqual(cs.run(4, frame.convert_dtypes()).text("jobs.csv"), result.text("jobs.csv"))
        table = result.to_pandas()
        self.assertTrue(numpy.shares_memory(table["waiting_time"].to_numpy(), result["waiting_time"]))
        self.assertTrue(numpy.shares_memory(table["job_id"].to_numpy(), result["job_id"]))
        self.assertEqual(list(table["final_state"]), ["COMPLETED_SUCCESSFULLY"] * 5)
        self.assertIn("allocated_resources", result.to_pandas(texts=True).columns)
        one_by_one = cs.run(4, JOBS)
        for name in table.columns:
            self.assertEqual(list(one_by_one[name]), list(table[name]))
        with unittest.mock.patch("coslice._scenario._LARGE", 5):
            self.assertTrue(table.equals(cs.run(4, JOBS).to_pandas()))
        del result
        gc.collect()
        self.assertEqual(table["waiting_time"].iloc[1], 90)
        self.assertEqual(cs.run(4, table).figure("all.wait.mean"), cs.run(4, JOBS).figure("all.wait.mean"))
        frame["submit"] = pandas.to_datetime(frame["submit"], unit="s")
        with self.assertRaisesRegex(TypeError, "expected numbers of seconds"):
            cs.run(4, frame)

    def test_comparisons(self):
        table = cs.compare(["fcfs", "easy"], machine=4, jobs=JOBS).to_pandas("wait")
        self.assertIn("mean", table.columns)


class Foreign:
    """A table of somebody else, by the Arrow interface alone."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Arrow(unittest.TestCase):
    def test_results_are_tables_and_tables_are_jobs(self):
        from coslice import _arrow

        result = cs.run(4, JOBS)
        columns = _arrow.columns_of_stream(Foreign(result))
        self.assertEqual(list(columns), result.columns)
        for name in ("job_id", "waiting_time", "final_state", "allocated_resources"):
            self.assertEqual(columns[name].values, list(result[name]))
        self.assertEqual(cs.run(4, Foreign(result)).figure("all.wait.mean"), result.figure("all.wait.mean"))
        result.__arrow_c_stream__()  # that nobody reads
        del result, columns
        gc.collect()
        self.assertEqual(_arrow._alive, {})

    def test_views_and_bits(self):
        """Texts as polars has them, and bits; behind an offset, with a row that says nothing."""
        import ctypes
        import struct

        from coslice import _arrow

        long = b"a text that has no room in a view, and another one"
        views = b"".join([struct.pack("<i12s", 5, b"short"), struct.pack("<i4sii", 22, long[2:6], 1, 2),
                          struct.pack("<i12s", 0, b""), struct.pack("<i12s", 12, "zwölf Bytes".encode())])
        kept = [ctypes.create_string_buffer(x) for x in (b"\x0b", views, b"not this one", long, b"\x05")]
        texts = (ctypes.c_void_p * 4)(*[ctypes.addressof(kept[i]) for i in (0, 1, 2, 3)])
        read = lambda format, buffers, nulls: _arrow._plain_values(format, _arrow.Array(
            length=3, offset=1, null_count=nulls, n_buffers=len(buffers), buffers=buffers), "qos")
        self.assertEqual(read("vu", texts, 1), [long[2:24].decode(), None, "zwölf Bytes"])
        self.assertEqual(read("vu", texts, 0), [long[2:24].decode(), "", "zwölf Bytes"])
        self.assertEqual(read("b", (ctypes.c_void_p * 2)(None, ctypes.addressof(kept[4])), 0), [0, 1, 0])

    @unittest.skipUnless(pyarrow, "pyarrow is not here")
    def test_pyarrow(self):
        table = pyarrow.Table.from_pylist(JOBS)
        result = cs.run(4, table)
        self.assertEqual(result.text("jobs.csv"), cs.run(4, JOBS).text("jobs.csv"))
        self.assertEqual(pyarrow.table(result)["waiting_time"].to_pylist(), list(result["waiting_time"]))


class Wheel(unittest.TestCase):
    def test_pip_installs_it_without_a_network(self):
        wheel = os.environ.get("COSLICE_WHEEL")
        if not wheel:
            self.skipTest("no wheel is named")
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest("pip is not here")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder,
                            wheel], check=True, capture_output=True)
            program = "import coslice as cs; print(cs.__file__, cs.run(4, [{'nodes': 1, 'runtime': 5}]).figure('makespan'))"
            environment = {name: value for name, value in os.environ.items() if name != "COSLICE_LIBRARY"}
            done = subprocess.run([sys.executable, "-c", program], env=environment | {"PYTHONPATH": folder}, text=True,
                                  capture_output=True, check=True)
            self.assertEqual(done.stdout, f"{folder}/coslice/__init__.py 5.0\n")


if __name__ == "__main__":
    unittest.main()
