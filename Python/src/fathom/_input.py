"""Anchors and ranges of the caller, in the forms in which Python programs have them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fathom import _reader
from fathom._arrays import codes, floats, time_column
from fathom._core import check, ffi, lib, name_texts, pointer, view, words
from fathom._errors import DataError, UsageError, missing_column, with_candidates
from fathom._reader import KNOWN, NUMBERS
from fathom._tables import columns, is_path, is_table


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


def anchors(given: Any) -> Anchors | None:
    """Returns anchors from a mapping of names to coordinates, an array, a table, or a file."""
    if given is None or isinstance(given, Anchors):
        return given
    if is_path(given):
        place = ffi.new("fathom_recording **")
        check(lib.fathom_anchors_read(os.fspath(given).encode(), place))
        return of_recording(ffi.gc(place[0], lib.fathom_recording_free))
    if isinstance(given, Mapping) and given and all(isinstance(place, Mapping) for place in given.values()):
        given = [{"id": name, **place} for name, place in given.items()]
    if is_table(given) or (isinstance(given, Mapping) and not _are_places(given)):
        table = columns(given, "anchors")
        count = max((len(values) for values in table.values()), default=0)
        index = given.index if hasattr(given, "iloc") else range(count)
        return of_recording(ffi.gc(_reader.anchors(table, index), lib.fathom_recording_free))
    if isinstance(given, Mapping):
        names, rows = [str(name) for name in given], list(given.values())
    elif isinstance(given, Iterable):
        rows = list(given)
        names = [str(index) for index in range(len(rows))]
    else:
        raise UsageError(f"anchors cannot be a {type(given).__name__}: pass coordinates by name, a table, or a path")
    if not rows:
        return Anchors([], {})
    places = floats(rows, "anchors")
    if places.ndim != 2 or places.shape[1] not in (2, 3):
        raise UsageError("anchors must have two or three coordinates each")
    axes = [np.ascontiguousarray(column) for column in places.T]
    return Anchors(names, dict(zip(("x_m", "y_m", "z_m"), axes)))


def _are_places(given: Mapping[str, Any]) -> bool:
    """Whether the values of a mapping are coordinates of an anchor each; else they are columns of a table."""
    if any(not isinstance(values, Iterable) for values in given.values()):
        raise UsageError("anchors must have two or three coordinates each")
    if any(isinstance(first, str) for values in given.values() for first in list(values)[:1]):
        return False
    place = given.get("x", given.get("x_m"))
    return place is None or (isinstance(place, (tuple, list)) and len(place) in (2, 3))


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
    """Returns the columns of a table; ``renamed`` maps known names to the table's own."""
    found = columns(table, others=renamed or {})
    check_names(renamed, found)
    for known, own in (renamed or {}).items():
        found[known] = found.pop(own)
    return found


def check_names(renamed: Mapping[str, str] | None, available: Iterable[str]) -> None:
    """Refuses names for columns that are unknown or absent."""
    names = list(available)
    for name, own in (renamed or {}).items():
        if name not in KNOWN:
            raise DataError(with_candidates(f'columns: "{name}" is not a known column', name, KNOWN, "columns"))
        if own not in names:
            raise missing_column(own, names)
