"""Many series and many recordings in one call equal one call for each."""

import pickle
import warnings

import fathom
import numpy as np
import pytest
from conftest import example

GENERATOR = np.random.default_rng(4)
TIMES = np.arange(60) * 50_000_000
MATRIX = 5 + GENERATOR.normal(0, 0.1, (30, 60))
MATRIX[GENERATOR.random((30, 60)) < 0.1] = np.nan


def same(one, two):
    assert list(one) == list(two)
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


@pytest.mark.parametrize("settings", [{}, {"range_sigma": 0.2}, {"method": "median"}, {"rate": False}], ids=str)
def test_a_matrix_has_one_link_per_row(settings):
    found = fathom.smooth(TIMES, MATRIX, **settings)
    own_times = TIMES + np.arange(30)[:, None] * 1_000_000
    shifted = fathom.smooth(own_times, MATRIX, **settings)
    for row, distance in enumerate(MATRIX):
        one = fathom.smooth(TIMES, distance, **settings)
        same({name: values[row] for name, values in found.items()}, one)
        same({name: values[row] for name, values in shifted.items()}, fathom.smooth(own_times[row], distance, **settings))


def test_a_key_tells_links_apart():
    names = np.array([f"link {number}" for number in range(30)])
    rows = GENERATOR.permutation(30 * 60)
    rows = rows[np.argsort(np.tile(TIMES, 30)[rows], kind="stable")]  # links interleave, times are in order
    times, distance, keys = np.tile(TIMES, 30)[rows], MATRIX.reshape(-1)[rows], np.repeat(names, 60)[rows]
    found = fathom.smooth(times, distance, by=keys)
    for name in names:
        own = keys == name
        same({key: values[own] for key, values in found.items()}, fathom.smooth(times[own], distance[own]))
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"t": pd.to_datetime(times), "d": distance, "link": keys}).astype({"link": "category"})
    same(fathom.smooth(frame.t, frame.d, by=frame.link), found)


def test_shapes_that_do_not_fit_are_refused():
    for times, distance in (
        (TIMES[:-1], MATRIX),
        (TIMES, MATRIX[None]),
        (TIMES, MATRIX.T),
        (np.tile(TIMES, (2, 1)), TIMES * 1.0),
    ):
        with pytest.raises(fathom.UsageError, match="does not fit distance of shape"):
            fathom.smooth(times, distance)
    with pytest.raises(fathom.UsageError, match="by and distance differ"):
        fathom.smooth(TIMES, MATRIX[0], by=["A"])
    with pytest.raises(fathom.UsageError, match="not a matrix"):
        fathom.smooth(TIMES, MATRIX, by=["A"] * 60)
    with pytest.raises(fathom.DataError, match="are they milliseconds"):
        fathom.smooth(TIMES // 1_000_000, MATRIX)
    with pytest.warns(fathom.FathomWarning, match="times go back 59 times"):
        fathom.smooth(TIMES[::-1], MATRIX[0])
    assert fathom.smooth(TIMES[:0], MATRIX[:, :0])["smoothed_m"].shape == (30, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fathom.smooth(np.tile(TIMES, (30, 1)), MATRIX)


def test_recordings_of_one_table():
    pd = pytest.importorskip("pandas")
    anchors = example()[1]
    parts = {f"run {seed}": pd.DataFrame(example(60, seed=seed)[0]) for seed in range(5)}
    table = pd.concat([part.assign(session=name) for name, part in parts.items()])
    mixed = table.sort_values("time_s", kind="stable")
    expected = {name: fathom.track(part, anchors, "smooth", height=1.0, name=name) for name, part in parts.items()}
    forms = (table, mixed, {name: mixed[name].tolist() for name in mixed}, table.rename(columns={"distance_m": "range"}))
    for given in forms:
        found = fathom.track_each(given, anchors, "smooth", by="session", height=1.0)
        assert list(found) == list(parts)
        for name, result in found.items():
            assert result.name == name and result.file("positions") == expected[name].file("positions")
    pl = pytest.importorskip("polars")
    found = fathom.track_each(pl.DataFrame(table.to_dict("list")), anchors, "smooth", by="session", height=1.0)
    assert found["run 3"].file("distances") == expected["run 3"].file("distances")


def test_progress_of_recordings_is_shown(capsys):
    ranges, anchors, _ = example(60)
    table = {**ranges, "session": np.arange(60) // 20}
    shares = []
    assert list(fathom.track_each(table, anchors, by="session", height=1.0, progress=shares.append)) == ["0", "1", "2"]
    assert shares == [1 / 3, 2 / 3, 1]
    fathom.track_each(table, anchors, by="session", height=1.0, progress=True)
    assert "track_each: 100" in capsys.readouterr().err

    def stop(share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fathom.track_each(table, anchors, by="session", height=1.0, progress=stop)


def test_problems_of_recordings_are_one_warning():
    pd = pytest.importorskip("pandas")
    ranges, anchors, _ = example(60)
    good, bad = pd.DataFrame(ranges).assign(session="good"), pd.DataFrame(ranges).assign(session="bad", anchor="Z")
    with pytest.warns(fathom.FathomWarning, match='1 of 2 recordings: row 2: no row.*not declared: "Z"') as caught:
        found = fathom.track_each(pd.concat([bad, good]), anchors, by="session", height=1.0)
    assert list(found) == ["good"] and len(caught) == 1 and caught[0].filename == __file__
    with pytest.raises(fathom.DataError, match="no row can be used"):
        fathom.track_each(bad, anchors, by="session")
    with pytest.raises(fathom.DataError, match='the column sesion is missing; did you mean "session"'):
        fathom.track_each(good, anchors, by="sesion")
    with pytest.raises(fathom.DataError, match='"heigth" is not a setting of track; did you mean "height"'):
        fathom.track_each(good, anchors, by="session", heigth=1.0)


def test_estimates_are_views_that_can_be_sent():
    ranges, anchors, position = example()
    tracker = fathom.Tracker(anchors, height=1.0)
    for time, anchor, distance in zip(*(ranges[name].tolist() for name in ("time_s", "anchor", "distance_m"))):
        tracker.update(time, anchor, distance)
    one, two = tracker.estimate(10.0), tracker.estimate(11.0)
    assert one.time_ns == 10_000_000_000 and np.hypot(*(one.position - position[-1])[:2]) < 0.3
    assert (one.position != two.position).any(), "every estimate has its own memory"
    assert one.covariance.shape == (3, 3) and (one.covariance == one.covariance.T).all() and one.alternative is None
    again = pickle.loads(pickle.dumps(one))
    for name in ("time_ns", "position", "velocity", "covariance", "status"):
        np.testing.assert_array_equal(getattr(again, name), getattr(one, name))
    assert repr(one).startswith("<Estimate at 10 s: ") and repr(one).endswith(" m, tracking>")
