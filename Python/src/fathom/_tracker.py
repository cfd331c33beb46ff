"""The live tracker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fathom import _input
from fathom._arrays import codes, floats, nanoseconds
from fathom._columns import Columns
from fathom._core import Owner, check, encoded, ffi, keyed, lib, pointer, run, words
from fathom._errors import UsageError, listed, unknown_anchor
from fathom._types import AnchorTable, Outcome, TrackStatus

_OUTCOMES: list[Outcome] = words(lib.FATHOM_OUTCOME)  # type: ignore[assignment]
_STATUSES: list[TrackStatus] = words(lib.FATHOM_TRACK_STATUS)  # type: ignore[assignment]
_NAN = float("nan")

_ESTIMATE = np.dtype(
    {
        "names": ["time_ns", "position", "velocity", "covariance", "alternative", "status"],
        "formats": ["i8", "3f8", "3f8", "6f8", "3f8", "i4"],
        "offsets": [0, 8, 32, 56, 104, 128],
        "itemsize": ffi.sizeof("fathom_estimate"),
    }
)

# Looked up once: these calls take longer than the filter.
_estimate = lib.fathom_tracker_estimate
_new_estimate = ffi.new
_ESTIMATE_POINTER = ffi.typeof("fathom_estimate *")
#: The elements of a symmetric matrix among xx, xy, xz, yy, yz, zz.
_SYMMETRIC = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])

_SETTINGS = (
    "height", "height_sigma", "side", "bounds", "range_sigma", "acceleration", "device_frame", "angle_sigma",
    "heading_sigma",
)  # fmt: skip


def _settings(sensors: Sequence[str], settings: dict[str, Any]) -> Any:
    """Returns the settings of a tracker as JSON."""
    if isinstance(sensors, str):
        raise UsageError("sensors must be a list of words")
    return encoded({**keyed(settings, "Tracker", _SETTINGS), "sensors": list(sensors)})


class _Places(dict[str, int]):
    """The indices of anchors by name."""

    def __missing__(self, name: str) -> int:
        raise unknown_anchor(name, self)


class Estimate:
    """The state of a tag at one instant.

    Its arrays are made when they are asked for, as views of the estimate.
    """

    __slots__ = ("_row",)

    def __init__(self, row: Any):
        self._row = row

    def _array(self, offset: int, count: int) -> np.ndarray:
        return np.frombuffer(ffi.buffer(self._row), np.float64, count, offset)

    @property
    def time_ns(self) -> int:
        """Nanoseconds."""
        return int(self._row.time_ns)

    @property
    def position(self) -> np.ndarray:
        """x, y, z; metres."""
        return self._array(8, 3)

    @property
    def velocity(self) -> np.ndarray:
        """Metres per second."""
        return self._array(32, 3)

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the position, 3 by 3; m²."""
        found: np.ndarray = self._array(56, 6)[_SYMMETRIC]
        return found

    @property
    def status(self) -> TrackStatus:
        """``tracking``, ``ambiguous`` or ``coasting``."""
        return _STATUSES[int(self._row.status)]

    @property
    def alternative(self) -> np.ndarray | None:
        """The mirror image while the status is ``ambiguous``; None otherwise."""
        found = self._array(104, 3)
        return None if np.isnan(found[0]) else found

    def __reduce__(self) -> Any:
        return _restored, (bytes(ffi.buffer(self._row)),)

    def __repr__(self) -> str:
        x, y, z = self.position.tolist()
        return f"<Estimate at {self.time_ns / 1e9:g} s: {x:.3f}, {y:.3f}, {z:.3f} m, {self.status}>"


def _restored(content: bytes) -> Estimate:
    """Returns an estimate of its bytes."""
    row = _new_estimate(_ESTIMATE_POINTER)
    ffi.buffer(row)[:] = content
    return Estimate(row)


class Tracker(Owner):
    """Tracks one tag, measurement by measurement.

    :param anchors: as for ``track``.
    :param sensors: the kinds of measurements beside ranges and directions that will come: ``height``,
        ``odometry``, ``inertial``, ``difference``. Those of a kind that is not listed are ``invalid``.
    :param settings: ``height``, ``height_sigma``, ``side``, ``bounds``, ``range_sigma``, ``acceleration``,
        ``device_frame``, ``angle_sigma``, ``heading_sigma`` (degrees).

    Measurements come in order of time; times are seconds. Each method returns how its measurement was used:
    ``used``, ``discounted``, ``starting``, ``started``, ``late``, ``invalid`` or ``duplicate``.

    A tracker is used by one thread at a time.
    """

    __slots__ = ("_anchors", "_handle", "_outcome", "_places", "_update", "anchor_names")

    def __init__(
        self,
        anchors: AnchorTable,
        *,
        sensors: Sequence[Literal["height", "odometry", "inertial", "difference"]] = (),
        **settings: Any,
    ):
        self._anchors = _input.anchors(anchors)
        if self._anchors is None:
            raise UsageError("a tracker needs anchors")
        place = ffi.new("fathom_tracker **")
        check(lib.fathom_tracker_create(self._anchors.pointer, _settings(sensors, settings), place))
        self._handle = ffi.gc(place[0], lib.fathom_tracker_free)
        self._outcome = ffi.new("int32_t *")
        self._update = lib.fathom_tracker_update
        #: The names of the anchors, in their order.
        self.anchor_names: list[str] = self._anchors.names
        self._places = _Places((name, index) for index, name in enumerate(self.anchor_names))

    def update(self, time: float, anchor: str, distance: float, sigma: float = _NAN) -> Outcome:
        """Processes a range, and returns how it was used.

        :param time: seconds. Seconds since 1970 are only known to 0.2 µs; ``update_ns`` has no such limit.
        :param anchor: the name of the anchor.
        :param distance: metres.
        :param sigma: its standard deviation in metres; by default that of the settings.
        :returns: ``used``, ``discounted``, ``starting``, ``started``, ``late``, ``invalid`` or ``duplicate``.
        :raises DataError: if there is no such anchor.
        """
        return self.update_ns(round(time * 1e9), anchor, distance, sigma)

    def update_ns(self, time_ns: int, anchor: str, distance: float, sigma: float = _NAN) -> Outcome:
        """Processes a range, and returns how it was used; see ``update``.

        :param time_ns: nanoseconds.
        :param anchor: the name of the anchor.
        :param distance: metres.
        :param sigma: its standard deviation in metres; by default that of the settings.
        """
        status = self._update(self._handle, time_ns, self._places[anchor], distance, sigma, self._outcome)
        if status:
            check(status)
        return _OUTCOMES[int(self._outcome[0])]

    def estimate(self, time: float) -> Estimate | None:
        """Returns the estimate at a time; None before the start and before the last range.

        :param time: seconds.
        """
        return self.estimate_ns(round(time * 1e9))

    def estimate_ns(self, time_ns: int) -> Estimate | None:
        """Returns the estimate at a time; see ``estimate``.

        :param time_ns: nanoseconds.
        """
        row = _new_estimate(_ESTIMATE_POINTER)
        status = _estimate(self._handle, time_ns, row)
        if status == 0:
            return Estimate(row)
        if status != -1:
            check(status)
        return None

    def update_many(
        self, time_ns: npt.ArrayLike, anchor: npt.ArrayLike, distance: npt.ArrayLike, sigma: npt.ArrayLike | None = None
    ) -> Columns:
        """Processes many ranges, and returns the estimate after each.

        :param time_ns: whole nanoseconds, datetime64, or texts of ISO 8601.
        :param anchor: indices among ``anchor_names``, or names.
        :param distance: metres.
        :param sigma: standard deviations in metres; by default that of the settings.
        :returns: ``time_ns``, ``x_m`` to ``z_m``, ``vx_mps`` to ``vz_mps``, ``sxx`` to ``szz``, and the codes
            ``outcome`` and ``status``; -1 without an estimate.
        """
        times = nanoseconds(time_ns)
        places = anchor if isinstance(anchor, np.ma.MaskedArray) else np.asarray(anchor)
        if places.dtype.kind not in "iu":
            found, names = codes(places)
            own = np.array([self._places[name] for name in names] + [-1], "i4")
            places = own[found]
        places = np.ascontiguousarray(np.ma.filled(places, -1), dtype="i4")
        distances = floats(distance, "distance")
        sigmas = None if sigma is None else floats(sigma, "sigma")
        lengths = {len(array) for array in (times, places, distances, sigmas) if array is not None}
        if len(lengths) > 1:
            raise UsageError("the columns differ in length")
        count = len(times)
        outcomes = np.empty(count, "i4")
        estimates = np.empty(count, _ESTIMATE)
        run(
            lambda *_: lib.fathom_tracker_update_many(
                self._handle, count, pointer(times), pointer(places), pointer(distances), pointer(sigmas),
                ffi.cast("int32_t *", ffi.from_buffer(outcomes)),
                ffi.cast("fathom_estimate *", ffi.from_buffer(estimates)),
            )
        )  # fmt: skip
        columns: dict[str, np.ndarray] = {"time_ns": estimates["time_ns"]}
        for axis, name in enumerate("xyz"):
            columns[f"{name}_m"] = estimates["position"][:, axis]
        for axis, name in enumerate("xyz"):
            columns[f"v{name}_mps"] = estimates["velocity"][:, axis]
        for element, name in enumerate(("sxx", "sxy", "sxz", "syy", "syz", "szz")):
            columns[name] = estimates["covariance"][:, element]
        columns["outcome"] = outcomes
        columns["status"] = estimates["status"]
        return Columns(columns)

    def difference(self, time: float, anchor: str, other: str, difference: float) -> Outcome:
        """Processes a time difference of arrival. Differences of one transmission have one time and one ``anchor``.

        :param time: seconds.
        :param anchor: the name of the anchor.
        :param other: the name of the other anchor.
        :param difference: the distance to ``anchor`` minus that to ``other``, in metres.
        """
        return self._measure(
            lib.FATHOM_DIFFERENCE, time, [difference], anchor=self._places[anchor], other_anchor=self._places[other]
        )

    def direction(
        self, time: float, anchor: str, attitude: Sequence[float], azimuth: float = _NAN,
        elevation: float = _NAN, sigma: float = _NAN,
    ) -> Outcome:  # fmt: skip
        """Processes the direction in which the device saw an anchor.

        :param time: seconds.
        :param anchor: the name of the anchor.
        :param attitude: the attitude of the device in the world: the quaternion w, x, y, z.
        :param azimuth: radians in the frame of the device, the setting ``device_frame``.
        :param elevation: radians, positive upwards.
        :param sigma: the standard deviation of both in radians; by default that of the settings.
        """
        return self._measure(
            lib.FATHOM_DIRECTION, time, [azimuth, elevation, *attitude], sigma, anchor=self._places[anchor]
        )

    def height(self, time: float, height: float, sigma: float = _NAN) -> Outcome:
        """Processes a measured height, of a barometer, a laser or a known floor.

        :param time: seconds.
        :param height: metres.
        :param sigma: its standard deviation in metres; by default that of the engine.
        """
        return self._measure(lib.FATHOM_HEIGHT, time, [height], sigma)

    def odometry(self, begin: float, end: float, forward: float, turn: float, left: float = 0.0) -> Outcome:
        """Processes a motion of the vehicle.

        :param begin: seconds.
        :param end: seconds.
        :param forward: metres.
        :param turn: radians, positive counter-clockwise.
        :param left: metres.
        """
        return self._measure(lib.FATHOM_ODOMETRY, end, [forward, left, turn], begin_ns=round(begin * 1e9))

    def inertial(self, time: float, acceleration: Sequence[float], rotation: Sequence[float]) -> Outcome:
        """Processes a reading of an accelerometer and a gyroscope.

        :param time: seconds.
        :param acceleration: the specific force along x, y, z of the sensor in m/s², at rest upwards.
        :param rotation: the rotation rate in rad/s.
        """
        return self._measure(lib.FATHOM_INERTIAL, time, [*acceleration, *rotation])

    def interrupt(self, time: float) -> Outcome:
        """Tells that after a time the tag may be anywhere.

        :param time: seconds.
        """
        return self._measure(lib.FATHOM_INTERRUPTION, time, [])

    def _measure(self, kind: int, time: float, values: Sequence[float], sigma: float = _NAN, **others: int) -> Outcome:
        values = [float(value) for value in values]
        if len(values) > 6:
            raise UsageError("too many numbers")
        measurement = {"kind": kind, "time_ns": round(time * 1e9), "sigma": sigma, "values": values, **others}
        row = ffi.new("fathom_measurement *", measurement)
        check(lib.fathom_tracker_measure(self._handle, 1, row, self._outcome))
        return _OUTCOMES[int(self._outcome[0])]

    def reset(self) -> None:
        """Forgets all measurements."""
        check(lib.fathom_tracker_reset(self._handle))

    def __repr__(self) -> str:
        return f"<Tracker of {len(self.anchor_names)} anchors: {listed(self.anchor_names)}>"
