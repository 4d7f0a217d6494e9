"""coslice.gym has the rules of Gymnasium, and its episodes are the same simulation."""

import gc
import os
import resource
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import coslice as cs
from programs import run_program

try:
    import numpy as np

    from coslice import _spaces, gym
except ImportError:
    np = None
try:
    import gymnasium
except ImportError:
    gymnasium = None

ROOT = Path(__file__).resolve().parents[2]
MODEL = {"generator": "lublin", "lublin": {"jobs": 200, "load": 0.9}}


def play(env, choose, seed=None):
    """Plays an episode; returns its rewards, and the info of its end."""
    observation, info = env.reset(seed=seed)
    rewards = []
    while True:
        observation, reward, terminated, truncated, info = env.step(choose(observation))
        rewards.append(reward)
        if terminated or truncated:
            return rewards, info | {"terminated": terminated, "truncated": truncated}


def in_order(observation):
    """FCFS: the first job, if it fits, else waiting."""
    return 0 if observation["action_mask"][0] else len(observation["action_mask"]) - 1


def lowest(observation):
    return int(np.flatnonzero(observation["action_mask"])[0])


@unittest.skipUnless(np, "numpy is not here")
class Rules(unittest.TestCase):
    def test_observations_are_in_their_space(self):
        for backfill in ("agent", "easy"):
            env = gym.Environment(64, workload=MODEL, visible=8, backfill=backfill)
            self.assertEqual(env.action_space.n, 9 if backfill == "agent" else 8)
            self.assertIsNone(env.render())
            env.action_space.seed(3)
            observation, info = env.reset(seed=2)
            steps = 0
            while True:
                self.assertTrue(env.observation_space.contains(observation))
                self.assertTrue((info["action_mask"] == observation["action_mask"]).all())
                self.assertTrue((env.action_masks() == info["action_mask"]).all())
                self.assertEqual(len(info["jobs"]), int(observation["queue"][:, 0].sum()))
                answer = env.step(env.action_space.sample(info["action_mask"]))
                self.assertEqual(len(answer), 5)
                observation, reward, terminated, truncated, info = answer
                self.assertEqual((type(reward), type(terminated), type(truncated)), (float, bool, bool))
                self.assertFalse(truncated)
                steps += 1
                if terminated:
                    break
                self.assertEqual(reward, 0)
                self.assertNotIn("result", info)
            self.assertGreaterEqual(steps, 200)
            self.assertTrue(env.observation_space.contains(observation))
            self.assertEqual((observation["queue"].sum(), observation["waiting"][0]), (0, 0))
            self.assertFalse(env.action_masks().any())
            self.assertEqual(reward, -info["result"].figure("all.bounded_slowdown.mean"))
            with self.assertRaisesRegex(RuntimeError, "reset"):
                env.step(0)

    def test_spaces_of_the_stand_in(self):
        box = _spaces.Box(0, 1, (2,), np.int8)
        self.assertTrue(box.contains(np.array([0, 1], np.int8)))
        self.assertFalse(box.contains(np.array([0, 2], np.int8)))
        self.assertFalse(box.contains(np.array([0.0, 1.0])))
        discrete = _spaces.Discrete(5)
        discrete.seed(1)
        drawn = [discrete.sample(np.array([0, 1, 0, 1, 0], np.int8)) for _ in range(40)]
        self.assertEqual(set(drawn), {1, 3})
        discrete.seed(1)
        self.assertEqual([discrete.sample(np.array([0, 1, 0, 1, 0], np.int8)) for _ in range(40)], drawn)
        self.assertNotIn(5, discrete)
        self.assertEqual(discrete, _spaces.Discrete(5))
        both = _spaces.Dict({"a": box, "b": discrete})
        both.seed(2)
        self.assertIn(both.sample(), both)

    def test_the_seed_decides(self):
        env, other = (gym.Environment(64, workload=MODEL, reward="waiting") for _ in range(2))

        def at_random():
            draw = np.random.default_rng(5)
            return lambda o: int(draw.choice(np.flatnonzero(o["action_mask"])))

        first, second = play(env, at_random(), 7), play(other, at_random(), 7)
        self.assertEqual(first[0], second[0])
        self.assertEqual(first[1]["result"].text("jobs.csv"), second[1]["result"].text("jobs.csv"))
        third, fourth = play(env, at_random()), play(other, at_random())  # each draws a seed of its own
        self.assertEqual(third[0], fourth[0])
        self.assertEqual(third[1]["seed"], fourth[1]["seed"])
        self.assertNotEqual(third[1]["seed"], 7)
        self.assertNotEqual(third[1]["result"].text("jobs.csv"), first[1]["result"].text("jobs.csv"))
        unseeded = gym.Environment(64, workload=MODEL).reset()[1]["seed"]
        self.assertEqual(unseeded, 1)

    def test_forbidden_actions(self):
        env = gym.Environment(4, [{"nodes": 3, "runtime": 9}, {"submit": 1, "nodes": 3, "runtime": 9},
                                  {"submit": 2, "nodes": 1, "runtime": 1}], visible=3)
        observation, info = env.reset()
        self.assertEqual(observation["action_mask"].tolist(), [1, 0, 0, 0])  # nothing runs: waiting would be for ever
        info = env.step(np.int64(3))[4]
        self.assertTrue(info["invalid"])  # the first that is allowed
        self.assertEqual((info["action_mask"].tolist(), info["jobs"], info["time"]), ([0, 1, 0, 1], [2, 3], 2.0))
        observation, _, _, _, info = env.step(0)  # job 2 does not fit: waiting, until job 1 has ended
        self.assertEqual((info.get("invalid"), info["time"]), (True, 9.0))
        for wrong, kind in ((7, ValueError), (-1, ValueError), (0.5, TypeError), ("0", TypeError)):
            with self.assertRaisesRegex(kind, "expected"):
                env.step(wrong)
        env.step(0)
        _, _, terminated, _, info = env.step(0)
        self.assertTrue(terminated)
        self.assertEqual(list(info["result"]["starting_time"]), [0, 9, 9])

    def test_only_the_window_truncates(self):
        env = gym.Environment(64, workload=MODEL, window=40000.0, reward="waiting")
        rewards, info = play(env, in_order, 1)
        self.assertEqual((info["terminated"], info["truncated"]), (False, True))
        self.assertGreaterEqual(info["time"], 40000)
        whole, end = play(gym.Environment(64, workload=MODEL, reward="waiting"), in_order, 1)
        self.assertEqual((end["terminated"], end["truncated"]), (True, False))
        self.assertEqual(rewards[:-1], whole[:len(rewards) - 1])
        starts, waited = info["result"]["starting_time"], info["result"]["waiting_time"]
        self.assertEqual(len(starts), 200)  # EASY has made an end of it
        self.assertIn("job 150", info["result"].explain(150))

    def test_what_is_wrong(self):
        for keys in ({"backfill": "none"}, {"visible": 0}, {"window": 0}, {"reward": 3}, {"reward": "-"},
                     {"scenario": "s.toml"}):
            with self.assertRaisesRegex((ValueError, TypeError), "expected|itself"):
                gym.Environment(64, workload=MODEL, **keys)
        with self.assertRaisesRegex(cs.InputError, "policy.nme|nme"):
            gym.Environment(64, workload={"nme": 3}).reset()
        env = gym.Environment(64, workload=MODEL, reward="-no.such")
        with self.assertRaisesRegex(cs.InputError, "no figure 'no.such'"):
            play(env, in_order)
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            play(gym.Environment(64, workload=MODEL, reward=lambda step: 1 / 0), in_order)

    @unittest.skipUnless(gymnasium, "gymnasium is not here")
    def test_the_checks_of_gymnasium(self):
        from gymnasium.utils.env_checker import check_env

        self.assertTrue(issubclass(gym.Environment, gymnasium.Env))
        for backfill in ("agent", "easy"):
            check_env(gym.Environment(64, workload=MODEL, backfill=backfill), skip_render_check=True)
        env = gymnasium.make("coslice/Scheduling-v0", machine=64, workload=MODEL)
        play(env, in_order, 1)
        env.close()


@unittest.skipUnless(np, "numpy is not here")
class SameSimulation(unittest.TestCase):
    def test_rules_as_actions(self):
        for seed in (1, 2):
            env = gym.Environment(64, workload=MODEL)
            result = play(env, in_order, seed)[1]["result"]
            self.assertEqual(result.text("jobs.csv"), env.baseline("fcfs").text("jobs.csv"))
            env = gym.Environment(64, workload=MODEL, backfill="easy")
            result = play(env, lambda observation: 0, seed)[1]["result"]
            self.assertEqual(result.text("jobs.csv"), env.baseline("easy").text("jobs.csv"))
            again = cs.run(64, policy="easy", seed=seed, workload=MODEL)
            self.assertEqual(result.text("jobs.csv"), again.text("jobs.csv"))

    def test_the_next_job_of_easy(self):
        """The shortest job is next, and others pass it by EASY's rule: as a class that says both in full."""

        class Shortest:
            def schedule(self, view):
                while view.waiting():
                    head = min(view.waiting(), key=lambda job: job.estimate)
                    if view.fits(head):
                        view.start(head)
                        continue
                    shadow, extra = view.shadow(head)
                    for job in view.fitting():
                        in_time = view.ends_by(job, shadow)
                        if view.fits(job) and (in_time or job.nodes <= extra):
                            view.start(job)
                            extra -= 0 if in_time else job.nodes
                    return

        def shortest(observation):
            rows = observation["queue"]
            return int(np.argmin(np.where(rows[:, 0] > 0, rows[:, 2], np.inf)))

        jobs = [{"submit": 3 * i, "nodes": 1 + 7 * i % 13, "runtime": 20 + 37 * i % 101} for i in range(60)]
        env = gym.Environment(16, jobs, visible=60, backfill="easy")
        result = play(env, shortest, 1)[1]["result"]
        self.assertEqual(result.text("jobs.csv"), env.baseline(Shortest).text("jobs.csv"))

    def test_rewards_are_figures(self):
        rewards, info = play(gym.Environment(64, workload=MODEL, reward="waiting"), in_order, 3)
        result = info["result"]
        self.assertAlmostEqual(-sum(rewards), sum(result["waiting_time"]), places=3)
        self.assertEqual(info["time"], max(result["finish_time"]))
        rewards, info = play(gym.Environment(64, workload=MODEL, reward="utilization"), in_order, 3)
        self.assertEqual(sum(rewards), result.figure("utilization"))
        steps = []

        def reward(step):
            steps.append(step)
            return -sum(job.estimate for job in step.ended)

        play(gym.Environment(64, workload=MODEL, reward=reward), in_order, 3)
        self.assertEqual([sum(len(step.started) for step in steps), sum(len(step.ended) for step in steps)], [200, 200])
        elapsed = sum(step.elapsed for step in steps)
        self.assertAlmostEqual(elapsed, info["time"] - min(result["starting_time"]), places=6)
        self.assertIsNotNone(steps[-1].result)

    def test_explanations_repeat_the_answers(self):
        result = play(gym.Environment(64, workload=MODEL), lowest, 3)[1]["result"]
        self.assertIn("job 100", result.explain(100))
        self.assertIn("<svg", result.gantt())

    def test_scenarios_and_options(self):
        scenario = ROOT / "scenarios" / "quickstart.toml"
        env = gym.Environment(scenario=scenario, policy={"name": "fcfs"})
        self.assertEqual(play(env, in_order, 1)[1]["result"].text("jobs.csv"), env.baseline("fcfs").text("jobs.csv"))
        env = gym.Environment(64, ROOT / "scenarios" / "traces" / "campus.swf")
        env.reset(options={"workload": {"first": 12}})
        self.assertEqual(len(env.baseline("easy")["job_id"]), 12)


@unittest.skipUnless(np, "numpy is not here")
class Lives(unittest.TestCase):
    def test_episodes_that_are_given_up(self):
        before = threading.active_count()

        def some(count):
            env = gym.Environment(64, workload=MODEL)
            for i in range(count):
                observation, _ = env.reset(seed=1)
                for _ in range(i % 5):
                    observation = env.step(in_order(observation))[0]
                self.assertEqual(threading.active_count(), before + 1)
                if i % 7 == 0:
                    env.close()
                    self.assertEqual(threading.active_count(), before)
                if i % 5 == 0:
                    env = gym.Environment(64, workload=MODEL)  # the other one is forgotten
                    gc.collect()
                    self.assertEqual(threading.active_count(), before)
            del env
            gc.collect()
            self.assertEqual(threading.active_count(), before)
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        times = int(os.environ.get("COSLICE_TIMES", "1"))
        some(60)
        size = some(60)
        self.assertLess(some(150 * times) - size, 2048)  # KB

    def test_many_at_once(self):
        expected = play(gym.Environment(64, workload=MODEL), in_order, 4)[1]["result"].text("jobs.csv")
        envs = [gym.Environment(64, workload=MODEL) for _ in range(8)]
        observations = [env.reset(seed=4)[0] for env in envs]
        infos = [{} for _ in envs]
        while any("result" not in info for info in infos):
            for i, env in enumerate(envs):
                if "result" not in infos[i]:
                    observations[i], _, _, _, infos[i] = env.step(in_order(observations[i]))
        self.assertEqual({info["result"].text("jobs.csv") for info in infos}, {expected})

    def test_the_interpreter_ends_in_an_episode(self):
        program = """
import os, signal, threading
from coslice import gym
env = gym.Environment(64, workload={"generator": "lublin", "lublin": {"jobs": 50000, "load": 0.9}}, window=1.0)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        env.reset(seed=1)
        ended = False
        while not ended:  # after the window the engine goes on for long
            ended = any(env.step(0)[2:4])
except KeyboardInterrupt:
    print("interrupted", threading.active_count())
env.reset(seed=1)
"""
        done = run_program(program)
        self.assertEqual((done.stdout, done.returncode), ("interrupted 1\n", 0), done.stderr)


@unittest.skipUnless(np, "numpy is not here")
class Example(unittest.TestCase):
    def test_it_learns(self):
        program = ROOT / "examples" / "python" / "learn.py"
        done = subprocess.run([sys.executable, str(program), "--generations", "3", "--test", "3"], capture_output=True,
                              text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = dict(line.rsplit(None, 1) for line in done.stdout.splitlines()[-4:])
        values = {name.split()[0]: float(value) for name, value in rows.items()}
        self.assertEqual(list(values), ["fcfs", "easy", "sjf", "learned"])
        self.assertLess(values["learned"], values["fcfs"])


if __name__ == "__main__":
    unittest.main()
