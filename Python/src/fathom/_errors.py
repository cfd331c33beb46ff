"""Errors and warnings, and their texts."""

from __future__ import annotations

import difflib
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


#: Words of the field for choices of Fathom.
_SYNONYMS = {
    "ekf": "filter", "ukf": "filter", "kalman": "filter", "rts": "smooth", "batch": "smooth", "trilateration": "fix",
    "multilateration": "fix", "least_squares": "fix",
}  # fmt: skip

#: Messages of the library with a word that is not one of the choices.
_CHOICES = (
    re.compile(r'must be (?P<choices>.+), not "(?P<word>.*)"$'),
    re.compile(r"is unknown: (?P<word>.*) \((?P<choices>.+)\)$"),
    re.compile(r'"(?P<word>.*)" is not one of (?P<choices>.+)$'),
    re.compile(r"^(?P<word>\w+): there is no such table beside ranges: it is one of (?P<choices>.+)$"),
)


def error(status: int, message: str) -> FathomError:
    """Returns the error of a status of the library in Python's words, with the choice that was probably meant."""
    kinds: dict[int, type[FathomError]] = {64: UsageError, 65: DataError, 66: InputError}
    message = in_python(message)
    for pattern in _CHOICES:
        if found := pattern.search(message):
            close = closest(found["word"], re.split(", | or ", found["choices"]))
            message += f'; did you mean "{close}"?' if close else ""
            break
    return kinds.get(status, FathomError)(message, status)


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """Returns the candidate that a word probably stands for; None without a close one."""
    known = {candidate.lower(): candidate for candidate in candidates}
    lower = word.lower()
    if _SYNONYMS.get(lower) in known:
        return _SYNONYMS[lower]
    near = difflib.get_close_matches(lower, known, 1)
    near += [candidate for candidate in known if lower and (candidate.startswith(lower) or lower.startswith(candidate))]
    return known[near[0]] if near else None


def with_candidates(problem: str, word: str, candidates: Iterable[str], kind: str) -> str:
    """Returns a message with the candidate that was probably meant, and all of their kind."""
    names = list(candidates)
    close = closest(word, names)
    listing = f"are {listed(names, 30)}" if names else "are none"
    return f'{problem}; did you mean "{close}"? The {kind} {listing}' if close else f"{problem}; the {kind} {listing}"


def missing_column(name: str, available: Iterable[str], is_range: bool = False) -> DataError:
    """Returns the error of a table without a column; tables of ranges can name their own."""
    names = list(available)
    close = closest(name, names)
    hint = f'; columns={{"{name}": "{close}"}} names it' if is_range and close else ""
    return DataError(with_candidates(f"the column {name} is missing", name, names, "columns") + hint)


def unknown_anchor(name: str, names: Iterable[str]) -> DataError:
    """Returns the error of an anchor that is not declared."""
    return DataError(with_candidates(f'there is no anchor "{name}"', str(name), names, "anchors"))


def check_settings(given: Iterable[str], function: str, names: Iterable[str], keys: Iterable[str] = ()) -> None:
    """Refuses settings that a function does not have; ``keys`` are other names of them."""
    known, others = list(names), set(keys)
    for name in given:
        if name not in known and name not in others:
            raise DataError(with_candidates(f'"{name}" is not a setting of {function}', name, known, "settings"))


def listed(names: Sequence[str], most: int = 6) -> str:
    """Returns the first names for a message."""
    return ", ".join([*names[:most], *(["..."] if len(names) > most else [])])


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


#: Options stand alone or in parentheses; names of files have hyphens too.
_OPTION = re.compile(r"(?<![^\s(])--([a-z][a-z-]*)(?: (FILE|above|below|fix|filter|smooth|geodetic|\d+)\b)?")
_KEPT = re.compile(r"--keep (.+?)(?= uses them|:)")
_UNIT = re.compile(r"--(decimal|(?:time|angle|distance)-unit) (,|\.|[mun]?s|ticks|deg|rad(?:90)?|[cm]?m)(?=[).,;]|\s|$)")
_NAMED = re.compile(r"--columns ('[^']+'|[^\s;]+=[^\s;]*)")
_FILE = re.compile(r", or \w+ in recording\.json")
#: Parameters that have another name than the option of the tool.
RENAMED = {"with": "extra_columns", "decimal": "decimal_separator"}


def in_python(message: str) -> str:
    """Returns a message of the tool with parameters in place of its options."""

    def parameter(found: re.Match[str]) -> str:
        option, value = found.groups()
        name = RENAMED.get(option, option.replace("-", "_"))
        if value is None or value == "FILE":
            return name
        return f"{name}={value}" if value.isdigit() else f'{name}="{value}"'

    def named(found: re.Match[str]) -> str:
        pairs = (pair.split("=", 1) for pair in found[1].strip("'").split(","))
        return "columns={" + ", ".join(": ".join(f'"{word}"' for word in pair) for pair in pairs) + "}"

    message = _NAMED.sub(named, _FILE.sub("", message))
    message = _UNIT.sub(lambda found: f'{RENAMED.get(found[1], found[1].replace("-", "_"))}="{found[2]}"', message)
    return _OPTION.sub(parameter, _KEPT.sub(lambda found: f"keep=[{found[1]!r}]", message))
