"""Problems of a call are one warning, which points at its caller, in the words of Python."""

import warnings

import fathom
import numpy as np
from conftest import example
from fathom._errors import in_python


def issued(call):
    """Returns the messages of the warnings of a call, which all point at this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(warning.filename == __file__ and warning.category is fathom.FathomWarning for warning in caught)
    return [str(warning.message) for warning in caught]


def test_a_clean_table_has_no_warning():
    ranges, anchors, _ = example()
    assert issued(lambda: fathom.track(ranges, anchors, height=1.0)) == []


def test_rejected_rows_are_told_once():
    ranges, anchors, _ = example()
    ranges["distance_m"][[3, 5]] = np.nan, -1
    anchor = ranges["anchor"].astype(object)
    anchor[9] = "E"
    table = {**ranges, "anchor": anchor}
    (message,) = issued(lambda: fathom.track(table, anchors, height=1.0))
    assert message.splitlines() == [
        "recording:",
        "- 3 of 200 rows were rejected: 1 distance_m is missing, 1 distance_m is negative, 1 the anchor is not declared",
        '- 1 row names an anchor that is not declared: "E"; declared: "A", "B", "C", "D"',
    ]
    recordings = []
    (again,) = issued(lambda: recordings.append(fathom.recording(table, anchors, height=1.0)))
    assert again == message
    assert issued(lambda: fathom.track(recordings[0])) == []


def test_rejected_rows_of_tables_beside_ranges_are_told():
    ranges, anchors, _ = example()
    heights = {"time_s": [0.0, 1.0, 2.0], "height_m": [1.0, "high", 1.0]}
    known = fathom.recording(ranges, anchors)
    for given in (lambda: fathom.track(known, heights=heights), lambda: fathom.track(known.beside(heights=heights))):
        (message,) = issued(given)
        assert "heights.csv: 2 heights; 1 row rejected" in message
    (message,) = issued(lambda: fathom.recording(ranges, anchors, heights=heights))
    assert message == 'recording: heights.csv: 2 heights; 1 row rejected, line 3: height_m is not a number: "high"'


def test_options_are_parameters():
    ranges, anchors, _ = example()
    (message,) = issued(lambda: fathom.track(ranges, anchors))
    remedy = '(side="above" or side="below"), a known height (height) or a box that contains the tags (bounds) to'
    assert remedy in message and "--" not in message
    generator = np.random.default_rng(2)
    noisy = {**ranges, "distance_m": ranges["distance_m"] + generator.normal(0, 1.0, 200)}
    results = []
    (message,) = issued(lambda: results.append(fathom.track(noisy, anchors, height=1.0)))
    assert "if you know it, set it with range_sigma" in message
    assert any("--range-sigma" in warning for warning in results[0].summary["warnings"])
    assert any("with range_sigma" in warning for warning in results[0].warnings)


def test_names_with_hyphens_stay():
    assert in_python("run--a.csv: give --anchors FILE (--side above)") == 'run--a.csv: give anchors (side="above")'
    assert in_python("--keep A 1: there is no anchor of this name") == "keep=['A 1']: there is no anchor of this name"


def test_no_positions_are_told():
    ranges, _, _ = example()
    (message,) = issued(lambda: fathom.track(ranges))
    assert "there are no positions, because there are no anchors" in message


def test_files_and_smoothing_warn(robot):
    (message,) = issued(lambda: fathom.track(robot))
    assert message.startswith("robot-2d: some ranges are outliers")
    assert issued(lambda: fathom.read(robot)) == []
    (message,) = issued(lambda: fathom.smooth(np.arange(100) * 50_000, np.full(100, 5.0)))
    assert "are they microseconds" in message
    (message,) = issued(lambda: fathom.smooth(np.arange(100)[::-1] * 50_000_000, np.full(100, 5.0)))
    assert message.startswith("smooth: times go back 99 times") and "sort them by time" in message
    (message,) = issued(lambda: fathom.calibrate(*example()[:2]))
    assert message.startswith("recording:")


def test_advice_of_errors_has_parameters():
    for message, expected in {
        "(decimal comma? try --decimal ,)": '(decimal comma? try decimal_separator=",")',
        "in ms? try --time-unit ms": 'in ms? try time_unit="ms"',
        "found x; try --columns time=t,distance=Dist": 'found x; try columns={"time": "t", "distance": "Dist"}',
        "try --columns 'time=my time', with --time-unit if": 'try columns={"time": "my time"}, with time_unit if',
        "--range-bias 0 keeps them": "range_bias=0 keeps them",
    }.items():
        assert in_python(message) == expected
