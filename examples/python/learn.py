#!/usr/bin/env python3
"""A scheduler that learns, with numpy alone: a linear score of each waiting job, trained by the cross-entropy method.

In each generation a few dozen vectors of weights play the same episodes; the best of them say where the next ones are
drawn. The score is trained on some workloads of the model of Lublin and Feitelson and tested on others, beside FCFS,
EASY and EASY with the shortest jobs first. docs/learning.md says what comes out.
"""

import argparse

import numpy as np

from coslice import gym

JOBS = 250
WORKLOAD = {"generator": "lublin", "lublin": {"jobs": JOBS, "load": 0.9}}


def features(rows):
    """What a job's score is made of: its size, its time, what it has waited, its work, and the last two by its size."""
    nodes, estimate, waited = rows[:, 1], rows[:, 2], rows[:, 3]
    return np.stack([nodes, estimate, waited, nodes * estimate, waited - estimate], axis=1)


def choose(weights, observation):
    """Starts the job of the highest score, or waits where no score is above the last weight."""
    mask = observation["action_mask"]
    rows = observation["queue"]
    scores = np.append(features(rows) @ weights[:-1], weights[-1])
    return int(np.argmax(np.where(mask == 1, scores, -np.inf)))


def play(env, weights, seed):
    """Returns the mean bounded slowdown of an episode."""
    observation, _ = env.reset(seed=seed)
    while True:
        observation, reward, terminated, truncated, _ = env.step(choose(weights, observation))
        if terminated or truncated:
            return -reward


def train(env, generations, seeds, candidates=24, best=6):
    """Returns the weights: the mean of the best of the last generation."""
    draw = np.random.default_rng(1)
    mean, spread = np.append(np.zeros(5), -1.0), np.full(6, 1.0)
    for generation in range(generations):
        tried = mean + spread * draw.standard_normal((candidates, len(mean)))
        tried[0] = mean
        values = [np.mean([np.log(play(env, weights, seed)) for seed in seeds]) for weights in tried]
        chosen = tried[np.argsort(values, kind="stable")[:best]]
        mean, spread = chosen.mean(axis=0), chosen.std(axis=0) + 0.05
        print(f"generation {generation + 1}: bounded slowdown {np.exp(min(values)):.2f} at best", flush=True)
    return mean


def main():
    arguments = argparse.ArgumentParser(description="Trains a small scheduler, and compares it with others.")
    arguments.add_argument("--generations", type=int, default=12)
    arguments.add_argument("--test", type=int, default=10, help="workloads that it is tested on")
    given = arguments.parse_args()
    env = gym.Environment(64, workload=WORKLOAD, visible=16)
    weights = train(env, given.generations, seeds=(1, 2))
    found = {"fcfs": [], "easy": [], "sjf": [], "learned": []}
    for seed in range(101, 101 + given.test):
        found["learned"].append(play(env, weights, seed))
        for policy in ("fcfs", "easy", "sjf"):
            found[policy].append(env.baseline(policy).figure("all.bounded_slowdown.mean"))
    print("weights: " + ", ".join(f"{weight:.2f}" for weight in weights))
    print(f"mean bounded slowdown of {given.test} other workloads:")
    for name, values in found.items():
        print(f"{name:8} {np.mean(values):8.2f}")


if __name__ == "__main__":
    main()
