"""Bags of ROS give the results of the tables that are in them."""

import sqlite3
import sys

import fathom
import numpy as np
import pytest

pytest.importorskip("bags", reason="bags need rosbags")

from bags import DEFINITIONS, EPOCH, KINDS, as_csv, positions, refused, rows_of, written


@pytest.mark.parametrize("kind", KINDS)
def test_messages_of_one_range(robot, tmp_path, kind):
    rows = rows_of(robot)
    path = written(tmp_path / "walk", kind, lambda bag: [bag.range("/uwb", *row) for row in rows])
    recording = fathom.read(path, robot / "anchors.csv")
    assert recording.name == "walk" and recording.ranges.rows == len(rows)
    table = as_csv(tmp_path / "ranges.csv", rows)
    expected = positions(table, robot / "anchors.csv", height=0.3)
    assert positions(recording, None, height=0.3) == expected
    assert positions(path, robot / "anchors.csv", height=0.3) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_messages_with_arrays_of_ranges(datasets, tmp_path, kind):
    rows = [(time, "7", anchor, distance) for time, _, anchor, distance in rows_of(datasets / "drone-3d")]
    epochs: dict[int, list] = {}
    for time, _, anchor, distance in rows:
        epochs.setdefault(time, []).append((anchor, distance))
    path = written(tmp_path / "walk", kind, lambda bag: [bag.nodes("/nodes", time, 7, row) for time, row in epochs.items()])
    recording = fathom.read(path, datasets / "drone-3d/anchors.csv")
    assert set(recording.ranges["rssi_dbm"]) == {-78.0} and set(recording.ranges["rssi_first_path_dbm"]) == {-80.0}
    plain = {name: recording.ranges[name] for name in ("time_ns", "tag", "anchor", "distance_m")}
    table = as_csv(tmp_path / "ranges.csv", rows)
    anchors = datasets / "drone-3d/anchors.csv"
    assert positions(plain, anchors) == positions(table, anchors)
    signals = {"rssi_dbm": np.full(len(rows), -78.0), "rssi_first_path_dbm": np.full(len(rows), -80.0)}
    assert positions(recording, None) == positions({**plain, **signals}, anchors)


@pytest.mark.parametrize("kind", KINDS)
def test_ranges_of_sensor_msgs_name_the_anchor_in_their_frame(robot, tmp_path, kind):
    rows = [(time, "0", anchor, distance) for time, _, anchor, distance in rows_of(robot, "f4")]

    def fill(bag):
        for time, _, anchor, distance in rows:
            bag.sonar(f"/range_{anchor.lower()}", time, anchor, distance)

    path = written(tmp_path / "walk", kind, fill)
    table = as_csv(tmp_path / "ranges.csv", rows)
    assert positions(path, robot / "anchors.csv", height=0.3) == positions(table, robot / "anchors.csv", height=0.3)


def test_single_files_of_ros_2(robot, tmp_path):
    rows = rows_of(robot)[:400]
    expected = None
    for kind, ending in (("sqlite3", "db3"), ("mcap", "mcap")):
        folder = written(tmp_path / f"walk_{kind}", kind, lambda bag: [bag.range("/uwb", *row) for row in rows])
        (file,) = folder.glob(f"*.{ending}")
        found = positions(file, robot / "anchors.csv", height=0.3)
        assert found == positions(folder, robot / "anchors.csv", height=0.3)
        expected = expected or found
        assert found == expected


def test_anchors_beside_a_bag_are_used(robot, tmp_path):
    rows = rows_of(robot)[:50]
    path = written(tmp_path / "walk", "ros1", lambda bag: [bag.range("/uwb", *row) for row in rows])
    assert fathom.read(path).anchors == {}
    (tmp_path / "anchors.csv").write_bytes((robot / "anchors.csv").read_bytes())
    assert list(fathom.read(path).anchors) == ["A", "B", "C", "D"]
    folder = written(tmp_path / "other", "mcap", lambda bag: [bag.range("/uwb", *row) for row in rows])
    assert list(fathom.read(folder).anchors) == ["A", "B", "C", "D"]
    assert list(fathom.read(path, {"A": (0, 0), "B": (1, 0), "C": (0, 1), "D": (1, 1)}).anchors.values())[1] == (1, 0, 0)


def test_parallel_arrays_and_units_in_names(tmp_path):
    path = written(tmp_path / "walk", "mcap", lambda bag: bag.lists("/uwb", EPOCH, [17, 4], [2740, 8761]))
    ranges = fathom.read(path).ranges
    assert list(ranges["anchor"]) == ["17", "4"] and list(ranges["distance_m"]) == [2.74, 8.761]
    assert list(ranges["time_ns"]) == [EPOCH, EPOCH]
    assert list(fathom.read(path, distance_unit="cm").ranges["distance_m"]) == [27.4, 87.61]
    assert "distance_unit must be m, cm or mm" in refused(fathom.read, path, distance_unit="km")
    path = written(tmp_path / "none", "mcap", lambda bag: bag.lists("/uwb", EPOCH, [], []))
    assert refused(fathom.read, path) == f"{path}: no message of /uwb has a range"
    path = written(tmp_path / "uneven", "mcap", lambda bag: bag.lists("/uwb", EPOCH, [17], [2740, 8761]))
    assert refused(fathom.read, path).endswith("/uwb: message 1 has 2 distances, and 1 values of anchor")


def test_a_standard_deviation_is_in_the_unit_of_the_distance(tmp_path):
    values = {"from_id": 1, "to_id": 2, "distance_cm": 274.5, "range_sigma": 7.5}
    path = written(tmp_path / "walk", "ros1", lambda bag: bag.write("/uwb", "uwb_msgs/msg/Pair", EPOCH, **values))
    ranges = fathom.read(path).ranges
    assert (ranges["distance_m"][0], ranges["sigma_m"][0]) == (2.745, 0.075)
    assert (ranges["tag"][0], ranges["anchor"][0]) == ("1", "2")
    assert fathom.read(path, distance_unit="mm").ranges["sigma_m"][0] == 0.0075


def test_whole_numbers_need_a_unit(tmp_path):
    def fill(bag):
        for index in range(3):
            time = EPOCH + index * 10**8
            bag.write("/gtec/ranging", "uwb_msgs/msg/Whole", time, anchorId=index, tagId=9, range=2740 + index)

    path = written(tmp_path / "walk", "ros1", fill)
    message = refused(fathom.read, path)
    assert message == (
        f'{path}: /gtec/ranging: range has whole numbers without a unit; distance_unit="mm" or "cm" states it'
    )
    with pytest.warns(fathom.FathomWarning, match="no time stamps: their times are those at which they were recorded"):
        ranges = fathom.read(path, distance_unit="mm").ranges
    assert list(ranges["distance_m"]) == [2.74, 2.741, 2.742] and list(ranges["tag"]) == ["9"] * 3
    assert list(ranges["time_ns"]) == [EPOCH, EPOCH + 10**8, EPOCH + 2 * 10**8]


def test_arrays_by_anchor_leave_out_what_was_not_heard(tmp_path):
    def fill(bag):
        values = np.array([3.5, 0, -1, 2.25], "f4")
        bag.write("/tagframe", "uwb_msgs/msg/Frame", EPOCH, id=2, system_time=1, dis_arr=values)

    path = written(tmp_path / "walk", "sqlite3", fill)
    ranges = fathom.read(path).ranges
    assert list(ranges["anchor"]) == ["0", "3"] and list(ranges["tag"]) == ["2", "2"]
    assert fathom.read(path, zero_is_distance=True).ranges.rows == 3


def test_stamps_of_zero_are_not_times(tmp_path):
    path = written(tmp_path / "walk", "ros1", lambda bag: bag.range("/uwb", 0, "t", "A", 1.0, recorded=EPOCH))
    with pytest.warns(fathom.FathomWarning, match="no time stamps"):
        assert list(fathom.read(path).ranges["time_ns"]) == [EPOCH]


def odd(bag, topic="/toa"):
    for index in range(4):
        time = EPOCH + index * 10**8
        bag.write(
            topic, "uwb_msgs/msg/Odd", time, header=bag.header(time), who="ABCD"[index], toa_value=3.0 + index,
            clock=index * 100, clock_us=index * 100_000,
        )  # fmt: skip


def test_fields_can_be_named(tmp_path):
    path = written(tmp_path / "walk", "mcap", odd)
    message = refused(fathom.read, path)
    assert message == (
        f"{path}: a distance and an anchor are not recognised in any topic. The topics are\n"
        "- /toa (uwb_msgs/msg/Odd, 4 messages): header.stamp, header.frame_id, who, toa_value, clock, clock_us\n"
        f'Try fathom.read("{path}", topic="/toa", fields={{"distance": "toa_value", "anchor": "who"}})'
    )
    fields = {"distance": "toa_value", "anchor": "who"}
    for topic in (None, "/toa", "toa", ["/toa"]):
        ranges = fathom.read(path, topic=topic, fields=fields).ranges
        assert list(ranges["anchor"]) == list("ABCD") and list(ranges["distance_m"]) == [3.0, 4.0, 5.0, 6.0]
        assert ranges["time_ns"][1] == EPOCH + 10**8
    assert refused(fathom.read, path, topic="/toa").startswith(
        f"{path}: a distance and an anchor are not recognised in the messages of /toa. The topics are"
    )
    timed = fathom.read(path, fields={**fields, "time": "clock_us"}).ranges
    assert list(timed["time_ns"]) == [0, 10**8, 2 * 10**8, 3 * 10**8]
    message = refused(fathom.read, path, fields={**fields, "time": "clock"})
    assert message.endswith('/toa: clock has no unit in its name; time_unit="ms" states it: s, ms, us or ns')
    assert list(fathom.read(path, fields={**fields, "time": "clock"}, time_unit="ms").ranges["time_ns"])[1] == 10**8
    assert "time_unit must be s, ms, us or ns" in refused(
        fathom.read, path, fields={**fields, "time": "clock"}, time_unit="h"
    )


def test_misnamed_fields_and_topics(tmp_path):
    def beside_inertial_data(bag):
        bag.imu("/imu", EPOCH, (0, 0, 9.8), (0, 0, 0))
        odd(bag)

    path = written(tmp_path / "walk", "mcap", beside_inertial_data)
    message = refused(fathom.read, path, fields={"distance": "toa_valu", "anchor": "who"})
    assert message.startswith(f'{path}: /toa has no field toa_valu; did you mean "toa_value"? The fields are header.stamp')
    message = refused(fathom.read, path, fields={"distanz": "toa_value"})
    assert message.startswith(f'{path}: fields: "distanz" is not a known field; did you mean "distance"?')
    message = refused(fathom.read, path, fields={"distance": "header.stamp.sec"})
    assert message.startswith(f"{path}: /toa has no field header.stamp.sec;")
    message = refused(fathom.read, path, topic="/to")
    assert message == f'{path}: there is no topic /to; did you mean "/toa"? The topics are /imu, /toa'


def test_several_topics(robot, tmp_path):
    rows = rows_of(robot)[:40]

    def fill(bag):
        for time, tag, anchor, distance in rows:
            bag.range("/a/uwb", time, tag, anchor, distance)
            bag.range("/b/uwb", time, f"{tag}2", anchor, distance)
            bag.sonar("/front", time, "base_link", 0.5)

    path = written(tmp_path / "same", "mcap", fill)
    # Tags are named, and the sonar is not UWB.
    assert set(fathom.read(path).ranges["tag"]) == {"robot", "robot2"}
    assert set(fathom.read(path, topic="/b/uwb").ranges["tag"]) == {"robot2"}
    assert set(fathom.read(path, topic="/front").ranges["anchor"]) == {"base_link"}

    def mixed(bag):
        bag.range("/uwb", EPOCH, "t", "A", 1.0)
        bag.nodes("/nodes", EPOCH, 1, [(1, 2.0)])

    path = written(tmp_path / "mixed", "mcap", mixed)
    message = refused(fathom.read, path)
    assert message.startswith(f'{path}: several topics have ranges; topic="/nodes" chooses one. The topics are\n- /nodes (')
    assert fathom.read(path, topic="/uwb").ranges.rows == 1

    def untagged(bag):
        for topic in ("/a/range", "/b/range"):
            bag.sonar(topic, EPOCH, "A", 1.0)

    path = written(tmp_path / "untagged", "mcap", untagged)
    assert refused(fathom.read, path) == (
        f"{path}: /a/range and /b/range have ranges to A without the name of a tag;"
        ' topic="/a/range" chooses one, and a list of topics all of them'
    )

    def twice(bag):
        bag.range("/uwb", EPOCH, "t", "A", 1.0)
        bag.range("/uwb_filtered", EPOCH, "t", "A", 1.1)

    path = written(tmp_path / "twice", "mcap", twice)
    assert "/uwb and /uwb_filtered have ranges between t and A; topic=" in refused(fathom.read, path)
    assert fathom.read(path, topic=["/uwb", "/uwb_filtered"]).ranges.rows == 2
    assert list(fathom.read(path, topic="/uwb_filtered").ranges["distance_m"]) == [1.1]


def test_bags_that_cannot_be_read(robot, tmp_path, monkeypatch):
    missing = tmp_path / "missing.bag"
    assert refused(fathom.read, missing, error=fathom.InputError) == f"{missing}: No such file or directory"
    assert refused(fathom.truth, missing, error=fathom.InputError) == f"{missing}: No such file or directory"
    repairs = {"bag": "rosbag reindex", "db3": "ros2 bag reindex", "mcap": "mcap recover"}
    for ending, repair in repairs.items():
        damaged = tmp_path / f"damaged.{ending}"
        damaged.write_bytes(b"nothing of the kind")
        message = refused(fathom.read, damaged)
        assert message.startswith(f"{damaged}: the bag cannot be read: ")
        assert message.endswith(f"; {repair} repairs one that was cut off")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "metadata.yaml").write_text("a: 1\n")
    assert refused(fathom.read, folder).startswith(f"{folder}: the bag cannot be read: ")
    (folder / "ranges.csv").write_text("time_s,anchor,distance_m\n0,A,1\n")
    assert fathom.read(folder).ranges.rows == 1
    for kind in KINDS:
        empty = written(tmp_path / f"empty_{kind}", kind, lambda bag: bag.add("/uwb", "uwb_msgs/msg/UwbRange"))
        assert refused(fathom.read, empty) == f"{empty}: the bag has no messages"

    def silent(bag):
        bag.add("/uwb", "uwb_msgs/msg/UwbRange")
        bag.sonar("/front", EPOCH, "base", 1.0)

    path = written(tmp_path / "silent", "mcap", silent)
    assert refused(fathom.read, path, topic="/uwb") == f"{path}: /uwb has no messages"
    assert refused(fathom.read, path, columns={"distance_m": "d"}, error=fathom.UsageError) == (
        f"columns is for files of text, and {path} is a bag; fields names the fields of its messages"
    )
    for call in (fathom.read, fathom.truth):
        message = refused(call, robot, topic="/uwb", error=fathom.UsageError)
        assert message == f"topic is for bags of ROS, and {robot} is none"
    monkeypatch.setitem(sys.modules, "rosbags.highlevel", None)
    message = f'{path}: bags need rosbags: pip install "fathom-positioning[ros]"'
    assert refused(fathom.read, path, error=fathom.UsageError) == message


def test_bags_without_definitions(robot, tmp_path):
    """ROS 2 before Iron writes the names of types alone."""
    rows = rows_of(robot)[:200]
    folder = written(tmp_path / "walk", "sqlite3", lambda bag: [bag.range("/uwb", *row) for row in rows])
    (file,) = folder.glob("*.db3")
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM message_definitions")
    database.close()
    message = refused(fathom.read, folder)
    assert message == (
        f"{folder}: the messages of /uwb need uwb_msgs/msg/UwbRange, which the bag does not define;"
        ' definitions={"uwb_msgs/msg/UwbRange": "UwbRange.msg"} gives the file'
    )
    text = DEFINITIONS["uwb_msgs/msg/UwbRange"]
    definition = tmp_path / "UwbRange.msg"
    definition.write_text(text)
    anchors = robot / "anchors.csv"
    expected = positions(as_csv(tmp_path / "ranges.csv", rows), anchors, height=0.3)
    for given in (text, definition):
        recording = fathom.read(folder, anchors, definitions={"uwb_msgs/UwbRange": given})
        assert positions(recording, None, height=0.3) == expected
    whole = "std_msgs/Header header\nuwb_msgs/Node[] nodes\n"
    message = refused(fathom.read, folder, definitions={"uwb_msgs/UwbRange": whole})
    assert "the messages of /uwb need uwb_msgs/msg/Node, which the bag does not define" in message
    for name, given in (("uwb_msgs/UwbRange", "no definition\n???\n"), ("std_msgs/msg/Header", "float64 x\nfloat64 y\n")):
        message = refused(fathom.read, folder, definitions={name: given})
        assert message.startswith(
            f"{folder}: the definition of {name.split('/')[0]}/msg/{name.split('/')[-1]} is invalid: "
        )
    missing = tmp_path / "no.msg"
    message = refused(fathom.read, folder, definitions={"uwb_msgs/UwbRange": missing}, error=fathom.InputError)
    assert message == f"{missing}: No such file or directory"
