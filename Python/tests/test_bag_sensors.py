"""Odometry, inertial data and true positions come from the topics of a bag."""

import warnings

import fathom
import numpy as np
import pytest
from conftest import example

pytest.importorskip("bags", reason="bags need rosbags")

from bags import EPOCH, KINDS, Bag, as_csv, positions, refused, written


def driven(bag, topics=("/odom",)):
    """Writes ranges of a vehicle on a circle, its odometry and its inertial data, and returns the ranges."""
    ranges = []
    places = {name: np.array(place, float) for name, place in example()[1].items()}
    generator = np.random.default_rng(1)
    for step in range(600):
        time, angle = EPOCH + step * 50_000_000, 0.02 * step
        x, y, yaw = 4 + 2 * np.cos(angle), 3 + 2 * np.sin(angle), angle + np.pi / 2
        name = "ABCD"[step % 4]
        distance = float(np.linalg.norm([x, y, 1.0] - places[name]) + generator.normal(0, 0.1))
        bag.range("/uwb", time, "cart", name, distance)
        bag.pose_stamped("/vicon/cart", time, x, y, 1.0)
        for topic in topics:
            bag.odometry(topic, time, x, y, yaw)
        bag.imu("/imu", time, (0, 0.32, 9.81), (0, 0, 0.4))
        ranges.append((time, "cart", name, distance))
    return ranges


@pytest.mark.parametrize("kind", KINDS)
def test_odometry_inertial_data_and_truth(tmp_path, kind):
    with Bag(tmp_path / "walk", kind) as bag:
        rows = driven(bag)
    anchors = example()[1]
    table = as_csv(tmp_path / "ranges.csv", rows)
    times = np.array([row[0] for row in rows])
    count = len(rows)
    angles = 0.02 * np.arange(count)
    x, y, yaw = 4 + 2 * np.cos(angles), 3 + 2 * np.sin(angles), angles + np.pi / 2
    dx, dy = np.diff(x), np.diff(y)
    steps = [dx * np.cos(yaw[:-1]) + dy * np.sin(yaw[:-1]), dy * np.cos(yaw[:-1]) - dx * np.sin(yaw[:-1]), np.diff(yaw)]
    names = ("forward_m", "left_m", "turn_rad")
    odometry = {"time_ns": times, **{name: np.append(0, step) for name, step in zip(names, steps)}}
    values = {"acc_x_mps2": 0.0, "acc_y_mps2": 0.32, "acc_z_mps2": 9.81, "gyro_x_radps": 0.0, "gyro_y_radps": 0.0}
    imu = {"time_ns": times, **{name: np.full(count, value) for name, value in {**values, "gyro_z_radps": 0.4}.items()}}

    def tracked(source, **beside):
        return fathom.track(source, anchors, method="smooth", height=1.0, **beside)

    # The yaw of a quaternion is that of the circle but for rounding.
    both = tracked(bag.path)
    expected = tracked(table, odometry=odometry, imu=imu)
    np.testing.assert_allclose(both.positions["x_m"], expected.positions["x_m"], atol=1e-6)
    inertial = fathom.read(bag.path, anchors, topic=["/uwb", "/imu"])
    assert tracked(inertial).file("positions") == tracked(table, imu=imu).file("positions")
    alone = fathom.read(bag.path, anchors, topic=["/uwb"])
    assert tracked(alone).file("positions") == tracked(table).file("positions")
    figures = [fathom.evaluate(result, bag.path)["rmse_m"] for result in (both, tracked(alone))]
    assert figures[0] < figures[1] < 0.15
    true = fathom.truth(bag.path)
    assert len(true.positions) == count and true.positions["x_m"][0] == 6.0
    assert fathom.evaluate(true.positions, bag.path)["rmse_m"] == 0
    assert fathom.evaluate(both, fathom.truth(bag.path, topic="/odom"), horizontal=True)["rmse_m"] == figures[0]


def test_tables_that_are_not_used_are_named(tmp_path):
    with Bag(tmp_path / "walk", "mcap") as bag:
        driven(bag, topics=("/odom", "/wheels", "/ground_truth/state"))
    anchors = example()[1]
    with pytest.warns(fathom.FathomWarning, match="topics have the table odometry, and none is used: /odom, /wheels;"):
        fathom.read(bag.path, anchors)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fathom.read(bag.path)  # without anchors, no table is used
        fathom.read(bag.path, anchors, topic=["/uwb", "/wheels"])
    # Two topics are named like truth: the poses and the state.
    message = refused(fathom.truth, bag.path)
    assert message.startswith(f"{bag.path}: several topics have positions; topic= chooses one. The topics are")
    assert len(fathom.truth(bag.path, topic="/ground_truth/state").positions) == 600
    message = refused(fathom.truth, bag.path, topic="/imu")
    assert message.startswith(f"{bag.path}: /imu has sensor_msgs/msg/Imu, which is no position; messages with positions")


def test_inertial_data_without_readings_are_left_out(tmp_path):
    rows = [(EPOCH + index * 10**8, "t", "ABCD"[index % 4], 3.0 + 0.01 * index) for index in range(40)]

    def fill(bag):
        for row in rows:
            bag.range("/uwb", *row)
            bag.imu("/imu", row[0], (0, 0, 0), (0, 0, 0), unknown=True)

    path = written(tmp_path / "walk", "mcap", fill)
    anchors = example()[1]
    table = as_csv(tmp_path / "ranges.csv", rows)
    with pytest.warns(fathom.FathomWarning, match="/imu is not used: its messages state that they have no acceleration"):
        recording = fathom.read(path, anchors)
    assert positions(recording, None, height=1.0) == positions(table, anchors, height=1.0)
    assert "no topic has true positions" in refused(fathom.truth, path)
