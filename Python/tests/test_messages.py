"""Messages name the choices, what was probably meant, and what there is."""

import fathom
import numpy as np
import pytest
from conftest import example


def refused(call, *arguments, **settings):
    with pytest.raises(fathom.DataError) as found:
        call(*arguments, **settings)
    assert found.value.status == 65
    return str(found.value)


def test_methods_have_other_names():
    ranges, anchors, _ = example()
    choices = "settings: method must be fix, filter or smooth, not "
    assert refused(fathom.track, ranges, anchors, "ekf") == f'{choices}"ekf"; did you mean "filter"?'
    assert refused(fathom.track, ranges, anchors, "filtr") == f'{choices}"filtr"; did you mean "filter"?'
    assert refused(fathom.track, ranges, anchors, "RTS") == f'{choices}"RTS"; did you mean "smooth"?'
    assert refused(fathom.track, ranges, anchors, "xyzzy") == f'{choices}"xyzzy"'


def test_words_of_settings_are_suggested(robot):
    ranges, anchors, _ = example()
    assert refused(fathom.locate, [[1, 2, 3, 4]], anchors, loss="hubr").endswith('; did you mean "huber"?')
    assert refused(fathom.Tracker, anchors, sensors=["odometri"]).endswith('; did you mean "odometry"?')
    assert refused(fathom.track, ranges, anchors, smoothing="kalmann-velocity").endswith('did you mean "kalman-velocity"?')
    assert refused(fathom.read, robot, time_unit="sec").endswith('not "sec"; did you mean "s"?')
    assert refused(fathom.recording(ranges, anchors).beside, height={"time_s": [0.0]}).endswith('did you mean "heights"?')


@pytest.mark.parametrize(
    ("name", "call", "wrong", "meant"),
    [
        ("track", lambda **settings: fathom.track(*example()[:2], **settings), "heigth", "height"),
        (
            "locate",
            lambda **settings: fathom.locate([[1, 2, 3, 4]], example()[1], **settings),
            "range_sigmas",
            "range_sigma",
        ),
        ("smooth", lambda **settings: fathom.smooth([0, 10**9], [1.0, 2.0], **settings), "accelaration", "acceleration"),
        ("Tracker", lambda **settings: fathom.Tracker(example()[1], **settings), "bound", "bounds"),
        ("geometry", lambda **settings: fathom.geometry(example()[1], **settings), "noice", "noise"),
        ("evaluate", lambda **settings: fathom.evaluate(TRUE, TRUE, **settings), "max_gapp", "max_gap"),
    ],
)
def test_names_of_settings_are_suggested(name, call, wrong, meant):
    message = refused(call, **{wrong: 1})
    assert message.startswith(f'"{wrong}" is not a setting of {name}; did you mean "{meant}"?')
    assert refused(call, xyzzy=1).startswith(f'"xyzzy" is not a setting of {name}; the settings are ')


TRUE = {"time_s": np.arange(3.0), "x": np.zeros(3), "y": np.zeros(3)}


def test_keys_of_the_summary_are_settings():
    ranges, anchors, _ = example()
    assert fathom.track(ranges, anchors, height_m=1.0).file("positions") == fathom.track(ranges, anchors, height=1.0).file(
        "positions"
    )


def test_anchors_that_are_unknown_are_an_error():
    ranges, anchors, _ = example()
    anchors = {"AN-1" if name == "A" else name: place for name, place in anchors.items()}
    tracker = fathom.Tracker(anchors)
    expected = 'there is no anchor "AN1"; did you mean "AN-1"? The anchors are AN-1, B, C, D'
    assert refused(tracker.update, 0.0, "AN1", 1.0) == expected
    assert refused(tracker.update_many, [0], ["AN1"], [1.0]) == expected
    assert refused(tracker.difference, 0.0, "B", "AN1", 1.0) == expected
    assert refused(fathom.track, ranges, anchors, keep=["AN1"]) == expected
    assert refused(fathom.track, {**ranges, "anchor": ["Z"] * 200}, anchors).endswith("the anchors are AN-1, B, C, D")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1.0, 2, 3, 4]], columns=["AN1", "B", "C", "D"])
    assert (
        refused(fathom.locate, frame, anchors)
        == 'the column AN-1 is missing; did you mean "AN1"? The columns are AN1, B, C, D'
    )


def test_columns_that_are_missing_have_candidates():
    ranges, anchors, _ = example()
    own = {"time_s": ranges["time_s"], "anchor": ranges["anchor"], "dista_m": ranges["distance_m"]}
    listed = "The columns are time_s, anchor, dista_m"
    meant = 'the column distance_m is missing; did you mean "dista_m"? ' + listed
    assert refused(fathom.track, own, anchors) == meant + '; columns={"distance_m": "dista_m"} names it'
    assert refused(fathom.track, own, anchors, columns={"distance_m": "dist"}) == (
        'the column dist is missing; did you mean "dista_m"? ' + listed
    )
    assert refused(fathom.track, own, anchors, columns={"distance": "dista_m"}).startswith(
        'columns: "distance" is not a known column; did you mean "distance_m"?'
    )
    assert refused(fathom.track, ranges, {"id": ["A"], "x": [1.0], "up": [1.0]}).startswith(
        "anchors: the column y is missing"
    )
    assert refused(fathom.truth, {"time_s": [0.0], "x_mark": [1.0]}).startswith(
        'the column x_m is missing; did you mean "x_mark"?'
    )
    pa = pytest.importorskip("pyarrow")
    assert refused(fathom.track, pa.table(own), anchors).startswith("the column distance_m is missing; did you mean")


def test_tables_and_kinds_of_figures_are_named(robot):
    result = fathom.track(robot)
    with pytest.raises(fathom.UsageError, match='"position" is not a file of results; did you mean "positions"'):
        result.file("position")
    with pytest.raises(KeyError, match='there is no column "x"; did you mean "x_m"'):
        result.positions["x"]
