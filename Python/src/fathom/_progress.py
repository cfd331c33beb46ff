"""Progress of a long call on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

#: Called with the share of the work that is done, from 0 to 1; True for a bar of tqdm or a line.
Progress = Callable[[float], Any] | bool


class Bar:
    """Shows progress with tqdm, or as a line if that is not installed."""

    def __init__(self, name: str):
        self._name = name
        self._percent = -1
        self._bar: Any = None
        try:
            from tqdm import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=100, desc=name, bar_format="{l_bar}{bar}| {elapsed}<{remaining}", file=sys.stderr)

    def __call__(self, done: float) -> None:
        percent = int(100 * done)
        if percent <= self._percent:
            return
        if self._bar is not None:
            self._bar.update(percent - max(self._percent, 0))
        else:
            print(f"\r{self._name}: {percent} %", end="", file=sys.stderr, flush=True)
        self._percent = percent

    def close(self) -> None:
        """Ends the bar or the line."""
        if self._bar is not None:
            self._bar.close()
        elif self._percent >= 0:
            print(file=sys.stderr, flush=True)
