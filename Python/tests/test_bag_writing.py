"""Positions in bags and in files for Foxglove are those of the result."""

import sys

import fathom
import numpy as np
import pytest
from conftest import example

pytest.importorskip("rosbags", reason="bags need rosbags")

from rosbags import rosbag1, rosbag2
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

FILES = ["track.bag", "track.mcap", "track.db3", "track"]


@pytest.fixture(scope="module")
def drone(datasets):
    return fathom.track(datasets / "drone-3d", method="smooth")


def messages_of(path, topic):
    with AnyReader([path]) as reader:
        connections = [connection for connection in reader.connections if connection.topic == topic]
        return [
            (time, reader.deserialize(content, connection.msgtype))
            for connection, time, content in reader.messages(connections)
        ]


@pytest.mark.parametrize("name", FILES)
def test_poses_are_the_positions(drone, tmp_path, name):
    path = fathom.write_bag(drone, tmp_path / "results" / name, frame="hall")
    assert path.is_dir() == (name == "track") and [found.name for found in path.parent.iterdir()] == [name]
    positions = drone.positions
    known = np.flatnonzero(np.isfinite(positions["x_m"]))
    found = messages_of(path, "/fathom/drone/pose")
    assert [time for time, _ in found] == positions["time_ns"][known].tolist()
    for (time, message), row in zip(found, known):
        assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == time
        pose, covariance = message.pose.pose, message.pose.covariance.reshape(6, 6)
        assert [pose.position.x, pose.position.y, pose.position.z] == [positions[f"{axis}_m"][row] for axis in "xyz"]
        assert (covariance[0, 1], covariance[1, 2], covariance[2, 2]) == tuple(
            positions[element][row] for element in ("sxy", "syz", "szz")
        )
        assert pose.orientation.w == 1 and covariance[5, 5] > 9 and (covariance == covariance.T).all()
        assert message.header.frame_id == "hall"
    ((_, trajectory),) = messages_of(path, "/fathom/drone/path")
    assert len(trajectory.poses) == len(known) and trajectory.poses[-1].pose.position.x == positions["x_m"][known[-1]]


@pytest.mark.parametrize("name", FILES)
def test_evaluation_of_a_bag_is_that_of_the_result(drone, datasets, tmp_path, name):
    path = fathom.write_bag(drone, tmp_path / name)
    expected = fathom.evaluate(drone, datasets / "drone-3d")
    assert fathom.evaluate(path, datasets / "drone-3d")["rmse_m"] == expected["rmse_m"]


@pytest.mark.parametrize("name", ["track.bag", "track"])
def test_evo_computes_the_same_error(drone, datasets, tmp_path, name):
    pytest.importorskip("evo", reason="compares with evo")
    from evo.core import metrics, sync
    from evo.core.trajectory import PoseTrajectory3D
    from evo.tools import file_interface

    path = fathom.write_bag(drone, tmp_path / name)
    reader = rosbag1.Reader(path) if name.endswith(".bag") else rosbag2.Reader(path)
    with reader:
        estimate = file_interface.read_bag_trajectory(reader, "/fathom/drone/pose")
    true = fathom.truth(datasets / "drone-3d").positions
    # Truth at the times of the estimate, so that neither interpolates.
    times = np.asarray(estimate.timestamps)
    dense = {"time_ns": (times * 1e9).round().astype("i8")}
    dense |= {axis: np.interp(times, true["time_s"], true[f"{axis}_m"]) for axis in "xyz"}
    places = np.column_stack([dense[axis] for axis in "xyz"])
    reference = PoseTrajectory3D(places, np.tile([1.0, 0, 0, 0], (len(places), 1)), times)
    pair = sync.associate_trajectories(reference, estimate, max_diff=1e-6)
    error = metrics.APE(metrics.PoseRelation.translation_part)
    error.process_data(pair)
    own = fathom.evaluate(drone, dense)
    assert len(pair[0].timestamps) == own["n"]
    assert abs(error.get_statistic(metrics.StatisticsType.rmse) - own["rmse_m"]) < 1e-9


def test_tags_have_topics_of_their_own(tmp_path):
    ranges, anchors, _ = example()
    tags = np.array(["forklift 1", "7", "forklift-1"])[np.arange(200) // 4 % 3]
    result = fathom.track({**ranges, "tag": tags}, anchors, height=1.0)
    path = fathom.write_bag(result, tmp_path / "track.mcap")
    with AnyReader([path]) as reader:
        topics = {topic: info.msgcount for topic, info in reader.topics.items() if topic.endswith("/pose")}
        times = [time for _, time, _ in reader.messages()]
    known = np.isfinite(result.positions["x_m"])
    counts = [int((known & (result.positions["tag"] == tag)).sum()) for tag in ("forklift 1", "7", "forklift-1")]
    assert topics == dict(zip(["/fathom/forklift_1/pose", "/fathom/tag_7/pose", "/fathom/forklift_1_2/pose"], counts))
    assert times == sorted(times)


def test_what_cannot_be_written(tmp_path, monkeypatch):
    ranges, anchors, _ = example()
    result = fathom.track(ranges, anchors, height=1.0, name="walk")
    path = fathom.write_bag(result, tmp_path / "track.mcap")
    with pytest.raises(fathom.UsageError) as found:
        fathom.write_bag(result, path)
    assert str(found.value) == f"{path} exists: remove it, or choose another path"
    alone = {name: values[:2] for name, values in ranges.items()}
    with pytest.raises(fathom.DataError) as found:
        fathom.write_bag(fathom.track(alone, anchors, height=1.0, name="walk"), tmp_path / "none.bag")
    assert str(found.value) == f"{tmp_path / 'none.bag'}: walk has no positions to write"
    for name, seconds in (("a.bag", -100.0), ("a.mcap", -100.0), ("b.bag", 2.0**31), ("b.mcap", 2.0**31)):
        other = fathom.track({**ranges, "time_s": ranges["time_s"] + seconds}, anchors, height=1.0)
        with pytest.raises(fathom.DataError) as found:
            fathom.write_bag(other, tmp_path / name)
        assert str(found.value) == f"{tmp_path / name}: bags have no times before 1970 or after 2038"
    assert [each.name for each in tmp_path.iterdir()] == ["track.mcap"]
    monkeypatch.setitem(sys.modules, "rosbags", None)
    with pytest.raises(fathom.UsageError) as found:
        fathom.write_bag(result, tmp_path / "c.bag")
    assert str(found.value) == f'{tmp_path / "c.bag"}: bags need rosbags: pip install "fathom-positioning[ros]"'


def test_messages_are_those_of_ros(drone, tmp_path):
    """The types of a bag are read by any program with the definitions of its version of ROS."""
    for name, store in (("track.bag", Stores.ROS1_NOETIC), ("track.mcap", Stores.LATEST)):
        path = fathom.write_bag(drone, tmp_path / name)
        types = get_typestore(store)
        with AnyReader([path]) as reader:
            for connection, _, content in reader.messages():
                decode = types.deserialize_ros1 if name == "track.bag" else types.deserialize_cdr
                assert decode(content, connection.msgtype).header.frame_id == "map"
