"""Values of the caller as arrays: numbers, names and times."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from fathom._errors import DataError

#: Stands for a missing time.
NO_TIME = np.iinfo("i8").min

#: The names of a column of times.
TIME_NAMES = ("time_ns", "time_s", "time", "timestamp")


def floats(values: Any, name: str) -> np.ndarray:
    """Returns values as contiguous doubles, without a copy where they are; missing and masked ones are NaN."""
    if _has_times(values):
        raise DataError(f"{name} is not numeric: it has dates or durations")
    try:
        if isinstance(values, np.ma.MaskedArray):
            return np.ascontiguousarray(np.ma.filled(values.astype("f8"), np.nan))
        if hasattr(values, "to_numpy") and not isinstance(values, np.ndarray):
            try:
                values = values.to_numpy(dtype="f8", na_value=np.nan)
            except TypeError:
                values = values.to_numpy()
        return np.ascontiguousarray(values, dtype="f8")
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} is not numeric: {error}") from None


def _has_times(values: Any) -> bool:
    """Whether values are dates or durations; those without a type, such as a list, count by their first value."""
    if hasattr(values, "dtype"):
        return getattr(values.dtype, "kind", None) in {"M", "m"}
    first = values[0] if isinstance(values, (list, tuple)) and values else None
    return isinstance(first, (np.datetime64, np.timedelta64))


def codes(values: Any) -> tuple[np.ndarray, list[str]]:
    """Returns names as codes, in order of first appearance, and the names; missing and masked ones are -1."""
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), values.data.astype(object)
        values[mask] = None  # filled(None) would take the default of the type, which is a name
    if hasattr(values, "to_numpy") and not hasattr(values, "array"):
        values = np.asarray(values.to_numpy(), object)  # of Polars
    if getattr(getattr(values, "dtype", None), "kind", "") == "f":
        # Whole numbers with gaps are floating-point in pandas.
        values = np.array([None if np.isnan(value) else f"{value:.15g}" for value in np.asarray(values)], object)
    if hasattr(getattr(values, "cat", None), "codes"):
        categories = [str(name) for name in values.cat.categories]
        return np.ascontiguousarray(values.cat.codes, dtype="i4"), categories
    try:
        import pandas as pd

        found, names = pd.factorize(np.asarray(values) if not hasattr(values, "dtype") else values)
        return np.ascontiguousarray(found, dtype="i4"), [str(name) for name in names]
    except ImportError:
        pass
    places: dict[Any, int] = {}
    found = np.empty(len(values), "i4")
    for row, value in enumerate(values):
        missing = value is None or value != value
        found[row] = -1 if missing else places.setdefault(value, len(places))
    return found, [str(name) for name in places]


def nanoseconds(values: Any, name: str = "time_ns") -> np.ndarray:
    """Returns times as nanoseconds: whole numbers, dates, durations, or texts of ISO 8601.

    Floating-point numbers are refused: seconds would become equal times, and nanoseconds since 1970 lose digits.
    """
    array = plain(values)
    found = instants(array, name)
    if found is not None:
        return found
    if array.dtype.kind == "O":
        array = np.array([NO_TIME if value is None else value for value in array.tolist()])
    if array.dtype.kind == "f" and array.size:
        raise DataError(
            f"{name} has floating-point numbers; give whole nanoseconds, as of np.rint(seconds * 1e9).astype('int64'),"
            " or dates; the column time_s of a table has seconds"
        )
    try:
        return np.ascontiguousarray(array, dtype="i8")
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} is not in whole nanoseconds: {error}") from None


def time_column(table: Mapping[str, Any]) -> tuple[str, np.ndarray] | None:
    """Returns the times of a table as ``time_ns`` or, as doubles, ``time_s``, with that name; None without any."""
    name = next((name for name in TIME_NAMES if name in table), None)
    if name is None:
        return None
    if name == "time_ns":
        return name, nanoseconds(table[name])
    found = instants(plain(table[name]), name)
    if found is not None:
        return "time_ns", found
    seconds = floats(table[name], name)
    known = seconds[np.isfinite(seconds)]
    # The year 5138 in seconds, 1973 in milliseconds: the limit of the readers of files too.
    if known.size and abs(known[0]) >= 1e11:
        unit, factor = _smaller_unit(abs(known[0]) / 2e10)
        raise DataError(f"{name} is not in seconds: {known[0]:g} is a time since 1970 in {unit}; divide by {factor}")
    return "time_s", seconds


def suspicion(times: np.ndarray, links: int, refuses: bool) -> str | None:
    """Returns why times seem to be in another unit; None if they do not.

    :param times: nanoseconds.
    :param links: the number of pairs of devices, each of which measures at most 2000 times a second.
    :param refuses: whether times that cannot be right are an error.
    """
    # A few rows may be far apart for other reasons.
    if len(times) < 20 or _are_usual(times, links):
        return None
    times = times[times != NO_TIME]
    step = median_step(times)
    if len(times) < 20 or step == 0:
        return None
    span = float(times.max() - times.min()) / 1e9
    if step >= 5:
        unit, factor = _smaller_unit(step)
        text = (
            f"successive times are {step:g} s apart (median); are they {unit}? Then divide them by {factor}, or read a"
            f' file with time_unit="{_SHORT[unit]}"'
        )
        # Reports can be hours apart. Then the ranges of one have the same time or follow each other within a second.
        has_epochs = 2 * len(np.unique(times)) <= len(times)
        is_certain = step >= (100_000 if has_epochs else 1000)
    elif len(times) / max(links, 1) > 2000 * span:
        unit, factor = _larger_unit(step * 1e9)
        text = f"successive times are {step * 1e9:g} ns apart (median); are they {unit}? Then multiply them by {factor}"
        is_certain = step < 1e-6
    else:
        return None
    if refuses and is_certain:
        raise DataError(text)
    return text


def _are_usual(times: np.ndarray, links: int) -> bool:
    """Whether times rise by less than 2.5 s on average, so that their median step is below 5 s, and not too often.

    Computes this in a tenth of the time of a median.
    """
    span = int(times[-1]) - int(times[0])
    is_usual = len(times) <= 2000e-9 * span * max(links, 1) and span < 2.5e9 * (len(times) - 1)
    return is_usual and bool((times[1:] > times[:-1]).all())


def median_step(times: np.ndarray) -> float:
    """Returns the median of the seconds between successive times that differ; 0 without two."""
    steps = np.diff(times)
    if (steps < 0).any():
        steps = np.diff(np.sort(times))
    steps = steps[steps > 0]
    return float(np.median(steps)) / 1e9 if len(steps) else 0.0


_SHORT = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


def _smaller_unit(step: float) -> tuple[str, int]:
    """Returns the unit, and its number in a second, in which a step of 5 ms to 5 s has a value."""
    for unit, factor in (("milliseconds", 1000), ("microseconds", 1_000_000)):
        if step < 5 * factor:
            return unit, factor
    return "nanoseconds", 1_000_000_000


def _larger_unit(step: float) -> tuple[str, int]:
    """Returns the unit, and its nanoseconds, in which a step of 5 ms to 5 s has a value."""
    for unit, factor in (("seconds", 1_000_000_000), ("milliseconds", 1_000_000)):
        if step < 5_000_000_000 / factor:
            return unit, factor
    return "microseconds", 1000


def plain(values: Any) -> np.ndarray:
    """Returns values as an array; missing and masked times are NaT or the least integer."""
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if isinstance(values, np.ma.MaskedArray):
        if kind == "f":
            return np.asarray(np.ma.filled(values.astype("f8"), np.nan))
        if kind in "iu":
            return np.asarray(np.ma.filled(values.astype("i8"), NO_TIME))
        values, mask = values.data.astype(f"{kind}8[ns]" if kind in "Mm" else object), np.ma.getmaskarray(values)
        values[mask] = None
        return np.asarray(values)
    if hasattr(values, "to_numpy") and not isinstance(values, np.ndarray):
        if kind in {"M", "m"}:
            if getattr(values.dtype, "tz", None) is not None:
                values = getattr(values, "dt", values).tz_convert(None)
            return np.asarray(values)
        if kind in {"i", "u"} and hasattr(values.dtype, "na_value"):
            return np.asarray(values.to_numpy(dtype="i8", na_value=NO_TIME))
        return np.asarray(values.to_numpy())
    return np.asarray(values)


#: The zone at the end of a time; a colon before it tells it from the day of a date.
_ZONE = re.compile(r"\s*(?:Z|([+-])(\d\d):?(\d\d)?)$")


def instants(array: np.ndarray, name: str) -> np.ndarray | None:
    """Returns dates, durations and texts as nanoseconds; None for numbers and for texts of numbers."""
    kind = array.dtype.kind
    if kind in "Mm":
        return np.ascontiguousarray(array.astype(f"{kind}8[ns]").view("i8"))
    if kind not in "OUT":
        return None
    values = array.tolist()
    first = next((value for value in values if value is not None and value == value and value != ""), None)
    if isinstance(first, datetime.date):
        found = [value if isinstance(value, datetime.date) and value == value else None for value in values]
        return np.array([_in_utc(value) for value in found], "M8[ns]").view("i8")
    if not isinstance(first, str) or _is_number(first):
        return None
    try:
        moments = [_moment(value) if isinstance(value, str) else None for value in values]
        shifts = np.array([0 if moment is None else moment[1] for moment in moments], "i8")
        texts = np.array(["NaT" if moment is None else moment[0] for moment in moments], "M8[ns]")
    except ValueError as error:
        raise DataError(f"{name} is neither a number nor a time of ISO 8601: {error}") from None
    return np.where(np.isnat(texts), NO_TIME, texts.view("i8") - shifts * 1_000_000_000)


def _in_utc(value: Any) -> Any:
    if getattr(value, "tzinfo", None) is None:
        return value
    if hasattr(value, "tz_convert"):
        return value.tz_convert(None).to_datetime64()
    return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)


def _moment(text: str) -> tuple[str, int] | None:
    """Returns the local time of a text, and by how many seconds it is ahead of UTC; None for an empty one."""
    text = text.strip().replace(",", ".")
    if text in ("", "NaT", "nan"):
        return None
    found = _ZONE.search(text[-7:])
    local = text if found is None else text[: len(text) - len(found[0])]
    if found is None or ":" not in local:
        return text, 0
    sign, hours, minutes = found.groups()
    seconds = 3600 * int(hours or 0) + 60 * int(minutes or 0)
    return local, -seconds if sign == "-" else seconds


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
