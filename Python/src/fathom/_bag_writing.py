"""Positions as bags of ROS 1 and ROS 2; needs rosbags."""

from __future__ import annotations

import math
import pathlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fathom._errors import DataError, UsageError
from fathom._tracking import Result
from fathom._types import Path

_POSE = "geometry_msgs/msg/PoseWithCovarianceStamped"
_PATH = "nav_msgs/msg/Path"
_COVARIANCES = ("sxx", "sxy", "sxz", "syy", "syz", "szz")
#: The variance of each angle of an attitude that is not estimated, in rad²: a standard deviation of half a turn.
_UNKNOWN_ANGLE = math.pi**2


def write_bag(result: Result, path: Path, *, frame: str = "map") -> pathlib.Path:
    """Writes positions as a bag of ROS 1 or ROS 2, and returns its path.

    Each tag has the topics ``/fathom/TAG/pose`` with ``geometry_msgs/PoseWithCovarianceStamped`` and
    ``/fathom/TAG/path`` with one ``nav_msgs/Path`` at the end. Attitudes are not estimated: they are the identity with a
    standard deviation of half a turn. Without heights z is 0. Undetermined positions are left out.

    :param result: the result of ``track``.
    :param path: ``.bag`` for ROS 1; ``.mcap`` or ``.db3`` for a single file of ROS 2, or any other name for a folder with
        its metadata. It must not exist.
    :param frame: the coordinate frame of the anchors, ``frame_id`` of the messages.
    :raises UsageError: if the path exists or rosbags is not installed.
    :raises DataError: if there are no positions, or times before 1970 or after 2038.
    """
    place = pathlib.Path(path)
    positions = result.positions
    times = positions["time_ns"]
    known = np.isfinite(positions["x_m"]) & np.isfinite(positions["y_m"])
    if not known.any():
        raise DataError(f"{place}: {result.name} has no positions to write")
    # Seconds are 32-bit numbers with a sign.
    if times[known].min() < 0 or times[known].max() >= 2**31 * 1_000_000_000:
        raise DataError(f"{place}: bags have no times before 1970 or after 2038")
    with _writer(place) as (messages, add):
        tags = positions.codes("tag")
        topics = dict(enumerate(_topics(positions.categories("tag"))))
        used = np.unique(tags[known]).tolist()
        writers = {code: add(f"{topics[code]}/pose", _POSE) for code in used}
        paths: dict[int, list[Any]] = {code: [] for code in used}
        # The rows are tag by tag, and a bag is in order of time.
        rows = np.flatnonzero(known)
        for row in rows[np.argsort(times[rows], kind="stable")].tolist():
            header = messages.header(int(times[row]), frame)
            pose = messages.pose(*(_number(positions[name][row]) for name in ("x_m", "y_m", "z_m")))
            covariance = _covariance([_number(positions[name][row]) for name in _COVARIANCES])
            paths[tags[row]].append(messages.make("geometry_msgs/msg/PoseStamped", header=header, pose=pose))
            with_covariance = messages.make("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=covariance)
            writers[tags[row]](int(times[row]), messages.make(_POSE, header=header, pose=with_covariance))
        end = int(times[known].max())
        for code, poses in paths.items():
            path_message = messages.make(_PATH, header=messages.header(end, frame), poses=poses)
            add(f"{topics[code]}/path", _PATH)(end, path_message)
    return place


def _topics(tags: list[str]) -> list[str]:
    """Returns the names of topics of tags: a name of ROS has letters, digits and underscores, and begins with no digit."""
    found: list[str] = []
    for tag in tags:
        name = re.sub(r"[^A-Za-z0-9_]", "_", tag)
        topic = f"/fathom/{name if re.match('[A-Za-z]', name) else f'tag_{name}'}"
        number = sum(each == topic or each.startswith(f"{topic}_") for each in found)
        found.append(f"{topic}_{number + 1}" if topic in found else topic)
    return found


def _number(value: Any) -> float:
    return 0.0 if math.isnan(value) else float(value)


def _covariance(values: list[float]) -> np.ndarray:
    """Returns the covariance of x, y, z and three angles, row by row."""
    xx, xy, xz, yy, yz, zz = values
    found = np.diag([0.0, 0, 0, _UNKNOWN_ANGLE, _UNKNOWN_ANGLE, _UNKNOWN_ANGLE])
    found[:3, :3] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return found.reshape(-1)


class _Messages:
    """Makes messages of one version of ROS."""

    def __init__(self, types: Any, is_first: bool):
        self._types = types.types
        self._is_first = is_first
        self._identity = self.make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)

    def make(self, message_type: str, **values: Any) -> Any:
        return self._types[message_type](**values)

    def header(self, time: int, frame: str) -> Any:
        """Returns a header; that of ROS 1 has a number too, which is not used."""
        stamp = self.make("builtin_interfaces/msg/Time", sec=time // 1_000_000_000, nanosec=time % 1_000_000_000)
        return self.make("std_msgs/msg/Header", stamp=stamp, frame_id=frame, **({"seq": 0} if self._is_first else {}))

    def pose(self, x: float, y: float, z: float) -> Any:
        place = self.make("geometry_msgs/msg/Point", x=x, y=y, z=z)
        return self.make("geometry_msgs/msg/Pose", position=place, orientation=self._identity)


#: Adds a topic of a type, and returns what writes a message at a time in nanoseconds.
_Add = Callable[[str, str], Callable[[int, Any], None]]


@contextmanager
def _writer(place: pathlib.Path) -> Iterator[tuple[_Messages, _Add]]:
    """Opens a new bag, which appears at its place when it is complete."""
    try:
        from rosbags import rosbag1, rosbag2
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise UsageError(f'{place}: bags need rosbags: pip install "fathom-positioning[ros]"') from None
    if place.exists():
        raise UsageError(f"{place} exists: remove it, or choose another path")
    place.parent.mkdir(parents=True, exist_ok=True)
    is_first, is_file = place.suffix == ".bag", place.suffix in (".mcap", ".db3")
    types = get_typestore(Stores.ROS1_NOETIC if is_first else Stores.ROS2_HUMBLE)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".fathom-") as folder:
        # The files in a bag of ROS 2 have its name.
        made = pathlib.Path(folder) / (place.name if is_first else place.stem if is_file else place.name)
        plugin = rosbag2.StoragePlugin.MCAP if place.suffix == ".mcap" else rosbag2.StoragePlugin.SQLITE3
        # Version 8 is read by ROS 2 from Humble on.
        bag: Any = rosbag1.Writer(made) if is_first else rosbag2.Writer(made, version=8, storage_plugin=plugin)
        encode = types.serialize_ros1 if is_first else types.serialize_cdr
        with bag as writer:

            def add(topic: str, message_type: str) -> Callable[[int, Any], None]:
                connection = writer.add_connection(topic, message_type, typestore=types)
                return lambda time, message: writer.write(connection, time, encode(message, message_type))

            yield _Messages(types, is_first), add
        if is_file:
            made = next(made.glob(f"*{place.suffix}"))
        shutil.move(made, place)
