"""Errors and warnings, and their texts."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence


class FathomError(Exception):
    """An error of Fathom, with the message and the status of the command-line tool."""

    def __init__(self, message: str, status: int = 70):
        super().__init__(message)
        self.status = status


class UsageError(FathomError, ValueError):
    """An argument is invalid."""

    def __init__(self, message: str, status: int = 64):
        super().__init__(message, status)


class DataError(FathomError, ValueError):
    """The data or a setting cannot be used."""

    def __init__(self, message: str, status: int = 65):
        super().__init__(message, status)


class InputError(FathomError, FileNotFoundError):
    """A file cannot be read."""

    def __init__(self, message: str, status: int = 66):
        super().__init__(message, status)


class FathomWarning(UserWarning):
    """A problem of the input or of the results that the user should look into."""


def error(status: int, message: str) -> FathomError:
    """Returns the error of a status of the library."""
    kinds: dict[int, type[FathomError]] = {64: UsageError, 65: DataError, 66: InputError}
    return kinds.get(status, FathomError)(message, status)


def listed(names: Sequence[str]) -> str:
    """Returns names for a message: the first six."""
    return ", ".join([*names[:6], *(["..."] if len(names) > 6 else [])])


def warn(name: str, problems: Iterable[str]) -> None:
    """Issues one warning for all problems of a call, which points at the caller of the package."""
    lines = list(dict.fromkeys(problems))
    if not lines:
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "fathom":
        level, frame = level + 1, frame.f_back
    separator = " " if len(lines) == 1 else "\n- "
    warnings.warn(separator.join([f"{name}:", *lines]), FathomWarning, stacklevel=level)


_OPTION = re.compile(r"--([a-z][a-z-]*)(?: (FILE|above|below|fix|filter|smooth|geodetic|\d+)\b)?")
_KEPT = re.compile(r"--keep (.+?)(?= uses them|:)")
_FILE = re.compile(r", or \w+ in recording\.json")
_RENAMED = {"with": "extra_columns", "decimal": "decimal_separator"}


def in_python(message: str) -> str:
    """Returns a message of the tool with parameters in place of its options."""

    def parameter(found: re.Match[str]) -> str:
        option, value = found.groups()
        name = _RENAMED.get(option, option.replace("-", "_"))
        if value is None or value == "FILE":
            return name
        return f"{name}={value}" if value.isdigit() else f'{name}="{value}"'

    message = _FILE.sub("", message)
    return _OPTION.sub(parameter, _KEPT.sub(lambda found: f"keep=[{found[1]!r}]", message))
