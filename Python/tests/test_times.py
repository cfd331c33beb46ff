"""Times in the forms in which Python programs have them, and times in a wrong unit."""

import datetime
import warnings

import fathom
import numpy as np
import pytest
from conftest import example

START = 1_700_000_000_000_000_000


def without_times(ranges):
    return {name: values for name, values in ranges.items() if name != "time_s"}


def positions(table, anchors):
    return fathom.track(table, anchors, height=1.0).file("positions")


def test_floats_are_no_nanoseconds():
    times, distance = np.arange(100) * 0.05, np.full(100, 5.0)
    for wrong in (times, times * 1e9, list(times)):
        with pytest.raises(fathom.DataError, match="time_ns has floating-point numbers.*np.rint"):
            fathom.smooth(wrong, distance)
    ranges, anchors, _ = example()
    with pytest.raises(fathom.DataError, match="time_ns has floating-point numbers"):
        fathom.track({**without_times(ranges), "time_ns": ranges["time_s"]}, anchors)
    with pytest.raises(fathom.DataError, match="time_ns has floating-point numbers"):
        fathom.Tracker(anchors).update_many([0.5], ["A"], [5.0])
    with pytest.raises(fathom.DataError, match="time_ns has floating-point numbers"):
        fathom.evaluate({"time_ns": [0.5], "x_m": [1.0], "y_m": [1.0]}, {"time_s": [0.0], "x": [1.0], "y": [1.0]})


def test_whole_numbers_with_gaps_are_nanoseconds():
    pd = pytest.importorskip("pandas")
    ranges, anchors, _ = example()
    times = pd.Series(np.rint(ranges["time_s"] * 1e9).astype("i8"), dtype="Int64")
    times[7] = None
    table = pd.DataFrame({**without_times(ranges), "time_ns": times})
    assert fathom.track(table, anchors, height=1.0).distances.rows == 199


def test_dates_and_texts_are_times():
    ranges, anchors, _ = example()
    nanoseconds = START + np.rint(ranges["time_s"] * 1e9).astype("i8")
    expected = positions({**without_times(ranges), "time_ns": nanoseconds}, anchors)
    dates = nanoseconds.view("M8[ns]")
    texts = [str(date) for date in dates]
    objects = [datetime.datetime.fromisoformat(text[:26]) for text in texts]
    zoned = [moment.replace(tzinfo=datetime.timezone.utc).isoformat(" ") for moment in objects]
    for values in (dates, texts, [text + "Z" for text in texts], zoned, np.array(texts), objects):
        for name in ("time", "time_s", "timestamp"):
            assert positions({**without_times(ranges), name: values}, anchors) == expected, name
    east = datetime.timezone(datetime.timedelta(hours=2))
    moved = [moment.replace(tzinfo=datetime.timezone.utc).astimezone(east) for moment in objects]
    for values in (moved, [moment.isoformat() for moment in moved]):
        assert positions({**without_times(ranges), "time": values}, anchors) == expected
    assert len(fathom.smooth(texts, np.full(200, 5.0))["sigma_m"]) == 200
    numbers = [f"{time:.2f}" for time in ranges["time_s"]]
    assert positions({**ranges, "time_s": numbers}, anchors) == positions(ranges, anchors)
    with pytest.raises(fathom.DataError, match="time_s.*ISO 8601.*yesterday"):
        fathom.track({**ranges, "time_s": ["yesterday"] * 200}, anchors)


def test_an_index_of_times_is_the_time():
    pd = pytest.importorskip("pandas")
    ranges, anchors, position = example()
    nanoseconds = START + np.rint(ranges["time_s"] * 1e9).astype("i8")
    expected = positions({**without_times(ranges), "time_ns": nanoseconds}, anchors)
    frame = pd.DataFrame(without_times(ranges))
    dates = pd.to_datetime(nanoseconds)
    for index in (dates, dates.tz_localize("UTC").tz_convert("Asia/Tokyo"), pd.Index(nanoseconds, name="time_ns")):
        assert positions(frame.set_index(index), anchors) == expected
    assert positions(frame.assign(time=dates.tz_localize("UTC")), anchors) == expected
    missing = dates.to_series().reset_index(drop=True)
    missing[3] = pd.NaT
    assert fathom.track(frame.assign(time=missing), anchors, height=1.0).distances.rows == 199

    true = pd.DataFrame({"x": position[:, 0], "y": position[:, 1]}, index=dates)
    result = fathom.track(frame.set_index(dates), anchors, height=1.0)
    found = fathom.evaluate(result, true)
    assert found["rmse_m"] < 0.3
    texts = true.reset_index(drop=True).assign(time=dates.astype(str))
    assert fathom.evaluate(result, texts)["rmse_m"] == found["rmse_m"]


def test_milliseconds_are_recognised():
    ranges, anchors, _ = example()
    with pytest.warns(fathom.FathomWarning, match="50 s apart.*milliseconds.*divide them by 1000") as caught:
        fathom.track({**ranges, "time_s": ranges["time_s"] * 1e3}, anchors, height=1.0)
    assert not any("enough anchors" in str(warning.message) for warning in caught)
    for factor, unit in ((1e6, "microseconds"), (1e9, "nanoseconds")):
        with pytest.raises(fathom.DataError, match=f"apart.*{unit}"):
            fathom.track({**ranges, "time_s": ranges["time_s"] * factor}, anchors, height=1.0)
        epoch = (ranges["time_s"] + 1.7e9) * factor
        with pytest.raises(fathom.DataError, match=f"time_s is not in seconds.*{unit}"):
            fathom.track({**ranges, "time_s": epoch}, anchors, height=1.0)
    hourly = {"time_s": np.repeat(np.arange(50) * 3600.0, 4), "anchor": list("ABCD") * 50, "distance_m": np.full(200, 5.0)}
    with pytest.warns(fathom.FathomWarning, match="3600 s apart"):
        fathom.recording(hourly, anchors)
    with pytest.raises(fathom.DataError, match="apart.*microseconds"):
        fathom.recording({**hourly, "time_s": np.repeat(np.arange(50) * 100_000.0, 4)}, anchors)
    within = hourly["time_s"] + np.tile([0, 0.1, 0.2, 0.3], 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fathom.recording({**hourly, "time_s": within}, anchors)
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(fathom.DataError, match="time_s is not in seconds.*milliseconds"):
        fathom.track(pa.table({**ranges, "time_s": (ranges["time_s"] + 1.7e9) * 1e3}), anchors, height=1.0)


def test_nanoseconds_that_are_none_are_recognised():
    ranges, anchors, _ = example()
    for factor, unit in ((1e3, "milliseconds"), (20, "seconds")):
        times = np.rint(ranges["time_s"] * factor).astype("i8")
        with pytest.raises(fathom.DataError, match=f"ns apart.*are they {unit}"):
            fathom.track({**without_times(ranges), "time_ns": times}, anchors, height=1.0)
        with pytest.raises(fathom.DataError, match=f"ns apart.*are they {unit}"):
            fathom.smooth(times, np.full(200, 5.0))


def test_what_has_no_match_in_truth_is_an_error(robot):
    late = {"time_s": [1e6, 1e6 + 1], "x_m": [0.0, 1.0], "y_m": [0.0, 0.0]}
    with pytest.raises(fathom.DataError, match="nothing can be compared: 2 after truth ends") as refused:
        fathom.evaluate(late, robot)
    assert refused.value.status == 65
    absent = {"time_s": [1.0, 2.0], "x_m": [np.nan] * 2, "y_m": [np.nan] * 2}
    with pytest.raises(fathom.DataError, match="2 without x or y"):
        fathom.evaluate(absent, robot)


def test_the_reason_of_no_position_is_told():
    ranges, anchors, _ = example()
    with pytest.warns(fathom.FathomWarning) as caught:
        fathom.track({**ranges, "anchor": ["A"] * 200}, anchors, height=1.0)
    (warning,) = caught
    assert "at most 1 anchor is in range" in str(warning.message)
    assert "check that there are enough" not in str(warning.message)
    with pytest.warns(fathom.FathomWarning, match="no position was determined: .* 2.5 s apart"):
        fathom.track({**ranges, "time_s": ranges["time_s"] * 50}, anchors, height=1.0)
