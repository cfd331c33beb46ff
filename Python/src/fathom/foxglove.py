"""Results and live positions for Foxglove: anchors, tags, ellipses, trails and messages.

Needs ``pip install "fathom-positioning[foxglove]"``.

>>> import fathom.foxglove
>>> fathom.foxglove.write(fathom.track("Datasets/robot-2d"), "robot.mcap")
"""

from __future__ import annotations

import math
import pathlib
from collections import deque
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fathom import _input
from fathom._errors import DataError, UsageError
from fathom._tracking import Result
from fathom._types import AnchorTable, Path

try:
    import foxglove
    from foxglove import channels
    from foxglove import messages as fg
except ImportError as missing:
    raise ImportError('fathom.foxglove needs foxglove-sdk: pip install "fathom-positioning[foxglove]"') from missing

#: The factor of a standard deviation in the plane that contains 95 %: the root of the quantile of chi-square.
_ELLIPSE = 2.4477
#: Seconds between trails. A trail is as long as all positions in it, and the eye follows four a second.
_TRAIL_STEP = 0.25
#: Seconds between repetitions of the anchors, for who joins a live scene.
_ANCHOR_STEP = 1.0

_COLORS = {
    "tracking": (0.12, 0.47, 0.71), "ambiguous": (0.90, 0.55, 0.00), "coasting": (0.55, 0.55, 0.55),
    "inconsistent": (0.84, 0.15, 0.16),
}  # fmt: skip
_LEVELS = {"info": fg.LogLevel.Info, "warning": fg.LogLevel.Warning, "error": fg.LogLevel.Error}


class Scene:
    """A scene that is logged to Foxglove: to a file of ``foxglove.open_mcap`` or a server of ``foxglove.start_server``.

    Topics are ``/fathom/anchors`` and, for each tag, ``/fathom/TAG/scene`` with ``foxglove.SceneUpdate`` and
    ``/fathom/TAG/pose`` with ``foxglove.PoseInFrame``, and ``/fathom/log`` with ``foxglove.Log``.

    >>> server = foxglove.start_server()
    >>> scene = Scene(anchors)
    >>> now = tracker.estimate_ns(time_ns)
    >>> scene.update(time_ns, "cart", now.position, now.covariance, status=now.status, alternative=now.alternative)

    :param anchors: as for ``fathom.track``.
    :param frame: the coordinate frame of the anchors.
    :param trail: the length of trails in seconds.
    :param context: the context of ``foxglove`` that is logged to; by default the global one.
    """

    def __init__(self, anchors: AnchorTable | None, *, frame: str = "map", trail: float = 10.0, context: Any = None):
        declared = _input.anchors(anchors)
        self._names = [] if declared is None else declared.names
        self._places = np.empty((0, 3)) if declared is None else declared.positions
        self._frame, self._trail, self._context = frame, trail, context
        extent = float(np.ptp(self._places, axis=0).max()) if len(self._places) else 10.0
        #: The diameter of a tag: a sixtieth of the installation, in metres.
        self._size = min(max(extent / 60, 0.05), 1.0)
        self._anchors = channels.SceneUpdateChannel("/fathom/anchors", context=context)
        self._log = channels.LogChannel("/fathom/log", context=context)
        self._tags: dict[str, _Tag] = {}
        self._anchors_shown = -math.inf

    def update(
        self, time_ns: int, tag: str, position: npt.ArrayLike, covariance: npt.ArrayLike | None = None, *,
        status: str = "tracking", alternative: npt.ArrayLike | None = None,
    ) -> None:  # fmt: skip
        """Shows a tag at a position.

        :param time_ns: nanoseconds.
        :param tag: the name of the tag.
        :param position: x, y and z in metres; an unknown z is shown at 0.
        :param covariance: 3 by 3 in m², for the 95 % ellipse in the plane; None for no ellipse.
        :param status: the status of a result; ``ambiguous``, ``coasting`` and ``inconsistent`` have colors of their own.
        :param alternative: the other position of an ambiguous one, shown pale.
        """
        stamp = _stamp(time_ns)
        if time_ns / 1e9 - self._anchors_shown >= _ANCHOR_STEP or time_ns / 1e9 < self._anchors_shown:
            self._show_anchors(time_ns, stamp)
        known = self._tags.get(tag)
        if known is None:
            known = self._tags[tag] = _Tag(tag, self._context)
        place = np.nan_to_num(np.asarray(position, "f8"))
        red, green, blue = _COLORS.get(status, _COLORS["tracking"])
        color = fg.Color(r=red, g=green, b=blue, a=1.0)
        spheres = [self._sphere(place, color)]
        if alternative is not None and np.isfinite(np.asarray(alternative, "f8")[:2]).all():
            pale = fg.Color(r=red, g=green, b=blue, a=0.3)
            spheres.append(self._sphere(np.nan_to_num(np.asarray(alternative, "f8")), pale))
        lines = []
        if covariance is not None and np.isfinite(plane := np.asarray(covariance, "f8")[:2, :2]).all():
            lines.append(self._line(_ellipse(place, plane), color, is_closed=True))
        entities = [
            fg.SceneEntity(
                timestamp=stamp, frame_id=self._frame, id=tag, spheres=spheres, lines=lines, texts=[self._text(tag, place)]
            )
        ]
        points = known.followed(time_ns / 1e9, place, self._trail)
        if points is not None:
            line = self._line(points, fg.Color(r=red, g=green, b=blue, a=0.5), is_closed=False)
            entities.append(fg.SceneEntity(timestamp=stamp, frame_id=self._frame, id=f"{tag} trail", lines=[line]))
        known.scene.log(fg.SceneUpdate(entities=entities), log_time=time_ns)
        known.pose.log(fg.PoseInFrame(timestamp=stamp, frame_id=self._frame, pose=_pose(place)), log_time=time_ns)

    def log(
        self, time_ns: int, message: str, level: Literal["info", "warning", "error"] = "warning", name: str = "fathom"
    ) -> None:
        """Logs a message.

        :param time_ns: nanoseconds.
        :param message: the text.
        :param level: ``info``, ``warning`` or ``error``.
        :param name: the source of the message, by which Foxglove filters.
        """
        entry = fg.Log(timestamp=_stamp(time_ns), level=_LEVELS[level], message=message, name=name)
        self._log.log(entry, log_time=time_ns)

    def _show_anchors(self, time_ns: int, stamp: Any) -> None:
        color = fg.Color(r=0.2, g=0.2, b=0.2, a=1.0)
        size = fg.Vector3(x=self._size, y=self._size, z=self._size)
        entities = [
            fg.SceneEntity(
                timestamp=stamp, frame_id=self._frame, id=f"anchor {name}", texts=[self._text(name, place)],
                cubes=[fg.CubePrimitive(pose=_pose(place), size=size, color=color)],
            )
            for name, place in zip(self._names, self._places)
        ]  # fmt: skip
        self._anchors.log(fg.SceneUpdate(entities=entities), log_time=time_ns)
        self._anchors_shown = time_ns / 1e9

    def _sphere(self, place: np.ndarray, color: Any) -> Any:
        return fg.SpherePrimitive(pose=_pose(place), size=fg.Vector3(x=self._size, y=self._size, z=self._size), color=color)

    def _text(self, text: str, place: np.ndarray) -> Any:
        above = place + [0, 0, self._size]
        return fg.TextPrimitive(pose=_pose(above), billboard=True, font_size=14.0, scale_invariant=True, text=text)

    @staticmethod
    def _line(points: np.ndarray, color: Any, is_closed: bool) -> Any:
        kinds = fg.LinePrimitiveLineType
        return fg.LinePrimitive(
            type=kinds.LineLoop if is_closed else kinds.LineStrip, pose=_pose(np.zeros(3)), thickness=2.0,
            scale_invariant=True, points=[fg.Point3(x=x, y=y, z=z) for x, y, z in points.tolist()], color=color,
        )  # fmt: skip


class _Tag:
    """The channels of a tag, and its last positions."""

    def __init__(self, name: str, context: Any):
        self.scene = channels.SceneUpdateChannel(f"/fathom/{name}/scene", context=context)
        self.pose = channels.PoseInFrameChannel(f"/fathom/{name}/pose", context=context)
        self._places: deque[tuple[float, np.ndarray]] = deque()
        self._shown = -math.inf

    def followed(self, time: float, place: np.ndarray, trail: float) -> np.ndarray | None:
        """Adds a position in seconds, and returns the points of the trail if it is to be shown again."""
        if self._places and time < self._places[-1][0]:
            self._places.clear()  # the clock was set back
            self._shown = -math.inf
        self._places.append((time, place))
        while self._places[0][0] < time - trail:
            self._places.popleft()
        if len(self._places) < 2 or time - self._shown < _TRAIL_STEP:
            return None
        self._shown = time
        return np.array([each for _, each in self._places])


def _stamp(time_ns: int) -> Any:
    if not 0 <= time_ns < 2**32 * 1_000_000_000:
        raise DataError(f"Foxglove has no times before 1970 or after 2106: {time_ns} ns")
    return fg.Timestamp(sec=time_ns // 1_000_000_000, nsec=time_ns % 1_000_000_000)


def _pose(place: np.ndarray) -> Any:
    x, y, z = place.tolist()
    return fg.Pose(position=fg.Vector3(x=x, y=y, z=z), orientation=fg.Quaternion(x=0.0, y=0.0, z=0.0, w=1.0))


def _ellipse(place: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Returns points of the 95 % ellipse around a position, at its height."""
    variances, axes = np.linalg.eigh(covariance)
    angles = np.linspace(0, 2 * math.pi, 32, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    plane = (axes * (_ELLIPSE * np.sqrt(np.maximum(variances, 0)))) @ circle
    found: np.ndarray = place + np.column_stack([plane.T, np.zeros(len(angles))])
    return found


def write(result: Result, path: Path, *, frame: str = "map", trail: float = 10.0) -> pathlib.Path:
    """Writes a result as an MCAP file for Foxglove, and returns its path.

    Warnings and diagnoses are messages at the beginning; undetermined positions are left out.

    :param result: the result of ``fathom.track``.
    :param path: the file, which must not exist.
    :param frame: the coordinate frame of the anchors.
    :param trail: the length of trails in seconds.
    :raises UsageError: if the file exists.
    :raises DataError: if there are no positions, or times before 1970.
    """
    place = pathlib.Path(path)
    positions = result.positions
    known = np.flatnonzero(np.isfinite(positions["x_m"]) & np.isfinite(positions["y_m"]))
    if not len(known):
        raise DataError(f"{place}: {result.name} has no positions to write")
    if place.exists():
        raise UsageError(f"{place} exists: remove it, or choose another path")
    times = positions["time_ns"]
    rows = known[np.argsort(times[known], kind="stable")].tolist()
    begin = int(times[rows[0]])
    _stamp(begin)
    place.parent.mkdir(parents=True, exist_ok=True)
    context = foxglove.Context()
    with foxglove.open_mcap(place, context=context):
        scene = Scene(result.anchors, frame=frame, trail=trail, context=context)
        for warning in result.warnings:
            scene.log(begin, warning)
        for diagnosis in result.diagnoses:
            parts = [diagnosis[name] for name in ("message", "suggestion") if diagnosis.get(name)]
            scene.log(begin, "; ".join(parts), name=f"fathom.{diagnosis['code']}")
        where, others = (np.column_stack([positions[f"{prefix}{axis}_m"] for axis in "xyz"]) for prefix in ("", "alt_"))
        xx, xy, xz, yy, yz, zz = (positions[name] for name in ("sxx", "sxy", "sxz", "syy", "syz", "szz"))
        covariances = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
        for row in rows:
            scene.update(
                int(times[row]), positions["tag"][row] or "tag", where[row], covariances[row],
                status=positions["status"][row], alternative=others[row],
            )  # fmt: skip
    return place
