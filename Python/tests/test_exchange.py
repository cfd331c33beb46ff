"""Results and tables go to and come from other processes and libraries."""

import copy
import multiprocessing
import pickle

import fathom
import numpy as np
import pytest
from conftest import example


def copied(value):
    return pickle.loads(pickle.dumps(value))


def tracked(seed):
    ranges, anchors, _ = example(seed=seed)
    return fathom.track(ranges, anchors, height=1.0, name=f"run {seed}")


def same(one, two):
    assert list(one) == list(two)
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


def test_results_are_pickled_as_arrays():
    result = tracked(1)
    for again in (copied(result), copy.deepcopy(result)):
        assert repr(again) == repr(result) and again.anchors == result.anchors
        same(again.positions, result.positions)
        same(again.distances, result.distances)
        assert again.summary == result.summary and again.warnings == result.warnings
        assert again.positions.codes("tag").dtype == "i4" and again._repr_html_() == result._repr_html_()
        same(copied(again).positions, result.positions)
        with pytest.raises(fathom.UsageError, match="write it before"):
            again.file("positions")
    assert fathom.evaluate(copied(result), result)["rmse_m"] == 0


def test_columns_of_every_origin_are_pickled(robot):
    columns = [fathom.read(robot).ranges, fathom.truth(robot).positions, fathom.locate([[3, 6, 7, 4.5]], example()[1])]
    columns.append(fathom.Tracker(example()[1], height=1.0).update_many([0], ["A"], [3.0]))
    for given in columns:
        same(copied(given), given)


def test_processes_return_results():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(tracked, [1, 2])
    for seed, result in zip((1, 2), found):
        assert result.name == f"run {seed}"
        same(result.positions, tracked(seed).positions)


def test_what_has_no_arrays_says_so(robot):
    for given in (fathom.read(robot), fathom.truth(robot), fathom.Tracker(example()[1])):
        with pytest.raises(TypeError, match=f"a {type(given).__name__} cannot be pickled"):
            pickle.dumps(given)
    error = copied(fathom.DataError("x"))
    assert (str(error), error.status, type(error)) == ("x", 65, fathom.DataError)


def test_columns_are_arrow_streams():
    pa = pytest.importorskip("pyarrow")
    result = tracked(1)
    for positions in (result.positions, copied(result.positions)):
        table = pa.table(positions)
        assert table.column_names == list(positions) and table.num_rows == 200
        np.testing.assert_array_equal(table["x_m"].to_numpy(), positions["x_m"])
        assert table["status"].to_pylist() == list(positions["status"])
    ranges, anchors, _ = example()
    recording = fathom.recording(ranges, anchors, height=1.0)
    assert fathom.track(recording.ranges, anchors, height=1.0).file("positions") == fathom.track(recording).file(
        "positions"
    )
    assert fathom.evaluate(pa.table(result.positions), result)["rmse_m"] == 0
    pl = pytest.importorskip("polars")
    assert pl.DataFrame(result.positions)["x_m"].to_list()[50] == result.positions["x_m"][50]


def test_frames_of_polars_are_tables(monkeypatch):
    pl = pytest.importorskip("polars")
    ranges, anchors, _ = example()
    start = 1_700_000_000_000_000_000
    nanoseconds = start + np.rint(ranges["time_s"] * 1e9).astype("i8")
    names = ranges["anchor"].tolist()
    others = {"anchor": names, "distance_m": ranges["distance_m"]}
    expected = fathom.track({**others, "time_ns": nanoseconds}, anchors, height=1.0).file("positions")
    frame = pl.DataFrame({**others, "time_ns": nanoseconds})
    date = pl.from_epoch("time_ns", time_unit="ns").alias("time")
    dated = frame.select(date, "anchor", "distance_m")
    zoned = dated.with_columns(pl.col("time").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"))
    texts = dated.with_columns(pl.col("time").dt.to_string("%Y-%m-%dT%H:%M:%S%.9f"))
    tables = [
        frame,
        dated,
        zoned,
        texts,
        frame.with_columns(pl.col("anchor").cast(pl.Categorical)),
        pl.concat([frame[:90], frame[90:]]),
    ]
    places = pl.DataFrame({"id": list(anchors), **dict(zip("xyz", np.array(list(anchors.values())).T))})
    height = pl.DataFrame({"time_s": [0.0, 20.0], "height_m": [1.0, 1.0]})
    for number, table in enumerate(tables):
        assert fathom.track(table, anchors, height=1.0).file("positions") == expected, number
        assert fathom.track(table, places, height=1.0).file("positions") == expected, number
    renamed = frame.rename({"anchor": "who"})
    assert fathom.track(renamed, anchors, columns={"anchor": "who"}, height=1.0).file("positions") == expected
    assert fathom.track(frame, anchors, heights=height).summary["warnings"] is not None
    result = fathom.track(frame, anchors, height=1.0)
    assert fathom.evaluate(pl.DataFrame(result.positions), result)["rmse_m"] == 0
    ranges_of_epochs = pl.DataFrame([[3.0, 6.0, 7.0, 4.5]], schema=list(anchors), orient="row")
    assert fathom.locate(ranges_of_epochs, anchors, height=1.0)["verdict"][0] == "two"

    # Without pyarrow, and without pandas.
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    for number, table in enumerate(tables):
        assert fathom.track(table, places, height=1.0).file("positions") == expected, number
    true = pl.DataFrame({"time_ns": nanoseconds, "x_m": ranges["time_s"], "y_m": ranges["time_s"]})
    assert fathom.evaluate(true, true, horizontal=True)["rmse_m"] == 0
    assert fathom.track(frame, anchors, heights=height).summary["warnings"] is not None
