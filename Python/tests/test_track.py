import os
import signal
import threading

import fathom
import numpy as np
import pytest
from conftest import example


def test_mapping_of_arrays_gives_positions():
    ranges, anchors, position = example()
    result = fathom.track(ranges, anchors, method="smooth", height=1.0)
    found = result.positions
    assert found.rows == 200
    error = np.hypot(found["x_m"] - position[:, 0], found["y_m"] - position[:, 1])
    assert np.nanmax(error) < 0.3
    assert set(found["status"]) <= {"tracking", "ambiguous", "starting"}
    assert found["tag"][0] == "0"
    assert result.distances["decision"][-1] in {"used", "discounted", "nlos"}


def test_columns_are_views_that_outlive_the_result():
    ranges, anchors, _ = example()
    result = fathom.track(ranges, anchors, height=1.0)
    x = result.positions["x_m"]
    expected = x.copy()
    del result
    np.testing.assert_array_equal(x, expected)
    assert not x.flags.writeable and not x.flags.owndata


def test_arrow_shares_memory_with_the_columns_and_outlives_the_result():
    pytest.importorskip("pyarrow")
    ranges, anchors, _ = example()
    positions = fathom.track(ranges, anchors, height=1.0).positions
    batch = positions.to_arrow()
    own = positions["x_m"].__array_interface__["data"][0]
    assert batch.column("x_m").buffers()[1].address == own
    assert batch.schema.field("status").type.value_type == "string"
    expected = positions["x_m"].copy()
    del positions
    np.testing.assert_array_equal(batch.column("x_m").to_numpy(), expected)


def test_pandas_has_the_columns_of_the_file():
    pd = pytest.importorskip("pandas")
    ranges, anchors, _ = example()
    frame = fathom.track(pd.DataFrame(ranges), anchors, height=1.0).to_pandas()
    assert list(frame.columns[:6]) == ["time_s", "tag", "x_m", "y_m", "z_m", "sxx"]
    assert frame.status.dtype == "category"


def test_datetimes_and_nanoseconds_are_times():
    pd = pytest.importorskip("pandas")
    ranges, anchors, _ = example()
    start = 1_700_000_000_000_000_000
    nanoseconds = start + np.rint(ranges["time_s"] * 1e9).astype("i8")
    as_dates = {**ranges, "time_s": pd.to_datetime(nanoseconds)}
    as_numbers = {"time_ns": nanoseconds, "anchor": ranges["anchor"], "distance_m": ranges["distance_m"]}
    one = fathom.track(as_dates, anchors, height=1.0)
    two = fathom.track(as_numbers, anchors, height=1.0)
    assert one.file("positions") == two.file("positions")
    assert one.positions["time_ns"][0] == start


def test_masked_values_are_absent():
    ranges, anchors, _ = example()
    mask = np.arange(200) % 10 == 3
    wrong = {**ranges, "distance_m": np.where(mask, 99.0, ranges["distance_m"])}
    masked = {**wrong, "distance_m": np.ma.masked_array(wrong["distance_m"], mask=mask)}
    absent = {**wrong, "distance_m": np.where(mask, np.nan, wrong["distance_m"])}
    found, expected = (fathom.track(table, anchors, height=1.0).positions["x_m"] for table in (masked, absent))
    np.testing.assert_array_equal(found, expected)

    tags = np.ma.masked_array(np.full(200, "T"), mask=mask)
    times = np.ma.masked_array((ranges["time_s"] * 1e9).astype("i8"), mask=mask)
    for column, values in (("tag", tags), ("time_ns", times)):
        table = {**ranges, column: values}
        assert fathom.track(table, anchors, height=1.0).distances.rows == 180

    distances = [[5.0, 6.0, 7.0, 4.0]]
    hidden = np.ma.masked_array([[5.0, 6.0, 7.0, 99.0]], mask=[[False, False, False, True]])
    places = fathom.locate(hidden, anchors, height=1.0)
    assert places["x_m"][0] == fathom.locate([[*distances[0][:3], np.nan]], anchors, height=1.0)["x_m"][0]


def test_dates_are_no_distances():
    ranges, anchors, _ = example()
    for values in (np.arange(200).astype("M8[s]"), list(np.arange(200).astype("m8[ms]"))):
        with pytest.raises(fathom.DataError, match="distance_m is not numeric"):
            fathom.track({**ranges, "distance_m": values}, anchors)


def test_names_with_nul_are_refused():
    ranges, anchors, _ = example()
    table = {**ranges, "tag": ["a\0b", "a\0c"] * 100}
    with pytest.raises(fathom.DataError, match="NUL"):
        fathom.track(table, anchors)
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(fathom.DataError, match="NUL"):
        fathom.track(pa.table(table), anchors)


def test_dictionaries_of_numbers_are_decoded():
    pa = pytest.importorskip("pyarrow")
    ranges, anchors, _ = example()
    plain = pa.table({**ranges, "distance_m": np.round(ranges["distance_m"], 1)})
    coded = pa.table({
        name: column.dictionary_encode() for name, column in zip(plain.column_names, plain.columns)
    })  # fmt: skip
    found, expected = (fathom.track(table, anchors, height=1.0) for table in (coded, plain))
    np.testing.assert_array_equal(found.distances["distance_m"], expected.distances["distance_m"])
    np.testing.assert_array_equal(found.positions["x_m"], expected.positions["x_m"])


def test_own_names_of_columns():
    ranges, anchors, _ = example()
    renamed = {"t": ranges["time_s"], "who": ranges["anchor"], "d": ranges["distance_m"]}
    result = fathom.track(renamed, anchors, columns={"time_s": "t", "anchor": "who", "distance_m": "d"}, height=1)
    assert result.positions.rows == 200


def test_rows_that_cannot_be_used_are_listed():
    ranges, anchors, _ = example()
    ranges["distance_m"][3] = np.nan
    ranges["anchor"] = ranges["anchor"].astype(object)
    ranges["anchor"][5] = "E"
    recording = fathom.recording(ranges, anchors, height=1.0)
    assert [row["line"] for row in recording.info["rejected"]] == [5, 7]
    assert recording.info["rejected"][1]["reason"] == 'the anchor is not declared: "E"'
    result = fathom.track(recording)
    assert any("not declared" in warning for warning in result.warnings)
    assert result.summary["rows"]["set_aside"] == 2


def test_anchors_in_memory_replace_only_those_of_a_folder(tmp_path):
    ranges, anchors, position = example()
    folder = tmp_path / "hall"
    folder.mkdir()
    rows = zip(ranges["time_s"], ranges["anchor"], ranges["distance_m"])
    table = ["time_s,anchor,distance_m", *(f"{time},{anchor},{distance}" for time, anchor, distance in rows)]
    (folder / "ranges.csv").write_text("\n".join(table) + "\n")
    heights = ["time_s,height_m,sigma_m", *(f"{time},{place[2]},0.05" for time, place in zip(ranges["time_s"], position))]
    (folder / "heights.csv").write_text("\n".join(heights) + "\n")
    (folder / "anchors.csv").write_text("id,x,y,z\nA,1,0,2\nB,9,0,2\nC,9,6,2\nD,1,6,2\n")
    (folder / "recording.json").write_text('{"side": "below", "bounds_m": [[0, 0, 0], [9, 9, 3]]}')
    file = tmp_path / "anchors.csv"
    file.write_text("id,x,y,z\n" + "".join(f"{name},{x},{y},{z}\n" for name, (x, y, z) in anchors.items()))
    for method in ("filter", "smooth", "fix"):
        own = fathom.track(folder, anchors, method)
        other = fathom.track(folder, file, method)
        assert own.name == "hall" and own.summary["settings"]["side"] == "below"
        for name in ("positions", "distances"):
            assert own.file(name) == other.file(name), (method, name)
    without = fathom.track(fathom.read(folder, anchors).ranges, anchors)
    assert without.file("positions") != fathom.track(folder, anchors).file("positions")


def test_names_of_settings_are_those_of_the_options():
    given = {"height": 1.0, "keep": ["A"], "acceleration": 2.0, "rate": 5, "heading_sigma": 0.1, "side": None}
    assert fathom._core.keyed(given) == {
        "height_m": 1.0, "kept_anchors": ["A"], "acceleration_density": 2.0, "rate_hz": 5, "heading_sigma_rad": 0.1,
    }  # fmt: skip
    assert fathom._core.keyed({"rate": 5, "format": "csv"}, kind="reading") == {"epoch_rate": 5, "format": "csv"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "filtr"}, 'settings: method must be fix, filter or smooth, not "filtr"; did you mean "filter"?'),
        ({"rate": 0}, "settings: rate_hz must be from 0.001 to 1000000"),
        ({"side": "left"}, 'settings: side must be above or below, not "left"'),
        (
            {"bounds": [[1, 1], [0, 0]]},
            "settings: bounds_m must be the least x,y,z, then the greatest x,y,z in metres (or x,y,x,y)",
        ),
    ],
)
def test_wrong_settings_are_named(settings, message):
    ranges, anchors, _ = example()
    with pytest.raises(fathom.DataError) as refused:
        fathom.track(ranges, anchors, **settings)
    assert str(refused.value) == message
    assert refused.value.status == 65


def test_wrong_input_is_refused(tmp_path):
    ranges, anchors, _ = example()
    with pytest.raises(FileNotFoundError) as missing:
        fathom.track(tmp_path / "nothing")
    assert "No such file" in str(missing.value) and missing.value.status == 66
    with pytest.raises(fathom.DataError, match="distance_m is missing"):
        fathom.track({"time_s": [0.0], "anchor": ["A"]}, anchors)
    with pytest.raises(fathom.DataError, match="declared twice|out of range"):
        fathom.track(ranges, {"A": (0, np.nan)})
    with pytest.raises(fathom.UsageError, match="differ in length"):
        fathom.track({**ranges, "time_s": [0.0]}, anchors)
    with pytest.raises(fathom.DataError, match="there are no rows of data"):
        fathom.track({"time_s": [], "anchor": [], "distance_m": []}, anchors)
    with pytest.raises(fathom.UsageError):
        fathom.track(17, anchors)


def test_progress_is_reported_and_its_error_ends_the_call():
    ranges, anchors, _ = example(70_000)
    shares = []
    fathom.track(ranges, anchors, height=1.0, progress=shares.append)
    assert shares[0] == 0 and shares[-1] == 1 and sorted(shares) == shares

    def stop(share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fathom.track(ranges, anchors, height=1.0, progress=stop)


def test_an_interrupt_ends_the_call_at_once():
    ranges, anchors, _ = example(400_000)
    recording = fathom.recording(ranges, anchors, height=1.0)
    # Spark leaves a handler of its own behind, which fails once its context has ended.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    calls = []
    try:
        with pytest.raises(KeyboardInterrupt):
            for call in range(100):
                calls.append(call)
                fathom.track(recording, method="smooth")
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(calls) < 100


def test_other_threads_run_during_a_call():
    ranges, anchors, _ = example(200_000)
    recording = fathom.recording(ranges, anchors, height=1.0)
    results = []
    threads = [threading.Thread(target=lambda: results.append(fathom.track(recording).file("positions"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and len(set(results)) == 1


def test_files_are_written(robot, tmp_path):
    paths = fathom.track(robot).write(tmp_path / "out")
    assert [path.name for path in paths] == [
        "robot-2d.positions.csv", "robot-2d.distances.csv", "robot-2d.rejected.csv", "robot-2d.summary.json",
    ]  # fmt: skip
    assert paths[0].read_bytes().startswith(b"time_s,tag,x_m")


def test_figures_are_drawn(robot):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    result = fathom.track(robot)
    for kind in ("plan", "residuals", "consistency"):
        ax = result.plot(kind, truth=robot if kind == "plan" else None)
        assert ax.get_title() == "robot-2d" and ax.lines
        ax.figure.canvas.draw()
    with pytest.raises(ValueError, match="kind must be"):
        result.plot("map")
