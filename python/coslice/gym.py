"""Schedulers that learn: a machine and its queue as an environment with the rules of Gymnasium.

    import coslice.gym
    env = coslice.gym.Environment(64, workload={"generator": "lublin", "lublin": {"jobs": 300}})
    observation, info = env.reset(seed=1)
    ended = False
    while not ended:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
    info["result"].figure("all.wait.mean")

It needs numpy. Where the library gymnasium is installed, the environment is one of its own, else of a stand-in.
docs/learning.md is the page.
"""

from __future__ import annotations

import math
import queue
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping

try:
    import numpy as np
except ImportError:
    raise ImportError("coslice.gym needs numpy (Debian: python3-numpy)") from None

from ._library import Job, short
from ._policies import View
from ._results import Result
from ._scenario import Prepared, Scenario, _scenario_of, load
from ._spaces import Box, Dict, Discrete, Env

FEATURES = ("present", "nodes", "estimate", "waited", "fits")
"""What a row of ``observation["queue"]`` says of a waiting job, from 0 to 1."""

HORIZONS = (0.0, 60.0, 300.0, 900.0, 3600.0, 14400.0, 43200.0, 86400.0)
"""Seconds from now on for which ``observation["free"]`` says the free nodes, if running jobs end as believed."""

_LONGEST = math.log1p(30 * 86400.0)


def scaled(seconds: float) -> float:
    """Returns a span of time as observations have it: logarithmic, 0 of 0 s, 1 of 30 days and of all that is longer."""
    return min(1.0, math.log1p(max(seconds, 0.0)) / _LONGEST)


@dataclass
class Step:
    """What has happened between two decisions, for a reward of one's own.

    ``time``: of the second one, s; ``elapsed``: seconds between them; ``waited``: what all jobs waited meanwhile,
    summed, s; ``started``, ``ended``: jobs, in their order (``job.start`` says when); ``result``: the Result, after the
    last decision; else None.
    """

    time: float = 0.0
    elapsed: float = 0.0
    waited: float = 0.0
    started: list[Job] = field(default_factory=list)
    ended: list[Job] = field(default_factory=list)
    result: Result | None = None


Reward = Callable[[Step], float]


class _Aborted(BaseException):
    """The episode was given up while its simulation was in the middle."""


@dataclass
class _Question:
    """What the simulation waits for: a decision between these jobs."""

    observation: dict[str, Any]
    jobs: list[int]
    step: Step


class _Agent:
    """The policy of an episode: asks whoever steps the environment. Once it is over, it repeats what was answered."""

    name = "agent"

    def __init__(self, visible: int, backfill: str, window: float | None) -> None:
        self.visible, self.backfill, self.window = visible, backfill, window
        self.answers: list[int] = []
        self.aborted = False
        self.asked: Any = queue.SimpleQueue()     # to who steps: a question, a result, or an exception
        self.answered: Any = queue.SimpleQueue()  # to the simulation: an action; None: the episode is given up

    def begin(self, view: View) -> None:
        self.replay: Iterator[int] | None = iter(self.answers) if self.asked is None else None
        self.last: _Question | None = None  # what was seen when the window ended
        self.step = Step()
        self.first: float | None = None
        self.passed = self.latest = 0.0  # the last pass, and the last end, s
        self.waiting = 0                 # jobs, since that pass

    def started(self, view: View, job: Job) -> None:
        self.step.started.append(job)

    def ended(self, view: View, job: Job) -> None:
        self.step.ended.append(job)
        self.latest = view.now

    def schedule(self, view: View) -> None:
        now = view.now
        if self.first is None:
            self.first = self.passed = now
            self.step.time = now
        if self.last is None:
            self.step.waited += self.waiting * (now - self.passed)
            self.passed = now
            if self.window is not None and now >= self.first + self.window:
                self.last = self._question(view, view.waiting()[:self.visible])
        if self.last is not None:
            view.easy()
            return
        self._decide(view)
        self.waiting = short.coslice_view_waiting(view._view, None)

    def _decide(self, view: View) -> None:
        easy = self.backfill == "easy"
        while True:
            waiting = view.waiting()
            shown = waiting[:self.visible]
            fitting = view.fitting()
            fits = {job.job for job in fitting}
            if not shown or not (fitting if easy else any(job.job in fits for job in shown)):
                return
            action = self._ask(view, shown, fits)
            if not easy and action == self.visible:
                return
            job = shown[action]
            if job.job in fits:
                view.start(job)
                continue
            first = job is waiting[0]  # the queue is in order of submission between passes
            if not first:
                view.rekey([-1.0 if j is job else 0.0 for j in waiting])
            view.easy()
            if not first:
                view.rekey([0.0] * short.coslice_view_waiting(view._view, None))
            return

    def _ask(self, view: View, shown: list[Job], fits: set[int]) -> int:
        if self.replay is not None:
            return next(self.replay)
        if self.aborted:
            raise _Aborted
        self.asked.put(self._question(view, shown, fits))
        action = self.answered.get()
        if action is None:
            raise _Aborted
        self.answers.append(action)
        return action

    def _question(self, view: View, shown: list[Job], fits: set[int] | None = None) -> _Question:
        now, free, capacity = view.now, view.free, max(view.capacity, 1)
        if fits is None:
            fits = {job.job for job in view.fitting()}
        running = view.running()
        seen = empty_observation(self.visible, self.backfill)
        rows, mask = seen["queue"], seen["action_mask"]
        for i, job in enumerate(shown):
            fit = job.job in fits
            rows[i] = (1.0, min(1.0, job.nodes / capacity), scaled(job.estimate), scaled(now - job.submit), fit)
            mask[i] = fit or self.backfill == "easy"
        if self.backfill != "easy":
            mask[self.visible] = bool(running)  # with nothing to wait for, a run would never end
        if running:
            ends = np.array([job.start + job.estimate - now for job in running])
            nodes = np.array([job.nodes for job in running], dtype=np.float64)
            seen["free"][:] = [min(1.0, (free + nodes[ends <= h].sum() * (h > 0)) / capacity) for h in HORIZONS]
        else:
            seen["free"][:] = free / capacity
        seen["waiting"][0] = short.coslice_view_waiting(view._view, None)
        step, self.step = self.step, Step(time=now)
        step.elapsed, step.time = now - step.time, now
        return _Question(seen, [job.id for job in shown], step)

    def over(self) -> None:
        """The run has ended: explanations and pictures make it again, with the same answers."""
        self.asked = self.answered = None


def empty_observation(visible: int, backfill: str) -> dict[str, Any]:
    """Returns the observation of an idle machine without a waiting job."""
    return {
        "queue": np.zeros((visible, len(FEATURES)), np.float32),
        "free": np.ones(len(HORIZONS), np.float32),
        "waiting": np.zeros(1, np.float32),
        "action_mask": np.zeros(visible + (backfill != "easy"), np.int8),
    }


class _Episode:
    """A simulation in a thread of its own, which rests while a decision is awaited."""

    def __init__(self, prepared: Prepared, agent: _Agent) -> None:
        self.agent, self.over = agent, False
        self.thread = threading.Thread(target=_simulate, args=(prepared, agent, agent.asked), daemon=True,
                                       name="coslice episode")
        self.thread.start()

    def next(self) -> Any:
        """Returns the next question, or the result. What is raised meanwhile, also Ctrl-C, ends the episode."""
        try:
            told = self.agent.asked.get()
        except BaseException:
            self.abort()
            raise
        if not isinstance(told, _Question):
            self.over = True
            self.thread.join()
        if isinstance(told, BaseException):
            raise told
        if isinstance(told, Result):
            self.agent.over()
        return told

    def answer(self, action: int) -> Any:
        self.agent.answered.put(action)
        return self.next()

    def abort(self) -> None:
        """Ends the simulation where it is, and its thread."""
        if self.over:
            return
        self.over = self.agent.aborted = True
        self.agent.answered.put(None)
        if threading.current_thread() is not self.thread:
            self.thread.join()


def _simulate(prepared: Prepared, agent: _Agent, asked: Any) -> None:
    def going_on(_done: int, _jobs: int) -> None:
        if agent.aborted:
            raise _Aborted

    try:
        told: Any = prepared.run(0, going_on)
    except BaseException as e:  # noqa: B036  whoever steps gets it
        told = e
    asked.put(told)


class Environment(Env):  # type: ignore[misc]
    """Scheduling as decisions one by one. An episode is one run of the scenario, up to the end of its last job.

    ``machine``, ``jobs`` and further keys are those of ``coslice.run``; or ``scenario``, the path of one. The agent
    sees the first ``visible`` waiting jobs in order of submission, and is asked in each scheduling pass in which it can
    do something:

    - ``backfill="agent"``: action i starts the i-th of them, which must fit; the last action, ``visible``, waits for
      what happens next. Waiting is forbidden where no job runs.
    - ``backfill="easy"``: action i says which job is next. If it fits it starts, and the agent is asked again; if not,
      others pass it by EASY's rule, and the pass is over. Action 0 throughout is EASY.

    ``info["action_mask"]``, also in the observation and from ``action_masks()``, has 1 for each action that is allowed.
    Another one counts as waiting, else as the first that is allowed; then ``info["invalid"]`` is True.

    Observations are a dict of float32: ``queue``, a row of FEATURES for each visible job; ``free``, the fraction of the
    nodes that is free now and at each of HORIZONS; ``waiting``, how many jobs wait; and ``action_mask`` (int8).

    ``reward``: a figure by its path in the summary, with a minus where less is better: "-all.wait.mean", which comes
    with the last step; "waiting": minus the seconds that jobs have waited since the last decision, summed; or a
    function of a Step.

    ``window``: seconds after the first pass at which the episode is truncated; EASY ends the run, so that there are
    figures. ``terminated`` says that all jobs have ended. Then ``info["result"]`` is the Result.

    The seed of ``reset`` is that of the scenario: the same seed and the same actions give the same bytes, and
    ``baseline("easy")`` what another policy makes of the same jobs. Without a seed each episode draws one.
    """

    metadata = {"render_modes": []}

    def __init__(self, machine: Any = None, jobs: Any = None, *, scenario: Any = None, visible: int = 16,
                 backfill: str = "agent", reward: str | Reward = "-all.bounded_slowdown.mean",
                 window: float | None = None, **keys: Any) -> None:
        if backfill not in ("agent", "easy"):
            raise ValueError(f"backfill is {backfill!r}; expected 'agent' or 'easy'")
        if int(visible) < 1:
            raise ValueError(f"visible is {visible!r}; expected a number of jobs from 1 on")
        if window is not None and not window > 0:
            raise ValueError(f"window is {window!r}; expected seconds above 0")
        if not callable(reward) and not (isinstance(reward, str) and reward.strip("-+")):
            raise TypeError(f"reward is {reward!r}; expected \"waiting\", a figure such as \"-all.wait.mean\", or a "
                            "function of a Step")
        if scenario is not None and (machine is not None or jobs is not None):
            raise TypeError("a scenario says machine and jobs itself; set its keys: machine={\"nodes\": 64}")
        self._given = machine, jobs, scenario, keys
        self._visible, self._backfill, self._reward, self._window = int(visible), backfill, reward, window
        actions = self._visible + (backfill != "easy")
        self.action_space = Discrete(actions)
        self.observation_space = Dict({
            "queue": Box(0.0, 1.0, (self._visible, len(FEATURES)), np.float32),
            "free": Box(0.0, 1.0, (len(HORIZONS),), np.float32),
            "waiting": Box(0.0, np.inf, (1,), np.float32),
            "action_mask": Box(0, 1, (actions,), np.int8),
        })
        self.render_mode = None
        self._episode: _Episode | None = None
        self._end: Any = None
        self._question: _Question | None = None
        self._seed = 1
        self._options: dict[str, Any] = {}
        self._seeded = False

    # --- the rules of Gymnasium

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; ``options`` are keys of the scenario for it: ``{"workload": {"window": [0, 86400]}}``."""
        if seed is None and not self._seeded:
            seed = 1
        super().reset(seed=seed)
        self._seeded = True
        self._seed = int(self.np_random.integers(2**31)) if seed is None else int(seed)
        self._options = dict(options or {})
        self.close()
        agent = _Agent(self._visible, self._backfill, self._window)
        scenario = self._scenario()
        scenario.set_policies([agent])
        self._episode = _Episode(scenario.prepare(), agent)
        self._end = weakref.finalize(self, self._episode.abort)
        told = self._episode.next()
        if isinstance(told, Result):
            self.close()
            raise ValueError("no job can be started in this scenario: there is nothing to decide")
        self._question = told
        return told.observation, self._info(told)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Decides; returns the next observation, the reward, whether all jobs have ended, whether the window has, and
        more: ``action_mask``, ``time`` (s), ``jobs`` (the numbers of those in the queue's rows), at last ``result``."""
        if self._episode is None or self._question is None:
            raise RuntimeError("there is no episode to go on with; expected reset() first")
        taken, invalid = self._allowed(action)
        self._question = None
        told = self._episode.answer(taken)
        if isinstance(told, _Question):
            self._question = told
            info = self._info(told)
            reward = self._reward_of(told.step)
            terminated = truncated = False
            observation = told.observation
        else:
            observation, reward, terminated, truncated, info = self._ended(told)
        if invalid:
            info["invalid"] = True
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """Ends the episode and its thread."""
        self._question = None
        if self._end is not None:
            self._end()
        self._episode = self._end = None

    def render(self) -> None:
        """There is nothing to render while jobs run: ``info["result"].gantt()`` draws a run that has ended."""

    # --- beside them

    def action_masks(self) -> Any:
        """Returns which actions are allowed, as an array of bool."""
        if self._question is None:
            return np.zeros(int(self.action_space.n), dtype=bool)
        return self._question.observation["action_mask"].astype(bool)

    def baseline(self, policy: Any = "easy") -> Result:
        """Runs the jobs of the episode under another policy (see ``coslice.run``), for comparison."""
        result: Result = self._scenario().run(policy, progress=False)
        return result

    # --- how

    def _scenario(self) -> Scenario:
        machine, jobs, path, keys = self._given
        scenario = _scenario_of(machine, jobs, keys) if path is None else load(path, **keys)
        for key, value in self._options.items():
            scenario.set(key, value)
        return scenario.set("seed", self._seed)

    def _allowed(self, action: Any) -> tuple[int, bool]:
        if not (isinstance(action, (int, np.integer)) or (isinstance(action, np.ndarray) and action.size == 1
                                                          and action.dtype.kind in "iu")):
            raise TypeError(f"the action is {action!r}; expected a whole number below {self.action_space.n}")
        number = int(action.item() if isinstance(action, np.ndarray) else action)
        assert self._question is not None
        mask = self._question.observation["action_mask"]
        if not 0 <= number < len(mask):
            raise ValueError(f"the action is {number}; expected one below {self.action_space.n}")
        if mask[number]:
            return number, False
        if self._backfill != "easy" and mask[self._visible]:
            return self._visible, True
        return int(np.flatnonzero(mask)[0]), True

    def _info(self, question: _Question) -> dict[str, Any]:
        mask = question.observation["action_mask"]
        return {"action_mask": mask, "time": question.step.time, "jobs": question.jobs, "seed": self._seed}

    def _reward_of(self, step: Step) -> float:
        if callable(self._reward):
            return float(self._reward(step))
        if self._reward == "waiting":
            return -step.waited
        if step.result is None:
            return 0.0
        value = step.result.figure(self._reward.lstrip("-+"))
        return -value if self._reward.startswith("-") else value

    def _ended(self, result: Result) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self._episode is not None
        agent = self._episode.agent
        truncated = agent.last is not None
        if agent.last is not None:
            observation, step, jobs = agent.last.observation, agent.last.step, agent.last.jobs
            observation["action_mask"][:] = 0
        else:
            observation, step, jobs = empty_observation(self._visible, self._backfill), agent.step, []
            step.elapsed, step.time = agent.latest - step.time, agent.latest
        step.result = result
        info = {"action_mask": observation["action_mask"], "time": step.time, "jobs": jobs, "seed": self._seed,
                "result": result}
        return observation, self._reward_of(step), not truncated, truncated, info


def _register() -> None:
    try:
        import gymnasium
    except ImportError:
        return
    gymnasium.register("coslice/Scheduling-v0", entry_point="coslice.gym:Environment")


_register()

__all__ = ["Box", "Dict", "Discrete", "Environment", "FEATURES", "HORIZONS", "Step", "scaled"]
