"""Messages of a bag as tables: ranges, inertial data, odometry and positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

import numpy as np

from fathom._bag_fields import COLUMNS, DURATIONS, LENGTHS, Field, Layout
from fathom._errors import DataError

#: A message with the time in nanoseconds at which it was recorded.
Timed = tuple[int, Any]

IMU, ODOMETRY = "sensor_msgs/msg/Imu", "nav_msgs/msg/Odometry"

#: Messages with a position, and where it is.
POSITIONS = {
    "geometry_msgs/msg/PoseStamped": "pose.position", "geometry_msgs/msg/TransformStamped": "transform.translation",
    "geometry_msgs/msg/PointStamped": "point", "geometry_msgs/msg/PoseWithCovarianceStamped": "pose.pose.position",
    ODOMETRY: "pose.pose.position",
}  # fmt: skip


class Ranges:
    """The rows of the messages of topics, in their order.

    :param distance_unit: the unit of distances; by default that at the end of the name, or metres.
    :param time_unit: the unit of times that are numbers; by default that at the end of the name.
    :param zero_is_distance: whether 0 in an array by anchor is a distance.
    """

    def __init__(self, distance_unit: str | None, time_unit: str | None, zero_is_distance: bool):
        self._distance_unit, self._time_unit, self._zero_is_distance = distance_unit, time_unit, zero_is_distance
        self._columns: dict[str, list[Any]] = {}
        self._recorded: list[int] = []
        #: The pairs of tag and anchor of each topic.
        self._links: dict[str, set[tuple[str, str]]] = {}

    def add(self, topic: str, layout: Layout, messages: Iterable[Timed]) -> None:
        """Adds the rows of a topic.

        :param topic: its name.
        :param layout: the fields of its messages.
        :param messages: the messages.
        """
        distance = layout["distance"]
        is_by_index = "anchor" not in layout
        readers = {COLUMNS[meaning]: self._converted(topic, layout, meaning) for meaning in layout}
        begin = len(self._recorded)
        for number, (recorded, message) in enumerate(messages, 1):
            values = {name: read(message) for name, read in readers.items()}
            found = values["distance_m"]
            count = len(found) if distance.array else 1
            if is_by_index:
                values["anchor"] = [str(index) for index in range(count)]
            rows: Iterable[int] = range(count)
            if is_by_index:
                # A device lists all anchors that it could hear, and writes 0, -1 or NaN for those that it did not.
                rows = [row for row in rows if found[row] > 0 or (found[row] == 0 and self._zero_is_distance)]
            for name, value in values.items():
                if isinstance(value, list):
                    if len(value) != count:
                        what = f"{count} distances, and {len(value)} values of {name}"
                        raise DataError(f"{topic}: message {number} has {what}")
                    self._columns.setdefault(name, []).extend(value[row] for row in rows)
                else:
                    self._columns.setdefault(name, []).extend(value for _ in rows)
            self._recorded.extend(recorded for _ in rows)
        anchors = self._columns.get("anchor", [])[begin:]
        tags = self._columns["tag"][begin:] if "tag" in self._columns else [""] * len(anchors)
        self._links[topic] = set(zip(tags, anchors))

    def _converted(self, topic: str, layout: Layout, meaning: str) -> Callable[[Any], Any]:
        """Returns a function that reads a field in the unit of its column."""
        field = layout[meaning]
        read = field.reader
        convert: Callable[[Any], Any]
        if meaning in ("anchor", "tag"):
            convert = str
        elif meaning == "time":
            convert = self._time(topic, field)
        elif meaning in ("distance", "sigma"):
            # A standard deviation without a unit is in that of the distance.
            has_unit = field.unit(LENGTHS) is not None
            parts = self._parts(topic, field if has_unit else layout["distance"])
            convert = float if parts == 1 else lambda value: value / parts
        else:
            convert = float
        if field.array:
            return lambda message: [convert(value) for value in read(message)]
        return lambda message: convert(read(message))

    def _parts(self, topic: str, field: Field) -> int:
        """The parts of a metre in which a field counts; a division rounds as reading the digits does."""
        if self._distance_unit is not None:
            if self._distance_unit not in ("m", "cm", "mm"):
                raise DataError(f'distance_unit must be m, cm or mm, not "{self._distance_unit}"')
            return LENGTHS[self._distance_unit]
        unit: int | None = field.unit(LENGTHS)
        if unit is None and field.is_integer:
            raise DataError(f'{topic}: {field.path} has whole numbers without a unit; distance_unit="mm" or "cm" states it')
        return unit or 1

    def _time(self, topic: str, field: Field) -> Callable[[Any], int]:
        if field.is_stamp:
            return nanoseconds
        units: Mapping[str, int] = DURATIONS
        if self._time_unit is not None and self._time_unit not in ("s", "ms", "us", "ns"):
            raise DataError(f'time_unit must be s, ms, us or ns, not "{self._time_unit}"')
        factor = units[self._time_unit] if self._time_unit else field.unit(units)
        if factor is None:
            raise DataError(f'{topic}: {field.path} has no unit in its name; time_unit="ms" states it: s, ms, us or ns')
        return lambda value: value * factor if isinstance(value, int) else round(value * factor)

    def check_links(self) -> None:
        """Refuses topics that have ranges of the same links: raw and filtered ones, or those of several devices."""
        known: dict[tuple[str, str], str] = {}
        for topic, links in self._links.items():
            for link in links:
                if (other := known.setdefault(link, topic)) != topic:
                    tag, anchor = link
                    what = f"between {tag} and {anchor}" if tag else f"to {anchor} without the name of a tag"
                    choice = f'topic="{other}" chooses one, and a list of topics all of them'
                    raise DataError(f"{other} and {topic} have ranges {what}; {choice}")

    def table(self) -> tuple[dict[str, Any], bool]:
        """Returns the columns of ranges, and whether their times are those at which they were recorded."""
        if not self._recorded:
            raise DataError(f"no message of {', '.join(self._links)} has a range")
        columns = {name: np.array(values) for name, values in self._columns.items()}
        recorded = np.array(self._recorded, "i8")
        stamps = columns.pop("time_ns", recorded)
        is_recorded = stamps is recorded or not stamps.any()
        columns["time_ns"] = recorded if is_recorded else stamps
        if len(self._links) > 1:
            order = np.argsort(recorded, kind="stable")
            columns = {name: values[order] for name, values in columns.items()}
        return columns, is_recorded


def nanoseconds(stamp: Any) -> int:
    """Returns a time of ROS as nanoseconds."""
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def _times(messages: list[Timed], is_recorded: bool = False) -> np.ndarray:
    """Returns the stamps of messages, or the times at which they were recorded if no message has a stamp."""
    stamps = [nanoseconds(message.header.stamp) for _, message in messages]
    return np.array([time for time, _ in messages] if is_recorded or not any(stamps) else stamps, "i8")


def inertial(messages: list[Timed], is_recorded: bool) -> dict[str, np.ndarray] | None:
    """Returns the table ``imu`` of ``sensor_msgs/Imu``; None if they state that they have no readings.

    :param messages: the messages.
    :param is_recorded: whether times are those at which messages were recorded, as those of the ranges.
    """
    first = messages[0][1]
    if first.linear_acceleration_covariance[0] == -1 or first.angular_velocity_covariance[0] == -1:
        return None
    found = {"time_ns": _times(messages, is_recorded)}
    for name, unit, field in (("acc", "mps2", "linear_acceleration"), ("gyro", "radps", "angular_velocity")):
        for axis in "xyz":
            read = attrgetter(f"{field}.{axis}")
            found[f"{name}_{axis}_{unit}"] = np.array([read(message) for _, message in messages], "f8")
    return found


def increments(messages: list[Timed], is_recorded: bool) -> dict[str, np.ndarray]:
    """Returns the table ``odometry`` of ``nav_msgs/Odometry``.

    The motion is that between poses: drivers fill the velocities in different frames, or not at all.

    :param messages: the messages.
    :param is_recorded: as for ``inertial``.
    """
    poses = [message.pose.pose for _, message in messages]
    x, y = (np.array([getattr(pose.position, axis) for pose in poses], "f8") for axis in "xy")
    yaw = np.array([_yaw(pose.orientation) for pose in poses])
    dx, dy, before = np.diff(x), np.diff(y), yaw[:-1]
    turn = (np.diff(yaw) + math.pi) % (2 * math.pi) - math.pi
    forward, left = dx * np.cos(before) + dy * np.sin(before), dy * np.cos(before) - dx * np.sin(before)
    columns = {"forward_m": forward, "left_m": left, "turn_rad": turn}
    # The first row only states from when on the motion is known.
    return {
        "time_ns": _times(messages, is_recorded), **{name: np.concatenate([[0.0], each]) for name, each in columns.items()},
    }  # fmt: skip


def _yaw(q: Any) -> float:
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def positions(message_type: str, messages: list[Timed]) -> dict[str, np.ndarray]:
    """Returns the positions of messages as a table of truth.

    :param message_type: the type of the messages, one of ``POSITIONS``.
    :param messages: the messages.
    """
    read = attrgetter(POSITIONS[message_type])
    places = [read(message) for _, message in messages]
    columns = {axis: np.array([getattr(place, axis) for place in places], "f8") for axis in "xyz"}
    return {"time_ns": _times(messages), **columns}
