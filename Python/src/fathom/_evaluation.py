"""Truth, evaluation, simulation and planning."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from fathom import _bags, _input, _reader, _tables
from fathom._arrays import TIME_NAMES, codes, floats, time_column
from fathom._columns import Coded, Columns
from fathom._core import Owner, check, encoded, ffi, lib, name_texts, optional_bytes, pointer, run, text, view
from fathom._errors import DataError, InputError, UsageError, check_settings, listed, missing_column
from fathom._recording import Recording
from fathom._tracking import Result
from fathom._types import AnchorTable, Path, Table

_SETTINGS = (
    "horizontal", "max_gap", "skip_first", "time_offset", "tag", "align", "relative_distances", "relative_times",
    "maximum_difference", "maximum_age", "longest_latency",
)  # fmt: skip
_COVARIANCES = ("sxx", "sxy", "sxz", "syy", "syz", "szz")


class Truth(Owner):
    """True positions of tags over time."""

    def __init__(self, handle: Any):
        self._handle = ffi.gc(handle, lib.fathom_truth_free)

    @property
    def positions(self) -> Columns:
        """``time_ns``, ``tag`` if tags have names, and ``x_m`` to ``z_m``; tag by tag."""
        rows = ffi.new("fathom_trajectory *")
        check(lib.fathom_truth_positions(self._handle, rows))
        columns: dict[str, Any] = {"time_ns": view(rows.time_ns, rows.count, "i8", self._handle)}
        if rows.tag != ffi.NULL:
            names = [ffi.string(rows.tag_name[index]).decode() for index in range(rows.tag_count)]
            tags = view(rows.tag, rows.count, "i4", self._handle)
            columns["tag"] = Coded(np.empty(0, "i4") if tags is None else tags, names)
        for name in ("x_m", "y_m", "z_m"):
            columns[name] = view(getattr(rows, name), rows.count, "f8", self._handle)
        return Columns(columns)

    def __repr__(self) -> str:
        positions = self.positions
        tags = positions.categories("tag") if "tag" in positions.keys() else []
        times = positions["time_s"]
        span = f", {times.min():g} to {times.max():g} s" if len(times) else ""
        return f"<Truth{' of ' if tags else ''}{listed(tags)}: {len(positions)} positions{span}>"


class _Trajectory:
    """Positions in columns, with the structure that the library reads."""

    def __init__(self, given: Result | Truth | Columns | Table):
        if isinstance(given, (Result, Truth)):
            given = given.positions
        table = _columns(given)
        self._kept: list[Any] = []
        self.pointer = ffi.new("fathom_trajectory *")
        self._set("time_ns", _nanoseconds(table))
        self.pointer.count = len(self._kept[0])
        for name in ("x_m", "y_m", "z_m", *_COVARIANCES):
            plain = name.removesuffix("_m")
            if name in table or plain in table:
                self._set(name, floats(table[name if name in table else plain], name))
            elif name in ("x_m", "y_m"):
                raise missing_column(name, table)
        if "tag" in table:
            values = table["tag"]
            found, names = (values.codes, values.words) if isinstance(values, Coded) else codes(values)
            texts = name_texts(names)
            names_table = ffi.new("char *[]", texts) if texts else ffi.NULL
            self._kept += [texts, names_table]
            self._set("tag", np.ascontiguousarray(found, dtype="i4"))
            self.pointer.tag_count = len(names)
            self.pointer.tag_name = names_table

    def _set(self, name: str, array: np.ndarray) -> None:
        if self._kept and len(array) != len(self._kept[0]):
            raise UsageError("the columns differ in length")
        self._kept.append(array)
        setattr(self.pointer, name, pointer(array))


def _columns(given: Columns | Table) -> dict[str, Any]:
    """Returns the columns of positions under their known names; those with others are recognised as in a file."""
    if isinstance(given, Columns):
        return dict(given._columns)
    table = _tables.columns(given, "positions")
    if not table.keys().isdisjoint(TIME_NAMES) and all({name, f"{name}_m"} & table.keys() for name in "xy"):
        return table
    return dict(Truth(_reader.positions(table)).positions._columns)


def _nanoseconds(table: Mapping[str, Any]) -> np.ndarray:
    found = time_column(table)
    if found is None:
        raise missing_column("time_s", table)
    name, times = found
    if name == "time_ns":
        return times
    with np.errstate(invalid="ignore"):  # a missing time is the least integer
        return np.rint(times * 1e9).astype("i8")


def truth(given: Truth | Result | Path | Table, topic: str | None = None) -> Truth:
    """Returns true positions.

    :param given: the folder of a recording or a file of positions (CSV, JSON Lines, TUM, EuRoC), a bag of ROS, or a
        table with ``time_s``, ``x``, ``y``, ``z`` and optionally ``tag``; other names are recognised as in a file.
    :param topic: the topic of a bag with the positions; by default the only one with poses, points or transforms, or the
        only one whose name says that it is the truth.
    """
    if isinstance(given, Truth):
        return given
    place = ffi.new("fathom_truth **")
    if _tables.is_path(given) and _bags.is_bag(given):
        given = _bags.truth_table(given, topic)
    elif topic is not None:
        what = os.fspath(given) if _tables.is_path(given) else f"a {type(given).__name__}"
        raise UsageError(f"topic is for bags of ROS, and {what} is none")
    if _tables.is_path(given):
        source = os.fspath(given).encode()
        run(lambda *_: lib.fathom_truth_read(source, place))
    else:
        rows = _Trajectory(given)
        check(lib.fathom_truth_create(rows.pointer, place))
    return Truth(place[0])


def evaluate(
    estimate: Result | Truth | Path | Table,
    true: Truth | Result | Path | Table,
    *,
    horizontal: bool | None = None,
    max_gap: float | None = None,
    skip_first: float | None = None,
    time_offset: float | None = None,
    tag: str | None = None,
    align: Literal["rigid", "scaled"] | None = None,
    relative_distances: Sequence[float] = (),
    relative_times: Sequence[float] = (),
    **settings: Any,
) -> dict[str, Any]:
    """Compares an estimate with truth, as ``fathom evaluate --json`` does.

    :param estimate: a ``Result``, a table with the columns of ``positions.csv``, or a file of positions.
    :param true: as for ``truth``.
    :param horizontal: whether only x and y are scored; by default if the height is known.
    :param max_gap: the longest gap of truth, in seconds, within which it is interpolated; by default 1.5 s.
    :param skip_first: seconds at the beginning that are not scored.
    :param time_offset: added to the times of truth, in seconds.
    :param tag: the only tag that is scored.
    :param align: ``rigid`` or ``scaled`` to align the estimate first.
    :param relative_distances: lengths of path, in metres, over which relative errors are scored.
    :param relative_times: durations, in seconds, over which relative errors are scored.
    :param settings: ``maximum_difference``, in seconds: compares with the nearest position of truth within it instead of
        interpolating; ``maximum_age`` and ``longest_latency``, in seconds.
    :returns: ``rmse_m`` and other figures; undetermined ones are None.
    :raises DataError: if no position can be compared, with the reasons.
    """
    check_settings(settings, "evaluate", _SETTINGS, ("longest_gap", "is_horizontal"))
    reference = truth(true)
    given = _Trajectory(truth(estimate).positions if _tables.is_path(estimate) else estimate)
    options = encoded(
        {
            "is_horizontal": horizontal, "longest_gap": max_gap, "skip_first": skip_first,
            "time_offset": time_offset, "tag": tag, "align": align,
            "relative_distances": list(relative_distances) or None,
            "relative_times": list(relative_times) or None, **settings,
        }
    )  # fmt: skip
    found: dict[str, Any] = json.loads(text(lib.fathom_evaluate, given.pointer, reference._handle, options))
    if found["n"] == 0:
        coordinates = "x or y" if found["settings"]["is_horizontal"] else "x, y or z (horizontal=True compares without z)"
        reasons = {
            "undetermined": f"without {coordinates}", "without_truth": "of tags without truth",
            "before_truth": "before truth begins", "after_truth": "after truth ends",
            "in_gap_of_truth": "in gaps of truth", "skipped": "skipped at the beginning",
        }  # fmt: skip
        counts = found["poses"]["reasons"]
        counted = ", ".join(f"{counts[reason]} {words}" for reason, words in reasons.items() if counts.get(reason))
        raise DataError(f"nothing can be compared: {counted or 'there are no positions'}")
    return found


def geometry(anchors: AnchorTable, **settings: Any) -> dict[str, Any]:
    """Computes the accuracy that anchors can give, before installation, as ``fathom geometry --json`` does.

    :param anchors: as for ``track``.
    :param settings: ``height``, ``solve_height``, ``side``, ``area`` as two corners, ``step``, ``noise``,
        ``noise_per_metre``, ``maximum_range``, ``new_anchor_height``.
    """
    declared = _input.anchors(anchors)
    if declared is None:
        raise UsageError("geometry needs anchors")
    renamed = {
        "height": "height_m", "area": "area_m", "step": "step_m", "noise": "noise_m",
        "maximum_range": "maximum_range_m", "new_anchor_height": "new_anchor_height_m",
    }  # fmt: skip
    names = (
        "height",
        "solve_height",
        "side",
        "area",
        "step",
        "noise",
        "noise_per_metre",
        "maximum_range",
        "new_anchor_height",
    )
    check_settings(settings, "geometry", names, renamed.values())
    options = encoded({renamed.get(name, name): value for name, value in settings.items()})
    found: dict[str, Any] = json.loads(text(lib.fathom_geometry, declared.pointer, options))
    return found


def simulate(scenario: Path | Mapping[str, Any], seed: int | None = None) -> tuple[Recording, Truth]:
    """Makes a recording and its truth from a scenario, as ``fathom simulate`` does.

    :param scenario: a file in YAML, its text, or a mapping with its content.
    :param seed: replaces that of the scenario.
    """
    directory: str | None = None
    if isinstance(scenario, Mapping):
        content = json.dumps(scenario)
    elif isinstance(scenario, str) and "\n" in scenario:
        content = scenario
    else:
        path = pathlib.Path(scenario)
        try:
            content = path.read_text("utf-8")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        directory = f"{path.parent}/"
    recording, true = ffi.new("fathom_recording **"), ffi.new("fathom_truth **")
    run(
        lambda *_: lib.fathom_simulate(
            content.encode(), optional_bytes(directory), -1 if seed is None else seed, recording, true
        )
    )
    return Recording(recording[0]), Truth(true[0])
