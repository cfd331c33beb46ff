import json
import shutil

import fathom
import numpy as np
import pytest
from conftest import run_tool, tool

ANCHORS = {"A": (0, 0, 2.4), "B": (8, 0, 2.1), "C": (8, 6, 2.4), "D": (0, 6, 2.1)}
DISTANCES = [3.16, 6.38, 7.15, 4.63, 3.51, 6.14, 6.90, 4.60, 3.79, 7.05, 6.44, 4.70]


def test_the_tracker_gives_the_positions_of_the_readme():
    tracker = fathom.Tracker(ANCHORS, height=1.0)
    lines = []
    for index, distance in enumerate(DISTANCES):
        outcome = tracker.update(0.1 * index, "ABCD"[index % 4], distance)
        if outcome == "discounted":
            lines.append(f"range {index + 1} discounted")
        if index % 4 == 3 and (estimate := tracker.estimate(0.1 * index)):
            sigma = np.sqrt(np.diag(estimate.covariance))
            x, y, _ = estimate.position
            lines.append(f"x {x:.2f} ± {sigma[0]:.2f} m, y {y:.2f} ± {sigma[1]:.2f} m")
    assert lines == [
        "x 2.25 ± 0.16 m, y 2.11 ± 0.14 m",
        "x 2.49 ± 0.11 m, y 2.29 ± 0.11 m",
        "range 10 discounted",
        "x 2.82 ± 0.10 m, y 2.52 ± 0.11 m",
    ]


def test_the_tracker_takes_many_ranges():
    one, many = fathom.Tracker(ANCHORS, height=1.0), fathom.Tracker(ANCHORS, height=1.0)
    names = ["ABCD"[index % 4] for index in range(12)]
    times = (np.arange(12) * 100_000_000).astype("i8")
    for time, name, distance in zip(times.tolist(), names, DISTANCES):
        one.update_ns(time, name, distance)
    found = many.update_many(times, names, DISTANCES)
    estimate = one.estimate_ns(int(times[-1]))
    assert found["x_m"][-1] == estimate.position[0] and found["szz"][-1] == estimate.covariance[2, 2]
    assert found["status"][0] == -1 and np.isnan(found["x_m"][0])
    assert one.estimate(0) is None  # before the last range
    one.reset()
    assert one.estimate(10.0) is None
    with pytest.raises(fathom.DataError):
        one.update(0.0, "Z", 1.0)
    assert one.update(0.0, "A", -1.0) == "invalid"
    with pytest.raises(fathom.DataError):
        fathom.Tracker({})


def test_the_tracker_takes_measurements_of_every_kind():
    tracker = fathom.Tracker(ANCHORS, sensors=["height", "odometry", "difference"], side="below")
    with pytest.raises(fathom.DataError, match="sonar"):
        fathom.Tracker(ANCHORS, sensors=["sonar"])
    with pytest.raises(fathom.UsageError):
        fathom.Tracker(ANCHORS, sensors="height")
    places = {name: np.array(place, float) for name, place in ANCHORS.items()}
    outcomes = []
    for step in range(200):
        time, place = 0.05 * step, np.array([2 + 0.02 * step, 3.0, 1.2])
        name = "ABCD"[step % 4]
        tracker.update(time, name, float(np.linalg.norm(place - places[name])))
        if step % 10 == 5:
            tracker.odometry(time - 0.5, time, 0.2, 0.0)
            outcomes.append(tracker.height(time, 1.2))
            away = np.linalg.norm(place - places["A"]) - np.linalg.norm(place - places["C"])
            outcomes.append(tracker.difference(time, "A", "C", float(away)))
    assert outcomes[-4:] == ["used"] * 4
    assert tracker.inertial(10.0, (0, 0, 9.81), (0, 0, 0)) == "invalid"  # not listed
    estimate = tracker.estimate(9.95)
    np.testing.assert_allclose(estimate.position, [2 + 0.02 * 199, 3.0, 1.2], atol=0.1)
    assert tracker.interrupt(10.0) == "used"
    plain = fathom.Tracker(ANCHORS, height=1.0)
    assert plain.height(0.0, 1.0) == "invalid"
    # Seen straight ahead by an upright phone: a direction does not start a track.
    assert plain.direction(0.0, "A", (1, 0, 0, 0), azimuth=0.1) == "starting"
    assert plain.direction(0.0, "A", (0, 0, 0, 0), azimuth=0.1) == "invalid"
    with pytest.raises(fathom.DataError):
        plain.difference(0.0, "A", "Z", 0.0)


def test_locate_finds_positions_and_says_when_there_is_none():
    places = np.array([*ANCHORS.values(), (4, 3, 0)], float)
    position = np.array([[2.0, 2, 1], [5, 1, 1.5], [3, 4, 0.5]])
    ranges = np.linalg.norm(position[:, None] - places[None], axis=2)
    ranges = np.vstack([ranges, [np.nan, np.nan, 3, np.nan, np.nan]])
    found = fathom.locate(ranges, places)
    np.testing.assert_allclose(np.column_stack([found["x_m"], found["y_m"], found["z_m"]])[:3], position, atol=1e-6)
    assert list(found["verdict"][:3]) == ["unique"] * 3 and found["verdict"][3] == "too_few"
    assert np.isnan(found["x_m"][3]) and found["sxx"][0] > 0
    plane = fathom.locate(ranges[:, :4], places[:4], height=1.0, loss="huber", covariance=False)
    assert "sxx" not in plane and abs(plane["x_m"][0] - 2) < 1e-6
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ranges[:, :4], columns=list("ABCD"))[list("DCBA")]
    np.testing.assert_array_equal(
        fathom.locate(frame, ANCHORS, height=1.0)["x_m"], fathom.locate(ranges[:, :4], ANCHORS, height=1.0)["x_m"]
    )
    with pytest.raises(fathom.UsageError):
        fathom.locate(ranges, ANCHORS)
    with pytest.raises(fathom.DataError, match="loss is unknown"):
        fathom.locate(ranges, places, loss="none")
    assert fathom.locate(np.empty((0, 5)), places).rows == 0


def test_distances_are_smoothed():
    times = np.arange(1000) * 50_000_000
    distance = 5 + np.random.default_rng(1).normal(0, 0.1, 1000)
    distance[10] = np.nan
    found = fathom.smooth(times, distance)
    assert np.isnan(found["smoothed_m"][10]) and found["sigma_m"][-1] < 0.1
    assert np.nanstd(found["smoothed_m"][100:]) < 0.08
    with pytest.raises(fathom.DataError):
        fathom.smooth(times, distance, "mean")


def test_evaluation_is_that_of_the_tool(robot, tmp_path):
    result = fathom.track(robot, method="smooth")
    own = fathom.evaluate(result, robot)
    assert own["rmse_m"] < 0.05 and own["dimensions"] == 2
    if tool() is None:
        pytest.skip("the tool is not built: FATHOM_TOOL names it")
    result.write(tmp_path)
    run = run_tool("evaluate", str(tmp_path / "robot-2d.positions.csv"), str(robot), "--json")
    assert run.returncode == 0, run.stderr
    theirs = json.loads(run.stdout)
    # The file has 0.1 mm.
    assert abs(own["rmse_m"] - theirs["rmse_m"]) < 1e-4
    assert set(theirs) - set(own) == {"estimate", "truth", "format", "set_aside"}
    from_file = fathom.evaluate(tmp_path / "robot-2d.positions.csv", robot)
    assert from_file["rmse_m"] == theirs["rmse_m"]


def test_truth_can_be_a_table(robot):
    pytest.importorskip("pandas")
    true = fathom.truth(robot).positions
    result = fathom.track(robot)
    frame = true.to_pandas()
    again = fathom.evaluate(result, frame, horizontal=True)
    assert abs(again["rmse_m"] - fathom.evaluate(result, robot)["rmse_m"]) < 1e-9
    with pytest.raises(fathom.DataError):
        fathom.evaluate(result, {"time_s": [0.0]})
    with pytest.raises(fathom.DataError, match="there is no tag"):
        fathom.evaluate(result, robot, tag="nobody")


def test_simulation_is_repeatable(robot, datasets):
    recording, true = fathom.simulate(datasets / "robot-2d" / "scenario.yaml")
    assert recording.ranges.rows == fathom.read(robot).ranges.rows
    np.testing.assert_array_equal(recording.ranges["distance_m"], fathom.read(robot).ranges["distance_m"])
    other, _ = fathom.simulate((datasets / "robot-2d" / "scenario.yaml").read_text(), seed=99)
    assert not np.array_equal(other.ranges["distance_m"], recording.ranges["distance_m"])
    assert fathom.evaluate(fathom.track(recording), true)["rmse_m"] < 0.1
    with pytest.raises(fathom.DataError, match="line 2: speed is not known"):
        fathom.simulate("name: x\nspeed: 1\n")


def test_geometry_and_calibration(robot):
    survey = fathom.geometry(robot / "anchors.csv", height=0.3)
    assert 0 < survey["horizontal"]["median_m"] < 0.2
    with pytest.raises(fathom.DataError, match="noise_m must be from 1e-06 to 1000000"):
        fathom.geometry(ANCHORS, noise=-1)
    (tag,) = fathom.calibrate(robot)
    assert tag["tag"] == "robot" and 0 < tag["range_sigma_m"] < 0.5


def test_recordings_describe_themselves(robot):
    recording = fathom.read(robot)
    assert recording.name == "robot-2d" and list(recording.anchors) == ["A", "B", "C", "D"]
    assert recording.info["height_m"] == 0.3
    assert recording.ranges["anchor"][0] == "A" and recording.ranges["time_ns"].dtype == "i8"
    assert "2159 rows" in repr(recording)
    with pytest.raises(KeyError):
        recording.ranges.codes("distance_m")


def test_archives_are_recordings(robot, tmp_path):
    expected = fathom.read(robot)
    for name in ("monday", "tuesday"):
        shutil.copytree(robot, tmp_path / "walks" / name)
    shutil.make_archive(str(tmp_path / "walk"), "zip", tmp_path / "walks/monday")
    shutil.make_archive(str(tmp_path / "walks"), "zip", tmp_path / "walks")
    for path in (tmp_path / "walk.zip", tmp_path / "walks.zip/monday"):
        recording = fathom.read(path)
        assert recording.name == path.stem and recording.ranges.rows == expected.ranges.rows
        assert recording.anchors == expected.anchors
    with pytest.raises(fathom.DataError, match='2 recordings, "monday", "tuesday"'):
        fathom.read(tmp_path / "walks.zip")
    with pytest.raises(fathom.UsageError, match="topic is for bags of ROS"):
        fathom.read(tmp_path / "walk.zip", topic="/uwb")
