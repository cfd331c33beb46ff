"""Tracks: positions and smoothed distances of a recording."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from fathom import _html, _input, _tables
from fathom._arrays import median_step
from fathom._columns import Coded, Columns
from fathom._core import Progress, check, encoded, ffi, keyed, lib, run, text, view, words
from fathom._errors import DataError, UsageError, in_python, unknown_anchor, warn, with_candidates
from fathom._recording import Recording, _created, _read
from fathom._types import AnchorTable, Method, Path, Side, Smoothing, Table

if TYPE_CHECKING:
    from fathom._evaluation import Truth

#: The files in a summary.
_SOURCES = re.compile(rb'(\n  "sources" : \[\n).*?(\n  \])', re.DOTALL)


class Result:
    """The results of a recording: those of ``fathom process``, before rounding."""

    def __init__(self, handle: Any, name: str, anchors: Mapping[str, tuple[float, float, float]], is_table: bool = False):
        self._handle = ffi.gc(handle, lib.fathom_result_free)
        #: Whether the ranges were a table, so that there are no sources.
        self._is_table = is_table
        #: The tables of a result from another process.
        self._tables: dict[str, Any] = {}
        #: The name of the recording.
        self.name = name
        #: The anchors: x, y and z in metres by name.
        self.anchors = dict(anchors)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the tables as plain arrays and the summary; the files stay in the process of the result."""
        tables = {"positions": self.positions, "distances": self.distances, "summary": self.summary}
        return {"name": self.name, "anchors": self.anchors, "_handle": None, "_is_table": True, "_tables": tables}

    def _names(self, kind: int) -> list[str]:
        found: list[str] = []
        while (name := lib.fathom_result_name(self._handle, kind, len(found))) != ffi.NULL:
            found.append(ffi.string(name).decode())
        return found

    @property
    def positions(self) -> Columns:
        """The columns of ``positions.csv``, and the other position of ambiguous ones in ``alt_x_m`` to ``alt_z_m``."""
        if "positions" in self._tables:
            return cast(Columns, self._tables["positions"])
        coded = {"tag": self._names(lib.FATHOM_LOCATED), "status": words(lib.FATHOM_STATUS)}
        return self._columns("fathom_positions", lib.fathom_result_positions, coded, lib.FATHOM_POSITIONS)

    @property
    def distances(self) -> Columns:
        """The columns of ``distances.csv``: one row per usable range."""
        if "distances" in self._tables:
            return cast(Columns, self._tables["distances"])
        coded = {
            "tag": self._names(lib.FATHOM_TAG), "anchor": self._names(lib.FATHOM_ANCHOR),
            "quality": words(lib.FATHOM_QUALITY), "zone": words(lib.FATHOM_ZONE),
            "decision": words(lib.FATHOM_DECISION),
        }  # fmt: skip
        return self._columns("fathom_distances", lib.fathom_result_distances, coded, lib.FATHOM_DISTANCES)

    def _columns(self, structure: str, read: Any, coded: Mapping[str, list[str]], table: int) -> Columns:
        """Returns the columns of a structure of ``fathom.h``, with the types that it declares."""
        rows = ffi.new(f"{structure} *")
        check(read(self._handle, rows))
        columns: dict[str, Any] = {}
        for name, field in ffi.typeof(structure).fields:
            if field.type.kind == "pointer":
                kind = field.type.item.cname.removesuffix("_t")
                column = view(getattr(rows, name), rows.count, kind, self._handle)
                columns[name] = Coded(column, coded[name]) if name in coded and column is not None else column
        return Columns(columns, lambda: self._arrow(table))

    def _arrow(self, table: int) -> Any:
        import pyarrow as pa

        schema, rows = ffi.new("struct ArrowSchema *"), ffi.new("struct ArrowArray *")
        check(lib.fathom_result_arrow(self._handle, table, schema, rows))
        return pa.RecordBatch._import_from_c(int(ffi.cast("uintptr_t", rows)), int(ffi.cast("uintptr_t", schema)))

    @property
    def summary(self) -> dict[str, Any]:
        """Counts, rates, calibration, diagnoses and warnings: the content of ``summary.json``."""
        if "summary" in self._tables:
            return dict(self._tables["summary"])
        found: dict[str, Any] = json.loads(text(lib.fathom_result_summary, self._handle))
        return {**found, "sources": []} if self._is_table else found

    @property
    def diagnoses(self) -> list[dict[str, Any]]:
        """What contradicts what in the input: code, message, evidence and suggestion."""
        return self.summary.get("diagnoses") or []

    @property
    def warnings(self) -> list[str]:
        """Problems that the user should look into: those of the summary, with parameters in place of options."""
        return [in_python(warning) for warning in self.summary["warnings"]]

    def _problems(self, given: Recording) -> list[str]:
        """Returns the problems of the results, and those of the input that the user was not warned of."""
        known = given._problems
        problems = [problem for problem in known if problem not in given._told]
        found = [warning for warning in self.warnings if warning not in known]
        vague = [warning for warning in found if warning.startswith("no position was determined")]
        for warning in vague:
            place = found.index(warning)
            found[place : place + 1] = self._reasons(given, len(found) > len(vague) or bool(given._suspicion))
        return problems + found

    @staticmethod
    def _reasons(given: Recording, has_others: bool) -> list[str]:
        """Returns why no position was determined; nothing but that if other warnings say why."""
        step = median_step(given._times)
        if step > 1:
            return [f"no position was determined: successive times are {step:g} s apart (median), too far for a track"]
        return ["no position was determined" + ("" if has_others else ": check that there are enough anchors")]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Gives the positions to other libraries, as a stream of Arrow; needs pyarrow."""
        return self.positions.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Returns the positions as a DataFrame."""
        return self.positions.to_pandas()

    def to_polars(self) -> Any:
        """Returns the positions as a DataFrame of Polars."""
        return self.positions.to_polars()

    def to_arrow(self) -> Any:
        """Returns the positions as a ``pyarrow.RecordBatch``."""
        return self.positions.to_arrow()

    def file(self, table: Literal["positions", "distances", "rejected", "zones", "summary"]) -> bytes:
        """Returns a file of results as ``fathom process`` writes it.

        :param table: the file. Those of the rejected rows are the first 1000.
        """
        files = ("positions", "distances", "rejected", "zones", "summary")
        if table not in files:
            raise UsageError(with_candidates(f'"{table}" is not a file of results', table, files, "files"))
        if self._handle is None:
            raise UsageError("a result from another process has no files: write it before it is sent")
        place, count = ffi.new("char **"), ffi.new("int64_t *")
        run(lambda *_: lib.fathom_result_text(self._handle, files.index(table), place, count))
        try:
            content = bytes(ffi.buffer(place[0], count[0]))
        finally:
            lib.fathom_text_free(place[0])
        return _SOURCES.sub(rb"\1\2", content) if self._is_table and table == "summary" else content

    def write(self, folder: Path) -> list[pathlib.Path]:
        """Writes positions, distances, rejected rows and the summary to a folder, and returns the paths.

        :param folder: the folder, which is made if it does not exist.
        """
        place = pathlib.Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        paths = []
        for table, ending in [
            ("positions", "csv"), ("distances", "csv"), ("rejected", "csv"), ("summary", "json"),
        ]:  # fmt: skip
            path = place / f"{self.name}.{table}.{ending}"
            path.write_bytes(self.file(table))  # type: ignore[arg-type]
            paths.append(path)
        return paths

    def plot(
        self,
        kind: Literal["plan", "residuals", "consistency"] = "plan",
        ax: Any = None,
        truth: Truth | Path | Table | None = None,
    ) -> Any:
        """Draws the result with matplotlib, and returns the axes.

        :param kind: ``plan``: positions seen from above; ``residuals``: how far measured distances are from
            the smoothed ones; ``consistency``: normalised innovations squared over time, of a filter.
        :param ax: the axes of matplotlib that are drawn on; by default those of a new figure.
        :param truth: true positions for the plan, as for ``evaluate``.
        """
        from fathom import plotting

        return plotting.draw(self, kind, ax, truth)

    def __len__(self) -> int:
        """The number of positions."""
        return self.positions.rows

    def _repr_html_(self) -> str:
        return _html.result(self)

    def __repr__(self) -> str:
        return f"<Result of {self.name}: {self.positions.rows} positions, {self.distances.rows} distances>"


def track(
    ranges: Recording | Path | Table | None,
    anchors: AnchorTable | None = None,
    method: Method = "filter",
    *,
    name: str = "recording",
    columns: Mapping[str, str] | None = None,
    height: float | None = None,
    height_sigma: float | None = None,
    side: Side | None = None,
    bounds: Sequence[Sequence[float]] | None = None,
    range_sigma: float | None = None,
    range_bias: float | None = None,
    rate: float | None = None,
    epoch_window: float | None = None,
    smoothing: Smoothing | None = None,
    keep: Sequence[str] | None = None,
    acceleration: float | None = None,
    zones: Mapping[str, Any] | None = None,
    heights: Path | Table | None = None,
    odometry: Path | Table | None = None,
    imu: Path | Table | None = None,
    tdoa: Path | Table | None = None,
    poses: Path | Table | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Result:
    """Computes positions and smoothed distances, as ``fathom process`` does, to the bit.

    :param ranges: a path, a ``Recording``, or a table; see ``read`` and ``recording``.
    :param anchors: the anchors; see ``recording``. For a path, they replace the recording's own.
    :param method: ``filter`` from past ranges, ``smooth`` over the whole recording, ``fix`` for each epoch alone.
    :param name: the name of a recording of a table, after which files of results are named.
    :param columns: the table's own names of columns, by known name.
    :param height: the known height of the tags, in metres.
    :param height_sigma: the standard deviation of the height, in metres, which is then estimated as well.
    :param side: the side of the anchors on which the tags are; selects between mirror images.
    :param bounds: two corners of a box that contains the tags, the least and the greatest x, y, z (or x, y) in metres;
        selects between mirror images.
    :param range_sigma: the standard deviation of ranges without their own, in metres; the least value assumed for tracks.
    :param range_bias: for ``fix``, the bias of all ranges in metres, positive if they are too long. By default a bias or
        scale that the recording proves is corrected; 0 keeps ranges as they are.
    :param rate: positions on a grid of this rate, in hertz; by default at every instant with ranges.
    :param epoch_window: for ``fix``, how long a range counts, in seconds; by default derived from the recording.
    :param smoothing: how distances are smoothed, ``kalman-velocity`` by default.
    :param keep: anchors whose ranges are used even if they are wrong all the time.
    :param acceleration: the density of the tags' acceleration, in (m/s²)/√Hz: 0.5 for walking, 2 for flying.
    :param zones: zones on the floor plan, as ``zones`` of ``recording.json`` has them.
    :param heights: measured heights, as in ``heights.csv``: a table or a file.
    :param odometry: motions of the tags, as in ``odometry.csv``.
    :param imu: accelerations and rotation rates, as in ``imu.csv``.
    :param tdoa: time differences of arrival, as in ``tdoa.csv``; ``ranges`` may be None with them.
    :param poses: attitudes of the device, as in ``poses.csv``.
    :param progress: called with the share of the work that is done; its errors end the call. True shows a bar of tqdm, or a
        line on standard error without tqdm.
    :param settings: ``angle_sigma``, ``heading_sigma``, ``device_frame`` and ``extra_columns``, or settings under the names
        that ``summary.json`` has for them.
    :raises FathomError: with the message of the tool. Problems that leave a result are one ``FathomWarning``.
    """
    result, problems = _track(
        ranges, anchors, name=name, columns=columns, keep=keep, progress=progress,
        beside={"heights": heights, "odometry": odometry, "imu": imu, "tdoa": tdoa, "poses": poses},
        settings={
            "method": method, "height": height, "height_sigma": height_sigma, "side": side, "bounds": bounds,
            "range_sigma": range_sigma, "range_bias": range_bias, "rate": rate, "epoch_window": epoch_window,
            "smoothing": smoothing, "acceleration": acceleration, "zones": zones, **settings,
        },
    )  # fmt: skip
    warn(result.name, problems)
    return result


def _track(
    ranges: Recording | Path | Table | None,
    anchors: AnchorTable | _input.Anchors | None = None,
    *,
    name: str,
    settings: Mapping[str, Any],
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] | None = None,
    beside: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> tuple[Result, list[str]]:
    """Returns the result of a recording and its problems; see ``track``."""
    given: Recording
    if isinstance(ranges, Recording):
        given = ranges
    elif _tables.is_path(ranges):
        given = _read(ranges, anchors, columns=dict(columns) if columns else None)
    else:
        given = _created(ranges, anchors, name, columns)
    given = given.beside(**(beside or {}))
    for anchor in keep or ():
        if given.anchors and anchor not in given.anchors:
            raise unknown_anchor(anchor, given.anchors)
    options = encoded(keyed({**settings, "keep": list(keep) if keep is not None else None}))
    place = ffi.new("fathom_result **")
    handle = given._handle
    try:
        run(lambda callback, context: lib.fathom_process(handle, options, callback, context, place), progress, name="track")
    except DataError as refused:
        message = str(refused)
        if given._folder:
            message = message.replace(f"{given._folder}ranges.csv", given.name)
        found = re.search('the anchor is not declared: "(.*?)"', message)
        if found is not None and "(is it" not in message and not _tables.is_path(ranges):
            message = with_candidates(message, found[1], given.anchors, "anchors")
        raise DataError(message, refused.status) from None
    result = Result(place[0], given.name, given.anchors, bool(given._folder))
    return result, result._problems(given)


def calibrate(
    ranges: Recording | Path | Table, anchors: AnchorTable | None = None, **settings: Any
) -> list[dict[str, Any]]:
    """Estimates motion and range errors, as ``fathom calibrate`` does: one entry per tag.

    :param ranges: as for ``track``.
    :param anchors: as for ``track``.
    :param settings: as for ``track``, without ``method``.
    """
    return track(ranges, anchors, method="smooth", **settings).summary.get("calibration") or []
