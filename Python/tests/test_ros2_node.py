"""The node of the example, with stand-ins for the modules of ROS."""

import importlib.util
import sys
import types

import fathom
import numpy as np
import pytest
from conftest import ROOT, example

pytest.importorskip("rosbags", reason="messages of ROS need rosbags")

from rosbags.typesys import Stores, get_typestore

TYPES = get_typestore(Stores.ROS2_HUMBLE).types


def make(kind, **values):
    return TYPES[kind](**values)


def empty_pose():
    point = make("geometry_msgs/msg/Point", x=0.0, y=0.0, z=0.0)
    attitude = make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=0.0)
    pose = make("geometry_msgs/msg/Pose", position=point, orientation=attitude)
    content = make("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=np.zeros(36))
    return make("geometry_msgs/msg/PoseWithCovarianceStamped", header=header(0, ""), pose=content)


def header(time_ns, frame):
    stamp = make("builtin_interfaces/msg/Time", sec=time_ns // 10**9, nanosec=time_ns % 10**9)
    return make("std_msgs/msg/Header", stamp=stamp, frame_id=frame)


class Node:
    """What the example uses of a node: parameters, what it publishes, and its warnings."""

    parameters: dict = {}

    def __init__(self, name):
        self.published, self.warnings = [], []

    def declare_parameter(self, name, default):
        return types.SimpleNamespace(value=self.parameters.get(name, default))

    def create_publisher(self, kind, topic, depth):
        return types.SimpleNamespace(publish=self.published.append)

    def create_subscription(self, kind, topic, callback, quality):
        self.callback = callback

    def get_logger(self):
        return types.SimpleNamespace(warning=lambda text, **_: self.warnings.append(text))


def test_the_node_publishes_the_track(tmp_path, monkeypatch):
    modules = {
        "rclpy": {},
        "rclpy.node": {"Node": Node},
        "rclpy.qos": {"qos_profile_sensor_data": None},
        "geometry_msgs": {},
        "geometry_msgs.msg": {"PoseWithCovarianceStamped": empty_pose},
        "sensor_msgs": {},
        "sensor_msgs.msg": {"Range": TYPES["sensor_msgs/msg/Range"]},
    }
    for name, content in modules.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    ranges, anchors, _ = example()
    lines = ["id,x,y,z", *(f"{name},{x},{y},{z}" for name, (x, y, z) in anchors.items())]
    (tmp_path / "anchors.csv").write_text("\n".join(lines) + "\n")
    Node.parameters = {"anchors": str(tmp_path / "anchors.csv"), "height": 1.0}
    specification = importlib.util.spec_from_file_location("ros2_tracker", ROOT / "Python/examples/ros2_tracker.py")
    example_module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(example_module)

    node = example_module.TrackerNode()
    tracker = fathom.Tracker(anchors, height=1.0)
    estimates = []
    for step, (name, distance) in enumerate(zip(ranges["anchor"], ranges["distance_m"])):
        time = step * 50_000_000
        message = make(
            "sensor_msgs/msg/Range", header=header(time, str(name)), radiation_type=0, field_of_view=0.0, min_range=0.0,
            max_range=0.0, range=float(distance),
        )  # fmt: skip
        node.callback(message)
        used = tracker.update_ns(time, str(name), float(distance)) not in ("late", "invalid", "duplicate")
        estimate = tracker.estimate_ns(time) if used else None
        if estimate is not None:
            estimates.append(estimate)
    assert len(node.published) == len(estimates) > 150 and not node.warnings
    last, found = estimates[-1], node.published[-1]
    assert found.header.frame_id == "map" and found.header.stamp.sec * 10**9 + found.header.stamp.nanosec == last.time_ns
    assert (found.pose.pose.position.x, found.pose.pose.position.y) == tuple(last.position[:2])
    covariance = np.array(found.pose.covariance).reshape(6, 6)
    np.testing.assert_array_equal(covariance[:3, :3], last.covariance)
    assert np.diag(covariance)[3:].min() > 9 and found.pose.pose.orientation.w == 1
    message.header.frame_id = "Z"
    node.callback(message)
    assert "Z" in node.warnings[0]
