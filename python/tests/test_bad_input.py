"""What is handed in wrongly is an error that says so, and never another number."""

import copy
import pickle
import unittest
from decimal import Decimal
from pathlib import Path

import coslice as cs
from coslice import _columns
from extras import numpy, pandas

JOBS = [{"submit": 0, "nodes": 4, "runtime": 100}, {"submit": 10, "nodes": 4, "runtime": 50}]
MANY = 2**64 - 1  # cut to 64 bits it is -1: not known


def refused(columns):
    try:
        cs.run(4, columns)
    except cs.InputError as e:
        return str(e)
    raise AssertionError(f"{columns} were taken")


class Columns(unittest.TestCase):
    def test_a_column_is_no_single_value(self):
        for value in (7, None, "abc", b"abc", 1.5):
            with self.assertRaisesRegex(TypeError, "the column 'user' is .*; expected a value for each job"):
                cs.run(4, {"nodes": [1, 1, 1], "runtime": [1, 1, 1], "user": value})

    def test_numbers_that_have_no_room(self):
        for value in (MANY, 2**70, -2**63 - 1):
            self.assertIn("row 2", refused({"nodes": [1, 1], "runtime": [1, 1], "user": [1, value]}))

    def test_rows_that_are_no_numbers(self):
        for value in ([1, 2], {}, object(), 1j, b"1", Decimal("sNaN")):
            self.assertIn("in row 2", refused({"nodes": [1, 1], "runtime": [1, value]}))
        self.assertEqual(cs.run(4, {"nodes": [1, 1], "runtime": [Decimal("1.5"), True]})["run_time"][0], 1.5)

    def test_texts_with_a_zero(self):
        for value in ("a\0b", "\ud800"):
            self.assertIn("expected texts without zeros", refused({"nodes": [1], "runtime": [1], "qos": [value]}))
            self.assertIn("expected texts without zeros", refused({"nodes": [1], "runtime": [1], "qos" + value: [1]}))
            with self.assertRaises(ValueError):
                cs.load(value)
            with self.assertRaises(ValueError):
                cs.Scenario().set("name", value)
            with self.assertRaises(ValueError):
                cs.run(4, JOBS, "return { name = 'x' } -- " + value)

    def test_sizes_and_names(self):
        wide = cs.run(4, [{"nodes": 1, "runtime": 1}, {"nodes": 5, "runtime": 1}])
        self.assertEqual(list(wide["final_state"]), ["COMPLETED_SUCCESSFULLY", "REJECTED"])
        self.assertIn("the id of an earlier job", refused({"nodes": [1, 1], "runtime": [1, 1], "id": [7, 7]}))
        for nothing in ([], {}, {"nodes": [], "runtime": []}):
            refused(nothing)
        for value in (float("inf"), -float("inf"), 1e300):
            refused({"nodes": [1], "runtime": [value]})

    @unittest.skipUnless(numpy, "numpy is not here")
    def test_arrays(self):
        plain = cs.run(4, {"nodes": [1, 2], "runtime": [5, 6], "user": [-1, 3]}).text("jobs.csv")
        for of in (lambda x, t: numpy.array(x, t).astype(">" + t), lambda x, t: numpy.repeat(numpy.array(x, t), 2)[::2],
                   lambda x, t: numpy.array(x, t)[::-1][::-1], lambda x, t: numpy.array(x, object)):
            columns = {"nodes": of([1, 2], "i4"), "runtime": of([5, 6], "f8"), "user": of([-1, 3], "i8")}
            self.assertEqual(cs.run(4, columns).text("jobs.csv"), plain)
        self.assertIn("row 2", refused({"nodes": [1, 1], "runtime": [1, 1],
                                        "user": numpy.array([1, MANY], "uint64")}))
        masked = numpy.ma.array([8, 3], mask=[True, False])
        self.assertEqual(cs.run(4, {"nodes": [1, 2], "runtime": [5, 6], "user": masked}).text("jobs.csv"), plain)
        for value in (numpy.ones((2, 2)), numpy.array(7)):
            with self.assertRaisesRegex((ValueError, TypeError), "'user' has . dimensions; expected 1"):
                cs.run(4, {"nodes": [1, 1], "runtime": [1, 1], "user": value})
        for value in (numpy.array([1, 2 + 1j]), [1, numpy.complex64(2 + 1j)], numpy.array([b"1", b"2"]), numpy.array(["a", "b"])):
            refused({"nodes": [1, 1], "runtime": value})

    @unittest.skipUnless(pandas, "pandas is not here")
    def test_frames(self):
        frame = pandas.DataFrame({"nodes": [1, 2], "runtime": [5, 6], "user": [-1, 3]})
        plain = cs.run(4, frame).text("jobs.csv")
        for changed in (frame.astype("category"), frame.astype("Int64"), frame.astype("Float32"), frame.iloc[::-1].iloc[::-1],
                        frame.set_index(pandas.Index(["x", "y"])), frame.astype(object),
                        frame.assign(user=pandas.array([None, 3], "Int16"))):
            self.assertEqual(cs.run(4, changed).text("jobs.csv"), plain)
        for value in (pandas.to_timedelta([1, 2], unit="s"), pandas.date_range("2026", periods=2),
                      pandas.period_range("2026", periods=2, freq="D")):
            with self.assertRaises((TypeError, ValueError)):
                cs.run(4, frame.assign(runtime=value))
        with self.assertRaisesRegex(ValueError, "dimensions"):
            cs.run(4, pandas.concat([frame, frame[["user"]]], axis=1))
        refused(frame.iloc[:0])


class Keys(unittest.TestCase):
    def test_what_a_key_is_set_to(self):
        self.assertEqual(cs.run({"nodes": 4, "switches": None}, JOBS).text("jobs.csv"), cs.run(4, JOBS).text("jobs.csv"))
        machine = cs.Machine([{"name": "a", "count": 4, "gpus": None}])
        self.assertEqual(len(cs.run(machine, JOBS)["job_id"]), 2)
        with self.assertRaisesRegex(TypeError, "a key is set to"):
            cs.run({"nodes": object()}, JOBS)
        with self.assertRaises(cs.InputError):
            cs.run(cs.Machine([{"name": "a", "count = 1, name": 4}]), JOBS)

    @unittest.skipUnless(numpy, "numpy is not here")
    def test_numbers_of_numpy(self):
        model = {"generator": "lublin", "lublin": {"jobs": numpy.int64(50)}, "window": numpy.array([0, 4e4])}
        self.assertGreater(len(cs.run(numpy.int32(64), workload=model)["job_id"]), 0)


class Comparisons(unittest.TestCase):
    def test_seeds(self):
        for seeds in (0, -1):
            with self.assertRaisesRegex(ValueError, f"seeds is {seeds}; expected a number from 1 on"):
                cs.compare(["fcfs", "easy"], machine=4, jobs=JOBS, seeds=seeds)


class Policies(unittest.TestCase):
    def test_a_key_that_is_no_number(self):
        for key in (None, "3", b"3", [1], {}, 10**400):
            with self.assertRaisesRegex(TypeError, "the key of job 1 is .*; expected a number"):
                cs.run(4, JOBS, lambda job, key=key: key)
        for key in (1, True, Decimal(2), float("inf")) + ((numpy.float32(1), numpy.int64(3)) if numpy else ()):
            self.assertEqual(len(cs.run(4, JOBS, lambda job, key=key: key)["job_id"]), 2)

    def in_a_pass(self, ask):
        told = []

        class Asks:
            names_nodes = True

            def schedule(self, view):
                if not told and view.waiting():
                    try:
                        told.append(ask(view, view.waiting()[0]))
                    except (TypeError, ValueError, OverflowError) as e:
                        told.append(e)
                view.easy()

        cs.run(4, JOBS, Asks)
        return told[0]

    def test_numbers_that_have_no_room(self):
        for ask in (lambda view, job: view.start(job, on=[2**32, 1, 2, 3]), lambda view, job: view.fits(job, on=[2**64]),
                    lambda view, job: view.reserve(job, 2**64), lambda view, job: view.earliest(job, 2**70),
                    lambda view, job: view.ends_by(job, -2**64), lambda view, job: view.easy(2**64 + 1),
                    lambda view, job: view.easy(1, 2**64),
                    lambda view, job: view.wake(float("nan")), lambda view, job: view.wake(-1e300)):
            self.assertIsInstance(self.in_a_pass(ask), Exception)
        for never in (1e300, float("inf"), 1e10):
            self.assertIsNone(self.in_a_pass(lambda view, job: view.wake(never)))

    @unittest.skipUnless(numpy, "numpy is not here")
    def test_numbers_of_numpy(self):
        self.assertIsNone(self.in_a_pass(lambda view, job: view.start(job, on=numpy.arange(4))))
        self.assertTrue(self.in_a_pass(lambda view, job: view.ends_by(job, numpy.int64(10**15))))


class Results(unittest.TestCase):
    def test_a_result_is_not_copied(self):
        result = cs.run(4, JOBS)
        for of in (copy.deepcopy, pickle.dumps, lambda x: copy.copy(x._handle)):
            with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                of(result)
        with self.assertRaises(ValueError):
            result.explain(2**64 + 1)

    def test_codes_that_are_not_known(self):
        codes = _columns.Codes(memoryview(b"\0\1\xff").cast("b"), ["a", "b"])
        self.assertEqual(list(codes), ["a", "b", ""])
        self.assertEqual(codes[:], ["a", "b", ""])
        self.assertEqual([bool(x) for x in ([c == -1 for c in codes.codes])], [False, False, True])

    def test_paths(self):
        log = Path(__file__).resolve().parents[2] / "scenarios" / "backfilling.toml"
        self.assertEqual(len(cs.load(bytes(log)).run("easy")["job_id"]), 12)


if __name__ == "__main__":
    unittest.main()
