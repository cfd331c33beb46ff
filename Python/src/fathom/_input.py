"""Anchors and ranges of the caller, in the forms in which Python programs have them."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom._arrays import TIME_NAMES, codes, floats, time_column
from fathom._core import check, ffi, lib, name_texts, pointer, view, words
from fathom._errors import DataError, InputError, UsageError, missing_column, with_candidates

NUMBERS = [
    "distance_m", "sigma_m", "azimuth_rad", "elevation_rad", "direction_x", "direction_y", "direction_z",
    "horizontal_angle_rad", "vertical_estimate", "rssi_dbm", "rssi_first_path_dbm", "nlos", "truth_distance_m",
    "height_m",
]  # fmt: skip


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def frame(table: Any) -> Any:
    """Returns a table whose columns can be taken by name; those of Arrow become tables of pandas."""
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        table = table.collect()  # a lazy frame of Polars
    if hasattr(table, "to_pandas") and not hasattr(table, "get_columns") and not isinstance(table, Mapping):
        return table.to_pandas()
    return table


def table_text(table: Any) -> bytes:
    """Returns a table in memory as CSV with all digits of its numbers, and the content of a file as it is."""
    if isinstance(table, bytes):
        return table
    if is_path(table):
        try:
            return Path(table).read_bytes()
        except OSError as error:
            raise InputError(f"{table}: {error.strerror}") from None
    table = frame(table)
    if hasattr(table, "write_csv"):
        return str(table.write_csv()).encode()
    if hasattr(table, "to_csv"):
        return str(table.to_csv(index=False)).encode()
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table)
    columns = [np.asarray(values).tolist() for values in table.values()]
    if len({len(column) for column in columns}) > 1:
        raise UsageError("the columns differ in length")
    writer.writerows(zip(*columns))
    return text.getvalue().encode()


class Anchors:
    """Anchors in columns, with the structure that the library reads."""

    def __init__(self, names: list[str], columns: Mapping[str, np.ndarray | None]):
        self.names = names
        self._names = name_texts(names)
        self._table = ffi.new("char *[]", self._names) if names else ffi.NULL
        self._columns = columns
        self.pointer = ffi.new("fathom_anchors *")
        self.pointer.count = len(names)
        self.pointer.name = self._table
        for name, column in columns.items():
            setattr(self.pointer, name, pointer(column))

    @property
    def positions(self) -> np.ndarray:
        """The positions, one row per anchor; heights are 0 without any."""
        columns = [self._columns[name] for name in ("x_m", "y_m", "z_m")]
        zero = np.zeros(len(self.names))
        return np.column_stack([zero if column is None else column for column in columns])


_ANCHOR_COLUMNS = {
    "id": ["id", "anchor", "anchor_id", "name"], "x_m": ["x", "x_m"], "y_m": ["y", "y_m"],
    "z_m": ["z", "z_m"], "sigma_m": ["sigma_m", "sigma"], "bias_m": ["bias_m", "bias"], "scale": ["scale"],
}  # fmt: skip


def anchors(given: Any) -> Anchors | None:
    """Returns anchors from a mapping of names to coordinates, an array, a table, or a file."""
    if given is None or isinstance(given, Anchors):
        return given
    if is_path(given):
        return _anchors_file(os.fspath(given))
    given = frame(given)
    if hasattr(given, "columns"):
        return _anchors_table({str(name): given[name] for name in given.columns}, "anchors")
    if isinstance(given, Mapping):
        if any(name in given for name in ("x", "x_m")) and not _is_place(given.get("x", given.get("x_m"))):
            return _anchors_table(given, "anchors")
        names = [str(name) for name in given]
        rows = list(given.values())
    else:
        rows = list(given)
        names = [str(index) for index in range(len(rows))]
    if not rows:
        return Anchors([], {})
    table = floats(rows, "anchors")
    if table.ndim != 2 or table.shape[1] not in (2, 3):
        raise UsageError("anchors must have two or three coordinates each")
    columns = [np.ascontiguousarray(column) for column in table.T]
    return Anchors(names, dict(zip(("x_m", "y_m", "z_m"), columns)))


def _is_place(value: Any) -> bool:
    """Whether the value of the key x is a position, of an anchor called x."""
    return isinstance(value, (tuple, list, np.ndarray)) and len(value) in (2, 3) and not hasattr(value, "dtype")


def _anchors_table(table: Mapping[str, Any], what: str) -> Anchors:
    found: dict[str, Any] = {}
    for name, aliases in _ANCHOR_COLUMNS.items():
        for alias in aliases:
            if alias in table and name not in found:
                found[name] = table[alias]
    missing = [name for name in ("id", "x_m", "y_m") if name not in found]
    if missing:
        raise DataError(f"{what}: {missing_column(missing[0].removesuffix('_m'), table)}")
    names = [str(name) for name in found.pop("id")]
    return Anchors(names, {name: floats(values, name) for name, values in found.items()})


def _anchors_file(path: str) -> Anchors:
    place = ffi.new("fathom_recording **")
    check(lib.fathom_anchors_read(path.encode(), place))
    handle = ffi.gc(place[0], lib.fathom_recording_free)
    return of_recording(handle)


def of_recording(handle: Any) -> Anchors:
    """Returns the anchors of a recording, as views of its memory."""
    given = ffi.new("fathom_anchors *")
    check(lib.fathom_recording_anchors(handle, given))
    names = [ffi.string(given.name[index]).decode() for index in range(given.count)]
    columns = {
        name: view(getattr(given, name), given.count, "f8", handle)
        for name in ("x_m", "y_m", "z_m", "sigma_m", "bias_m", "scale")
    }
    return Anchors(names, columns)


class Ranges:
    """Rows of ranges in columns, with the structure that the library reads."""

    def __init__(self, table: Mapping[str, Any], zero_is_distance: bool):
        self._kept: list[Any] = []
        self.pointer = ffi.new("fathom_ranges *")
        self.pointer.zero_is_distance = int(zero_is_distance)
        counts = {len(table[name]) for name in table}
        if len(counts) > 1:
            raise UsageError("the columns differ in length")
        self.pointer.count = counts.pop() if counts else 0
        self._set_time(table)
        for name in NUMBERS:
            if name in table:
                self._set(name, floats(table[name], name))
        if "distance_m" not in table:
            raise missing_column("distance_m", table, is_range=True)
        for name in ("tag", "anchor"):
            if name in table:
                self._set_names(name, table[name])
        if "event" in table:
            self._set_events(table["event"])
        if "line" in table:
            self._set("line", np.ascontiguousarray(table["line"], dtype="i8"))

    def _set(self, name: str, array: np.ndarray) -> None:
        self._kept.append(array)
        setattr(self.pointer, name, pointer(array))

    def _set_time(self, table: Mapping[str, Any]) -> None:
        found = time_column(table)
        if found is not None:
            self._set(*found)
        elif self.pointer.count:
            raise missing_column("time_s", table, is_range=True)

    def _set_names(self, name: str, values: Any) -> None:
        found, names = codes(values)
        texts = name_texts(names)
        table = ffi.new("char *[]", texts) if texts else ffi.NULL
        self._kept += [texts, table]
        self._set(name, found)
        setattr(self.pointer, f"{name}_count", len(names))
        setattr(self.pointer, f"{name}_name", table)

    def _set_events(self, values: Any) -> None:
        known = {word: code for code, word in enumerate(words(lib.FATHOM_EVENT))}
        found, names = codes(values)
        places = np.array([known.get(name, -1 if name in ("", "nan", "None") else len(known)) for name in names] + [-1])
        self._set("event", np.ascontiguousarray(places[found], dtype="i4"))


def columns_of(table: Any, renamed: Mapping[str, str] | None) -> dict[str, Any]:
    """Returns the columns of a DataFrame or a mapping; ``renamed`` maps known names to the table's own."""
    table = frame(table)
    if hasattr(table, "columns") and not isinstance(table, Mapping):
        found = {str(name): table[name] for name in table.columns}
        index: Any = getattr(table, "index", None)
        if isinstance(getattr(index, "name", None), str):
            found.setdefault(index.name, index)
        is_timed = any(name in TIME_NAMES for name in (*found, *(renamed or {})))
        if not is_timed and getattr(getattr(index, "dtype", None), "kind", "") in {"M", "m"}:
            found["time"] = index
    elif isinstance(table, Mapping):
        found = {str(name): table[name] for name in table}
    elif isinstance(table, np.ndarray) and table.dtype.names:
        found = {name: table[name] for name in table.dtype.names}
    else:
        raise UsageError(f"ranges cannot be a {type(table).__name__}")
    check_names(renamed, found)
    for known, own in (renamed or {}).items():
        found[known] = found.pop(own)
    return found


def check_names(renamed: Mapping[str, str] | None, available: Iterable[str]) -> None:
    """Refuses names for columns that are unknown or absent."""
    known, names = (*TIME_NAMES, "tag", "anchor", "event", "line", *NUMBERS), list(available)
    for name, own in (renamed or {}).items():
        if name not in known:
            raise DataError(with_candidates(f'columns: "{name}" is not a known column', name, known, "columns"))
        if own not in names:
            raise missing_column(own, names)
