"""What ``coslice.gym`` needs of Gymnasium: the library where it is installed, else a stand-in of the same rules."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from gymnasium import Env
    from gymnasium.spaces import Box, Dict, Discrete
except ImportError:

    class _Space:
        """A set of values, from which ``sample`` draws; ``seed`` makes draws repeatable."""

        shape: Any = None
        dtype: Any = None

        def seed(self, seed: Any = None) -> Any:
            self._random = np.random.default_rng(seed)
            return seed

        @property
        def np_random(self) -> Any:
            if not hasattr(self, "_random"):
                self.seed()
            return self._random

        def __contains__(self, x: Any) -> bool:
            return self.contains(x)

        def __eq__(self, other: Any) -> bool:
            return type(self) is type(other) and repr(self) == repr(other)

    class Box(_Space):  # type: ignore[no-redef]
        """Arrays of one shape and type with values from ``low`` to ``high``."""

        def __init__(self, low: Any, high: Any, shape: Any, dtype: Any = np.float32) -> None:
            self.shape, self.dtype = tuple(shape), np.dtype(dtype)
            self.low, self.high = np.full(self.shape, low, dtype), np.full(self.shape, high, dtype)

        def contains(self, x: Any) -> bool:
            return (isinstance(x, np.ndarray) and x.shape == self.shape and np.can_cast(x.dtype, self.dtype)
                    and bool(np.all(x >= self.low) and np.all(x <= self.high)))

        def sample(self, mask: None = None) -> Any:
            if self.dtype.kind == "f":
                return self.np_random.uniform(self.low, self.high).astype(self.dtype)
            return self.np_random.integers(self.low, self.high, endpoint=True).astype(self.dtype)

        def __repr__(self) -> str:
            return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"

    class Discrete(_Space):  # type: ignore[no-redef]
        """The whole numbers from 0 to below ``n``."""

        shape, dtype = (), np.dtype(np.int64)

        def __init__(self, n: int) -> None:
            self.n = n

        def contains(self, x: Any) -> bool:
            return isinstance(x, (int, np.integer)) and 0 <= x < self.n

        def sample(self, mask: Any = None) -> Any:
            allowed = np.arange(self.n) if mask is None else np.flatnonzero(mask)
            return np.int64(self.np_random.choice(allowed) if len(allowed) else 0)

        def __repr__(self) -> str:
            return f"Discrete({self.n})"

    class Dict(_Space):  # type: ignore[no-redef]
        """Dicts with a value of each of these spaces."""

        def __init__(self, spaces: Any) -> None:
            self.spaces = dict(spaces)

        def __getitem__(self, name: str) -> Any:
            return self.spaces[name]

        def seed(self, seed: Any = None) -> Any:
            for space in self.spaces.values():
                space.seed(seed)
            return seed

        def contains(self, x: Any) -> bool:
            return (isinstance(x, dict) and x.keys() == self.spaces.keys()
                    and all(x[name] in space for name, space in self.spaces.items()))

        def sample(self, mask: Any = None) -> Any:
            return {name: space.sample() for name, space in self.spaces.items()}

        def __repr__(self) -> str:
            return f"Dict({self.spaces})"

    class Env:  # type: ignore[no-redef]
        """An environment: ``reset`` begins an episode, ``step`` makes a decision."""

        metadata: Any = {"render_modes": []}
        render_mode: Any = None
        spec: Any = None
        _np_random: Any = None

        @property
        def unwrapped(self) -> Any:
            return self

        @property
        def np_random(self) -> Any:
            if self._np_random is None:
                self._np_random = np.random.Generator(np.random.PCG64())
            return self._np_random

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            if seed is not None:
                self._np_random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))

        def close(self) -> None:
            pass

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: Any) -> None:
            self.close()


__all__ = ["Box", "Dict", "Discrete", "Env"]
