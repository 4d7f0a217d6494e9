"""Names and arguments that docs/promise.md promises: what promise.json has is still there, and means what it meant.

A name or an argument that is new is added by ``python3 test_promise.py --write``; what is gone or has moved is a break.
"""

import ctypes
import inspect
import json
import sys
import unittest
from pathlib import Path

import coslice

try:
    from coslice import gym
except ImportError:  # without numpy
    gym = None

FILE = Path(__file__).with_name("promise.json")


def arguments_of(function):
    """Returns each argument as "kind name=default"."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = {inspect.Parameter.KEYWORD_ONLY: "key ", inspect.Parameter.VAR_KEYWORD: "**",
             inspect.Parameter.VAR_POSITIONAL: "*"}
    return [kinds.get(p.kind, "") + p.name + ("" if p.default is p.empty else f"={p.default!r}") for p in parameters]


def names_of(module, prefix=""):
    """Returns all public functions, classes, methods and properties of a module, with their arguments."""
    found = {}
    for name in module.__all__:
        value = getattr(module, name)
        home = getattr(value, "__module__", "coslice")
        ours = home.startswith("coslice") and "_spaces" not in home
        plain = callable(value) and ours and not (inspect.isclass(value) and issubclass(value, ctypes.Structure))
        found[prefix + name] = arguments_of(value) if plain else None
        if not inspect.isclass(value) or not ours:
            continue
        for member in dir(value):
            defined = inspect.getattr_static(value, member)
            if member.startswith("_") or getattr(object, member, None) is not None:
                continue
            if any(member in vars(c) for c in value.__mro__
                   if c.__module__.startswith("coslice") and "_spaces" not in c.__module__):
                found[f"{prefix}{name}.{member}"] = arguments_of(defined) if inspect.isfunction(defined) else None
    return found


def promised():
    found = names_of(coslice)
    if gym is not None:
        found |= names_of(gym, "gym.")
    return found


def broken(before, now):
    """Returns what is wrong with the arguments of a function, or None."""
    if before is None or now is None:
        return None if before == now else "is no function any more, or is one now"
    in_order = [a for a in before if not a.startswith(("key ", "*"))]
    if [a for a in now if not a.startswith(("key ", "*"))][:len(in_order)] != in_order:
        return f"has other arguments in order: {now}, before {before}"
    gone = [a for a in before if a not in now]
    if gone:
        return f"has no argument {gone[0]}"
    needed = [a for a in now if a not in before and "=" not in a and not a.startswith("*")]
    return f"needs an argument {needed[0]}" if needed else None


class Promise(unittest.TestCase):
    def test_what_was_there_is_there(self):
        now = promised()
        for name, before in json.loads(FILE.read_text()).items():
            if gym is None and name.startswith("gym."):
                continue
            with self.subTest(name=name):
                self.assertIn(name, now)
                self.assertIsNone(broken(before, now[name]), name)

    def test_what_is_new_is_written_down(self):
        new = promised().keys() - json.loads(FILE.read_text()).keys()
        self.assertEqual(new, set(), "python3 test_promise.py --write adds them")

    def test_breaks_are_seen(self):
        before = ["a", "b=1", "key c=2", "**keys"]
        self.assertIsNone(broken(before, ["a", "b=1", "d=3", "key c=2", "**keys"]))
        for now in (["b=1", "a", "key c=2", "**keys"], ["a", "b=2", "key c=2", "**keys"], ["a", "b=1", "**keys"],
                    ["a", "b=1", "d", "key c=2", "**keys"], ["a", "b=1", "key c=2"], None):
            self.assertIsNotNone(broken(before, now))


if __name__ == "__main__":
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(promised(), indent=1, sort_keys=True) + "\n")
    else:
        unittest.main()
