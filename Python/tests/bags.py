"""Writes bags of ROS 1 and ROS 2 for tests."""

from pathlib import Path

import fathom
import numpy as np
import pytest

pytest.importorskip("rosbags", reason="bags need rosbags")

from rosbags import rosbag1, rosbag2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

KINDS = ["ros1", "sqlite3", "mcap"]
EPOCH = 1_700_000_000_000_000_000

DEFINITIONS = {
    "uwb_msgs/msg/UwbRange": "std_msgs/Header header\nstring requester_id\nstring responder_id\nfloat64 distance\n",
    "uwb_msgs/msg/Node": "uint8 id\nfloat64 dis\nfloat32 fp_rssi\nfloat32 rx_rssi\n",
    "uwb_msgs/msg/NodeFrame": "std_msgs/Header header\nuint8 id\nuwb_msgs/Node[] nodes\n",
    "uwb_msgs/msg/Lists": "std_msgs/Header header\nint64[] destination_id\nint32[] distance_mm\n",
    "uwb_msgs/msg/Whole": "int32 anchorId\nint32 tagId\nint32 range\n",
    "uwb_msgs/msg/Pair": "uint8 from_id\nuint8 to_id\nfloat64 distance_cm\nfloat64 range_sigma\n",
    "uwb_msgs/msg/Frame": "uint8 id\nuint32 system_time\nfloat32[4] dis_arr\n",
    "uwb_msgs/msg/Odd": "std_msgs/Header header\nstring who\nfloat64 toa_value\nuint32 clock\nuint32 clock_us\n",
}


class Bag:
    """A new bag; ``kind`` is ``ros1``, ``sqlite3`` or ``mcap``."""

    def __init__(self, path: Path, kind: str, types: dict[str, str] | None = None):
        self.is_first = kind == "ros1"
        self.types = get_typestore(Stores.ROS1_NOETIC if self.is_first else Stores.ROS2_HUMBLE)
        for name, text in (types or DEFINITIONS).items():
            self.types.register(get_types_from_msg(text, name))
        plugin = rosbag2.StoragePlugin.MCAP if kind == "mcap" else rosbag2.StoragePlugin.SQLITE3
        self.path = path.with_suffix(".bag") if self.is_first else path
        self._writer = rosbag2.Writer(path, version=8, storage_plugin=plugin)
        if self.is_first:
            self._writer = rosbag1.Writer(self.path)
        self._topics = {}

    def __enter__(self):
        self._writer.open()
        return self

    def __exit__(self, *failure):
        self._writer.close()

    def make(self, kind: str, **values):
        return self.types.types[kind](**values)

    def header(self, time_ns: int, frame: str = "map"):
        stamp = self.make("builtin_interfaces/msg/Time", sec=int(time_ns) // 10**9, nanosec=int(time_ns) % 10**9)
        return self.make("std_msgs/msg/Header", stamp=stamp, frame_id=frame, **({"seq": 0} if self.is_first else {}))

    def add(self, topic: str, kind: str):
        if topic not in self._topics:
            self._topics[topic] = self._writer.add_connection(topic, kind, typestore=self.types)
        return self._topics[topic]

    def write(self, topic: str, kind: str, time_ns: int, **values):
        content = self.make(kind, **values)
        encode = self.types.serialize_ros1 if self.is_first else self.types.serialize_cdr
        self._writer.write(self.add(topic, kind), int(time_ns), encode(content, kind))

    def range(self, topic, time_ns, tag, anchor, distance, recorded=None):
        self.write(
            topic, "uwb_msgs/msg/UwbRange", time_ns if recorded is None else recorded, header=self.header(time_ns),
            requester_id=tag, responder_id=anchor, distance=float(distance),
        )  # fmt: skip

    def sonar(self, topic, time_ns, frame, distance):
        self.write(
            topic, "sensor_msgs/msg/Range", time_ns, header=self.header(time_ns, frame), radiation_type=0,
            field_of_view=0.1, min_range=0.0, max_range=100.0, range=float(distance),
        )  # fmt: skip

    def nodes(self, topic, time_ns, tag, rows):
        nodes = [
            self.make("uwb_msgs/msg/Node", id=int(anchor), dis=float(distance), fp_rssi=-80.0, rx_rssi=-78.0)
            for anchor, distance in rows
        ]
        self.write(topic, "uwb_msgs/msg/NodeFrame", time_ns, header=self.header(time_ns), id=tag, nodes=nodes)

    def lists(self, topic, time_ns, anchors, distances):
        self.write(
            topic, "uwb_msgs/msg/Lists", time_ns, header=self.header(time_ns), destination_id=np.array(anchors, "i8"),
            distance_mm=np.array(distances, "i4"),
        )  # fmt: skip

    def pose(self, x, y, z=0.0, yaw=0.0):
        q = self.make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=float(np.sin(yaw / 2)), w=float(np.cos(yaw / 2)))
        place = self.make("geometry_msgs/msg/Point", x=float(x), y=float(y), z=float(z))
        return self.make("geometry_msgs/msg/Pose", position=place, orientation=q)

    def vector(self, x, y, z):
        return self.make("geometry_msgs/msg/Vector3", x=float(x), y=float(y), z=float(z))

    def pose_stamped(self, topic, time_ns, *place):
        self.write(topic, "geometry_msgs/msg/PoseStamped", time_ns, header=self.header(time_ns), pose=self.pose(*place))

    def odometry(self, topic, time_ns, x, y, yaw):
        zero = self.make("geometry_msgs/msg/Twist", linear=self.vector(0, 0, 0), angular=self.vector(0, 0, 0))
        pose = self.make("geometry_msgs/msg/PoseWithCovariance", pose=self.pose(x, y, 0, yaw), covariance=np.zeros(36))
        twist = self.make("geometry_msgs/msg/TwistWithCovariance", twist=zero, covariance=np.zeros(36))
        self.write(
            topic, "nav_msgs/msg/Odometry", time_ns, header=self.header(time_ns, "odom"), child_frame_id="base", pose=pose,
            twist=twist,
        )  # fmt: skip

    def imu(self, topic, time_ns, acceleration, rotation, unknown=False):
        q = self.make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
        covariance = np.array([-1.0 if unknown else 0.0] + [0.0] * 8)
        self.write(
            topic, "sensor_msgs/msg/Imu", time_ns, header=self.header(time_ns, "imu"), orientation=q,
            orientation_covariance=np.zeros(9), angular_velocity=self.vector(*rotation),
            angular_velocity_covariance=covariance, linear_acceleration=self.vector(*acceleration),
            linear_acceleration_covariance=covariance,
        )  # fmt: skip


def rows_of(folder, precision="f8"):
    """Returns the ranges of a folder, with distances as a message of that precision has them."""
    table = fathom.read(folder).ranges
    distances = table["distance_m"].astype(precision).astype("f8")
    return [
        (int(time), str(tag), str(anchor), float(distance))
        for time, tag, anchor, distance in zip(table["time_ns"], table["tag"], table["anchor"], distances)
    ]


def as_csv(path, rows):
    lines = [f"{time // 10**9}.{time % 10**9:09d},{tag},{anchor},{distance!r}" for time, tag, anchor, distance in rows]
    path.write_text("\n".join(["time_s,tag,anchor,distance_m", *lines]) + "\n")
    return path


def positions(source, anchors, **settings):
    result = fathom.track(source, anchors, method="smooth", **settings)
    return result.file("positions")


def written(path, kind, fill):
    with Bag(path, kind) as bag:
        fill(bag)
    return bag.path


def refused(call, *arguments, error=fathom.DataError, **settings):
    with pytest.raises(error) as found:
        call(*arguments, **settings)
    return str(found.value)
