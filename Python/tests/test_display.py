"""Results as notebooks and consoles show them."""

import xml.etree.ElementTree as xml

import fathom
import numpy as np
from conftest import example


def parts(page):
    """Returns the elements of a piece of HTML, which must be well-formed."""
    return list(xml.fromstring(page).iter())


def test_results_show_positions_warnings_and_a_plan():
    ranges, anchors, _ = example()
    anchors = {("<A>" if name == "A" else name): place for name, place in anchors.items()}
    names = np.where(ranges["anchor"] == "A", "<A>", ranges["anchor"])
    result = fathom.track({**ranges, "anchor": names}, anchors, name="a & b")
    found = parts(result._repr_html_())
    words = [element.text for element in found if element.text]
    assert any("a & b" in word and "200 positions" in word for word in words)
    assert [element.text for element in found if element.tag == "li"] == result.warnings
    rows = [element for element in found if element.tag == "tr"]
    assert len(rows) == 6 and [cell.text for cell in rows[0]][:5] == ["time_s", "tag", "x_m", "y_m", "z_m"]
    assert [cell.text for cell in rows[5]] == ["0.200", "0", None, None, None, "starting"]
    (plan,) = [element for element in found if element.tag == "svg"]
    assert [element.text for element in plan.iter("text")][:4] == ["<A>", "B", "C", "D"]
    (path,) = [element for element in plan.iter("path") if element.get("class") == "track"]
    assert 100 < path.get("d").count("L") + path.get("d").count("M") <= 500 and "nan" not in path.get("d")


def test_long_tracks_and_absent_positions_are_shown():
    ranges, anchors, _ = example(5000)
    page = fathom.track(ranges, anchors, height=1.0)._repr_html_()
    assert len(page) < 30_000 and parts(page)
    absent = fathom.track({**ranges, "anchor": ["A"] * 5000}, anchors, height=1.0)
    assert parts(absent._repr_html_()) and "nan" not in absent._repr_html_()
    assert "svg" not in fathom.track(ranges)._repr_html_()


def test_columns_show_their_head():
    ranges, anchors, _ = example()
    page = fathom.track(ranges, anchors, height=1.0).distances._repr_html_()
    assert len([element for element in parts(page) if element.tag == "tr"]) == 6 and "200 rows" in page


def test_texts_and_lengths(robot):
    ranges, anchors, _ = example()
    result = fathom.track(ranges, anchors, height=1.0)
    assert repr(result) == "<Result of recording: 200 positions, 200 distances>"
    assert len(result) == len(result.positions) == result.positions.rows == 200
    assert len(list(result.positions)) == len(result.positions.keys()) == 17
    assert repr(fathom.truth(robot)) == "<Truth of robot: 1101 positions, 0 to 110 s>"
    assert repr(fathom.Tracker(anchors)) == "<Tracker of 4 anchors: A, B, C, D>"
    many = {f"A{index}": (index, index % 3, 2) for index in range(9)}
    assert repr(fathom.Tracker(many)) == "<Tracker of 9 anchors: A0, A1, A2, A3, A4, A5, ...>"
