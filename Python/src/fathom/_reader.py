"""Tables whose columns the library recognises as in a file: names, units, and one column per anchor.

The reader of files is the only recogniser. A table that does not have exactly the names of ``ranges.csv`` is
written for it as CSV, with all digits, so that results are those of that file.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fathom import _tables
from fathom._arrays import TIME_NAMES
from fathom._core import check, encoded, ffi, lib, run, text
from fathom._errors import DataError, missing_column

#: The numbers of a row of ranges.
NUMBERS = [
    "distance_m", "sigma_m", "azimuth_rad", "elevation_rad", "direction_x", "direction_y", "direction_z",
    "horizontal_angle_rad", "vertical_estimate", "rssi_dbm", "rssi_first_path_dbm", "nlos", "truth_distance_m",
    "height_m",
]  # fmt: skip
KNOWN = (*TIME_NAMES, "tag", "anchor", "event", "line", *NUMBERS)

#: Rows that show what the reader makes of the columns.
_SAMPLE = 50
_LACKS = re.compile(r"the header lacks (\w+)")
_IGNORED = re.compile(r'^ignored columns: "(.*)"(?: and (\d+) more)?$')
_T = TypeVar("_T")


def is_plain(names: Iterable[str], sample: Callable[[int], Mapping[str, Any]]) -> bool:
    """Whether a table has the names of ``ranges.csv``, and others only that the reader ignores.

    :param names: the names of the columns.
    :param sample: returns the columns of the first rows.
    """
    found = set(names)
    others = found.difference(KNOWN)
    if "distance_m" not in found or found.isdisjoint(TIME_NAMES):
        return False
    if not others:
        return True
    try:
        handle, _ = ranges(sample(_SAMPLE), "sample", ffi.NULL, {}, False)
    except DataError:
        return False
    ignored = next((match for note in _notes(handle) if (match := _IGNORED.match(note))), None)
    lib.fathom_recording_free(handle)
    if ignored is None:
        return False
    listed = ignored[1].split('", "')
    return others.issuperset(listed) and len(listed) + int(ignored[2] or 0) == len(others)


def _notes(handle: Any) -> list[str]:
    found: list[str] = json.loads(text(lib.fathom_recording_info, handle))["notes"]
    return found


def ranges(
    table: Mapping[str, Any], name: str, declared: Any, facts: Mapping[str, Any], zero_is_distance: bool
) -> tuple[Any, str]:
    """Returns a recording of a table as the reader recognises it, and the folder that its texts name.

    :param table: columns by name.
    :param name: the name of the recording.
    :param declared: the structure of the anchors; NULL without any.
    :param facts: what ``recording.json`` states beside a file.
    :param zero_is_distance: whether a distance of exactly 0 is a measurement.
    """
    place = ffi.new("fathom_recording **")
    options = encoded({"zero_is_distance": True} if zero_is_distance else None)

    def read(folder: Path) -> str:
        (folder / "ranges.csv").write_bytes(_tables.text(table))
        (folder / "recording.json").write_text(json.dumps(facts))
        source = str(folder).encode()
        if declared == ffi.NULL:
            run(lambda *_: lib.fathom_recording_read(source, ffi.NULL, options, place))
        else:
            run(lambda *_: lib.fathom_recording_read_with(source, declared, options, place))
        return f"{folder}/"

    folder = _in_folder(read, name, "ranges.csv", table)
    # The reader counts epochs at 1 Hz in a file without times; in a table their column has probably another name.
    if any(note.startswith("no column time") for note in _notes(place[0])):
        lib.fathom_recording_free(place[0])
        raise missing_column("time_s", table, is_range=True)
    return place[0], folder


def anchors(table: Mapping[str, Any], index: Iterable[Any]) -> Any:
    """Returns a recording with the anchors of a table; ``index`` are their names if it has no column of names."""
    place = ffi.new("fathom_recording **")

    def read(folder: Path, given: Mapping[str, Any] = table) -> None:
        file = folder / "anchors.csv"
        file.write_bytes(_tables.text(given))
        check(lib.fathom_anchors_read(str(file).encode(), place))

    try:
        _in_folder(read, "anchors", "anchors.csv", table)
    except DataError as refused:
        if "the column id is missing" not in str(refused):
            raise
        named = {"id": list(index), **table}
        _in_folder(lambda folder: read(folder, named), "anchors", "anchors.csv", table)
    return place[0]


def positions(table: Mapping[str, Any]) -> Any:
    """Returns the truth of a table of positions."""
    place = ffi.new("fathom_truth **")

    def read(folder: Path) -> None:
        file = folder / "positions.csv"
        file.write_bytes(_tables.text(table))
        run(lambda *_: lib.fathom_truth_read(str(file).encode(), place))

    _in_folder(read, "positions", "positions.csv", table)
    return place[0]


def _in_folder(read: Callable[[Path], _T], name: str, file: str, table: Mapping[str, Any]) -> _T:
    """Returns the result of ``read`` with a folder that ends with it; messages name the table instead of the file."""
    with tempfile.TemporaryDirectory(prefix="fathom-") as place:
        folder = Path(place) / ("recording" if name in ("", ".", "..") else name.replace("/", "_")[:200])
        folder.mkdir()
        try:
            return read(folder)
        except DataError as refused:
            message = str(refused).replace(f"{folder}/{file}", name).replace(f"{folder}/", "")
            if found := _LACKS.search(message):
                is_range = file == "ranges.csv"
                missing = str(missing_column(found[1], table, is_range))
                message = missing if is_range or name == "positions" else f"{name}: {missing}"
            raise DataError(message, refused.status) from None
