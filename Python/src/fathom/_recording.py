"""Recordings: ranges with their anchors."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom import _input, _reader, _tables
from fathom._arrays import suspicion
from fathom._arrow import exported
from fathom._columns import Coded, Columns
from fathom._core import Owner, check, encoded, ffi, keyed, lib, optional_bytes, run, text, view, words
from fathom._errors import UsageError, in_python, warn
from fathom._types import AnchorTable, Path, Table


class Recording(Owner):
    """Ranges with their anchors, as ``read``, ``simulate`` or a table gives them."""

    def __init__(self, handle: Any, refuses: bool | None = None, folder: str = ""):
        self._handle = ffi.gc(handle, lib.fathom_recording_free)
        #: The folder that a table was read from, which its texts do not name.
        self._folder = folder
        #: Why its times seem to be in another unit. ``refuses`` is None for times that are known to be right.
        self._suspicion: str | None = None
        #: What the reader of a bag found.
        self._remarks: list[str] = []
        #: The problems that the user was warned of.
        self._told: list[str] = []
        if refuses is not None:
            rows = self._rows()
            self._suspicion = suspicion(self._times, rows.tag_count * rows.anchor_count, refuses)

    @property
    def _times(self) -> np.ndarray:
        rows = self._rows()
        times = view(rows.time_ns, rows.count, "i8", self._handle)
        return np.empty(0, "i8") if times is None else times

    def _rows(self) -> Any:
        rows = ffi.new("fathom_ranges *")
        check(lib.fathom_recording_ranges(self._handle, rows))
        return rows

    @property
    def _problems(self) -> list[str]:
        """What the user should know of the input: times in doubt, rejected rows, warnings."""
        info = self.info
        found = [*self._remarks, *([self._suspicion] if self._suspicion else [])]
        if info["rejected_count"]:
            # The list ends at 1000 rows.
            reasons = Counter(row["reason"].split(":")[0].split(" (")[0] for row in info["rejected"])
            listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(5))
            found.append(f"{info['rejected_count']} of {info['rows_read']} rows were rejected: {listed}")
        # Rejected rows of tables beside the ranges are notes of the tool.
        found += [note for note in info["notes"] if "rejected" in note]
        return found + [in_python(warning) for warning in info["warnings"]]

    def _warned(self) -> Recording:
        """Warns of the problems of the input, and returns the recording."""
        self._told = self._problems
        warn(self.name, self._told)
        return self

    def beside(self, **tables: Path | Table | None) -> Recording:
        """Returns the recording with tables beside its ranges, which replace its own.

        :param tables: ``heights``, ``odometry``, ``imu``, ``tdoa`` and ``poses``, with the columns of the file of
            that name: a table as for ``recording``, or the path of a file.
        """
        found = self
        for name, table in tables.items():
            if table is None:
                continue
            content = _tables.content(table, name)
            place, handle = ffi.new("fathom_recording **"), found._handle
            run(
                lambda *_, name=name, content=content, handle=handle, place=place: lib.fathom_recording_with(
                    handle, name.encode(), content, len(content), place
                )
            )
            replaced = Recording(place[0], folder=found._folder)
            replaced._suspicion, replaced._told, replaced._remarks = found._suspicion, found._told, found._remarks
            found = replaced
        return found

    @property
    def info(self) -> dict[str, Any]:
        """What the recording states besides its rows: name, sources, height, notes, warnings, rejected rows."""
        found = text(lib.fathom_recording_info, self._handle)
        described: dict[str, Any] = json.loads(found.replace(self._folder, "") if self._folder else found)
        return described

    @property
    def name(self) -> str:
        """The name, after which files of results are named."""
        return str(self.info["name"])

    @property
    def ranges(self) -> Columns:
        """The usable rows, with the columns of ``ranges.csv``; times are nanoseconds in ``time_ns``."""
        rows = self._rows()
        count = rows.count

        def names(table: Any, number: int) -> list[str]:
            return [ffi.string(table[index]).decode() for index in range(number)]

        def column(name: str, kind: str = "f8") -> Any:
            return view(getattr(rows, name), count, kind, self._handle)

        columns: dict[str, Any] = {
            "time_ns": column("time_ns", "i8"),
            "tag": Coded(column("tag", "i4"), names(rows.tag_name, rows.tag_count)),
            "anchor": Coded(column("anchor", "i4"), names(rows.anchor_name, rows.anchor_count)),
        }
        for name in _reader.NUMBERS:
            columns[name] = column(name)
        if rows.event != ffi.NULL:
            columns["event"] = Coded(column("event", "i4"), words(lib.FATHOM_EVENT))
        columns["line"] = column("line", "i8")
        return Columns({name: values for name, values in columns.items() if values is not None})

    @property
    def anchors(self) -> dict[str, tuple[float, float, float]]:
        """The declared anchors: x, y and z in metres by name."""
        found = _input.of_recording(self._handle)
        return {name: tuple(place) for name, place in zip(found.names, found.positions.tolist())}

    def __repr__(self) -> str:
        info = self.info
        return f"<Recording {info['name']}: {self.ranges.rows} rows, {len(self.anchors)} anchors>"


def read(
    path: Path,
    anchors: AnchorTable | None = None,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    distance_unit: str | None = None,
    angle_unit: str | None = None,
    time_unit: str | None = None,
    decimal_separator: str | None = None,
    delimiter: str | None = None,
    zero_is_distance: bool | None = None,
    rate: float | None = None,
    block_duration: float | None = None,
    topic: str | Sequence[str] | None = None,
    fields: Mapping[str, str] | None = None,
    definitions: Mapping[str, Path] | None = None,
) -> Recording:
    """Reads everything that the tool reads, a folder, a file of ranges, or the log of a device; and bags of ROS.

    Bags need ``pip install "fathom-positioning[ros]"``. Messages with a distance and an anchor are recognised by their
    fields; ``sensor_msgs/Imu`` and ``nav_msgs/Odometry`` become the tables ``imu`` and ``odometry``.

    :param path: a folder with ``ranges.csv``, or a file; a bag of ROS 1 (``.bag``), or a folder or file of ROS 2
        (``.db3``, ``.mcap``).
    :param anchors: anchors that replace the folder's own: a file, or anything that ``recording`` accepts.
    :param format: the format of the file; by default it is recognised by content.
    :param columns: names of columns in the file, by known column.
    :param distance_unit: ``m``, ``cm`` or ``mm``; by default recognised from the header, or metres.
    :param angle_unit: ``rad``, ``deg`` or ``rad90``.
    :param time_unit: ``s``, ``ms``, ``us`` or ``ns``; by default it is recognised by the magnitude of the times.
    :param decimal_separator: ``.`` or ``,``; by default it is recognised.
    :param delimiter: the character between fields; by default it is recognised.
    :param zero_is_distance: whether a distance of exactly 0 is a measurement; most devices write 0 for a failed one.
    :param rate: the rate of the epochs of a file without times, in hertz.
    :param block_duration: the duration of a block of a log whose time is the number of the block, in seconds.
    :param topic: the topic of a bag with the ranges; a list excludes all other topics, also of ``imu`` and ``odometry``.
    :param fields: the fields of a bag's messages, by ``distance``, ``anchor``, ``tag``, ``time``, ``sigma``, ``rssi`` and
        ``rssi_first_path``, such as ``{"distance": "nodes[].dis"}``; by default they are recognised by name.
    :param definitions: files ``.msg`` or their texts by type, for bags without definitions: those of ROS 2 before Iron.
    :raises InputError: if a file cannot be read.
    :raises DataError: if a file is invalid.
    """
    found = _read(
        path, anchors, format=format, columns=dict(columns) if columns else None, distance_unit=distance_unit,
        angle_unit=angle_unit, time_unit=time_unit, decimal_separator=decimal_separator, delimiter=delimiter,
        zero_is_distance=zero_is_distance, rate=rate, block_duration=block_duration, topic=topic, fields=fields,
        definitions=definitions,
    )  # fmt: skip
    return found._warned()


def _read(path: Path, anchors: AnchorTable | _input.Anchors | None = None, **given: Any) -> Recording:
    """Reads a recording without warnings; see ``read``."""
    from fathom import _bags

    if _bags.is_bag(path):
        return _bags.read(path, anchors, **given)
    for name in ("topic", "fields", "definitions"):
        if given.pop(name, None) is not None:
            raise UsageError(f"{name} is for bags of ROS, and {os.fspath(path)} is none")
    options = encoded(keyed(given, "read", given, "reading"))
    place = ffi.new("fathom_recording **")
    source = os.fspath(path).encode()
    if anchors is None or _tables.is_path(anchors):
        run(lambda *_: lib.fathom_recording_read(source, optional_bytes(anchors), options, place))
    else:
        declared = _input.anchors(anchors)
        own = ffi.NULL if declared is None else declared.pointer
        run(
            lambda *_: lib.fathom_recording_read_with(source, own, options, place),
            keep=declared,
        )
    return Recording(place[0], refuses=False)


def recording(
    ranges: Recording | Table | None,
    anchors: AnchorTable | None = None,
    *,
    name: str = "recording",
    columns: Mapping[str, str] | None = None,
    height: float | None = None,
    height_sigma: float | None = None,
    zero_is_distance: bool = False,
    heights: Path | Table | None = None,
    odometry: Path | Table | None = None,
    imu: Path | Table | None = None,
    tdoa: Path | Table | None = None,
    poses: Path | Table | None = None,
) -> Recording:
    """Creates a recording of rows in memory, which are validated like those of a file.

    :param ranges: a frame of pandas or Polars, an Arrow table or stream, a mapping of columns, a structured array, or a
        list of rows. Columns are ``time_s`` (seconds, dates, or texts of ISO 8601) or ``time_ns``, ``tag``, ``anchor``,
        ``distance_m`` and the optional ones of ``ranges.csv``. Other names, units in names, and one column per anchor
        are recognised as in a file. None, with ``tdoa``, for time differences alone.
    :param anchors: a mapping of names to coordinates; a table with names, which can be the index, and coordinates; or an
        anchors file. Without anchors, positions are relative to the device.
    :param name: the name of the recording, after which files of results are named.
    :param columns: the table's own names of columns, by known name.
    :param height: the known height of the tags, in metres.
    :param height_sigma: its standard deviation, in metres.
    :param zero_is_distance: whether a distance of exactly 0 is a measurement; most devices write 0 for a failed one.
    :param heights: measured heights, as in ``heights.csv``: a table or a file.
    :param odometry: motions of the tags, as in ``odometry.csv``.
    :param imu: accelerations and rotation rates, as in ``imu.csv``.
    :param tdoa: time differences of arrival, as in ``tdoa.csv``.
    :param poses: attitudes of the device, as in ``poses.csv``.
    :raises DataError: if a column is missing or an anchor is invalid. Rows that cannot be used are rejected
        and listed in ``info``.
    """
    beside = {"heights": heights, "odometry": odometry, "imu": imu, "tdoa": tdoa, "poses": poses}
    if isinstance(ranges, Recording):
        return ranges.beside(**beside)
    metadata = keyed({"height": height, "height_sigma": height_sigma})
    found = _created(ranges, anchors, name, columns, metadata, zero_is_distance).beside(**beside)
    return found._warned()


def _created(
    ranges: Table | None,
    anchors: AnchorTable | _input.Anchors | None,
    name: str,
    columns: Mapping[str, str] | None,
    facts: Mapping[str, Any] | None = None,
    zero_is_distance: bool = False,
) -> Recording:
    """Creates a recording without warnings; see ``recording``."""
    if ranges is None:
        ranges = {"time_s": np.empty(0), "anchor": np.empty(0, "U1"), "distance_m": np.empty(0)}
    declared = _input.anchors(anchors)
    metadata = encoded(facts)
    place = ffi.new("fathom_recording **")
    known = ffi.NULL if declared is None else declared.pointer
    found: Any = None
    if _is_arrow(ranges) and not zero_is_distance:
        try:
            found = exported(ranges, columns)
        except ImportError:
            pass  # Polars has the interface without pyarrow, and its columns can be read one by one.
    if isinstance(found, tuple):
        run(
            lambda *_: lib.fathom_recording_from_arrow(name.encode(), *found, known, metadata, place),
            keep=declared,
        )
        return Recording(place[0], refuses=True)
    table = _input.columns_of(ranges, columns) if found is None else found
    if not _reader.is_plain(table, lambda count: {key: values[:count] for key, values in table.items()}):
        handle, folder = _reader.ranges(table, name, known, facts or {}, zero_is_distance)
        return Recording(handle, refuses=True, folder=folder)
    rows = _input.Ranges(table, zero_is_distance)
    run(
        lambda *_: lib.fathom_recording_create(name.encode(), rows.pointer, known, metadata, place),
        keep=declared,
    )
    return Recording(place[0], refuses=True)


def _is_arrow(table: Any) -> bool:
    """Whether a table is given through Arrow's interface; NumPy's columns, as those of pandas, are read in place."""
    if hasattr(table, "iloc") or isinstance(table, Mapping):
        return False
    return hasattr(table, "__arrow_c_array__") or hasattr(table, "__arrow_c_stream__")
