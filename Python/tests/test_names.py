"""Tables are recognised as files are: by every name of a column, its unit, and one column per anchor."""

import json

import fathom
import numpy as np
import pytest
from conftest import example
from fathom import _reader

pd = pytest.importorskip("pandas")

RANGES, ANCHORS, TRUE = example()
FRAME = pd.DataFrame(RANGES)
PLACES = pd.DataFrame(ANCHORS, index=list("xyz")).T
TIMES = 1_700_000_000_000_000_000 + np.rint(RANGES["time_s"] * 1e9).astype("i8")


def forms(frame):
    """Returns a frame of pandas in all other forms of a table."""
    yield frame
    yield {name: frame[name].to_numpy() for name in frame}
    yield frame.to_records(index=False)
    yield frame.to_dict("records")
    try:
        import polars as pl
        import pyarrow as pa
    except ImportError:
        return
    polars = pl.DataFrame({name: frame[name].to_numpy() for name in frame})
    yield from (polars, polars.lazy(), pa.table(polars), pa.Table.from_pandas(frame))
    yield pa.table(polars).to_reader()


def tracked(table, anchors=ANCHORS, **settings):
    return fathom.track(table, anchors, height=1.0, **settings)


def of_file(frame, folder, anchors=ANCHORS):
    """Returns the positions and distances of a frame as a file."""
    folder = folder / "recording"
    folder.mkdir(exist_ok=True)
    frame.to_csv(folder / "ranges.csv", index=False)
    result = tracked(fathom.read(folder, anchors))
    return result.file("positions"), result.file("distances")


NAMES = {
    "usual": ["t", "anchor_id", "range"],
    "capitals": ["TIME_S", "ANCHOR", "DISTANCE_M"],
    "units": ["Time (s)", "Anchor", "Distance (m)"],
    "other words": ["ts", "responder", "rng"],
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_names_are_those_of_files(names, tmp_path):
    frame = FRAME.set_axis(names, axis=1)
    expected = of_file(frame, tmp_path)
    assert expected == (tracked(FRAME).file("positions"), tracked(FRAME).file("distances"))
    for table in forms(frame):
        result = tracked(table)
        assert (result.file("positions"), result.file("distances")) == expected, type(table)


def test_units_are_in_names(tmp_path):
    frame = pd.DataFrame({
        "time_ms": np.rint(RANGES["time_s"] * 1000).astype("i8"), "tag_id": "T", "anchor": RANGES["anchor"],
        "distance_mm": RANGES["distance_m"] * 1000,
    })  # fmt: skip
    expected = of_file(frame, tmp_path)
    for table in forms(frame):
        result = tracked(table)
        assert (result.file("positions"), result.file("distances")) == expected
        assert result.positions["tag"][0] == "T" and abs(result.distances["distance_m"][0] - FRAME.distance_m[0]) < 1e-12


def test_a_column_per_anchor(tmp_path):
    wide = pd.DataFrame(RANGES["distance_m"].reshape(50, 4), columns=list(ANCHORS))
    wide.insert(0, "time_s", RANGES["time_s"][::4])
    numbered = {str(index): place for index, place in enumerate(ANCHORS.values())}
    cases = (
        (wide, ANCHORS), (wide.rename(columns={name: f"range_{name}" for name in ANCHORS}), ANCHORS),
        (wide.set_axis(["time_s", "d0_m", "d1_m", "d2_m", "d3_m"], axis=1), numbered),
    )  # fmt: skip
    for frame, anchors in cases:
        expected = of_file(frame, tmp_path, anchors)
        for table in forms(frame):
            result = tracked(table, anchors)
            assert (result.file("positions"), result.file("distances")) == expected
    gap = wide.copy()
    gap.loc[3, "B"] = np.nan
    assert tracked(gap).distances.rows == 199
    # As pivot gives it, with times as the index.
    times = pd.to_datetime(TIMES[::4])
    for index in (pd.Index(times, name="time"), times, times.tz_localize("UTC")):
        assert tracked(wide.drop(columns="time_s").set_index(index)).positions["time_ns"][0] == TIMES[0]
    (numbers,) = {tracked(wide.set_axis(["time_s", 0, 1, 2, 3], axis=1), numbered).distances.rows}
    assert numbers == 200
    with pytest.raises(fathom.DataError, match="the column time_s is missing"):
        tracked(wide.drop(columns="time_s"))


def test_columns_with_other_content_are_ignored():
    expected = tracked(FRAME).file("positions")
    other = FRAME.assign(temperature=20.0, comment='says "a, b"')
    for table in forms(other):
        assert tracked(table).file("positions") == expected
    many = FRAME.assign(**{f"other {number}": 1.0 for number in range(20)})
    for extra, plain in ((many, True), (many.assign(tag_id="T"), False), (FRAME.assign(rssi=-80.0), False)):
        assert _reader.is_plain(extra, lambda count, extra=extra: dict(extra[:count].items())) == plain
    tags = FRAME.assign(tag_id=np.where(np.arange(200) < 100, "one", "two"), temperature=20.0)
    assert set(tracked(tags).positions["tag"]) == {"one", "two"}
    assert "rssi_dbm" in fathom.recording(FRAME.assign(rssi=-80.0), ANCHORS, height=1.0).ranges


def test_nothing_of_the_way_through_the_reader_is_seen():
    frame = FRAME.set_axis(NAMES["usual"], axis=1)
    frame.loc[3, "range"] = -1.0
    with pytest.warns(fathom.FathomWarning, match="1 of 200 rows were rejected: 1 range is negative"):
        recording = fathom.recording(frame, ANCHORS, name="hall 1", height=1.0)
    assert recording.name == "hall 1" and recording.info["height_m"] == 1.0
    (row,) = recording.info["rejected"]
    assert row["line"] == 5 and row["reason"] == "range is negative: -1.0"
    result = fathom.track(recording)
    assert result.name == "hall 1" and "fathom-" not in str(recording.info) + str(result.summary)
    summary = result.file("summary")
    assert json.loads(summary) == result.summary and b'"sources" : [\n\n  ]' in summary
    with pytest.raises(fathom.DataError) as refused:
        fathom.track(frame.assign(range="far"), ANCHORS, name="hall 1")
    assert str(refused.value).startswith("hall 1:2: no row can be used; 200 of 200: range is not a number")
    assert fathom.track(frame, ANCHORS, name="a/b", height=1.0).positions.rows == 199
    assert fathom.track(frame, ANCHORS, name="..", height=1.0).positions.rows == 199


def test_zero_is_a_distance_where_it_is_asked_for():
    frame = FRAME.set_axis(NAMES["usual"], axis=1)
    frame.loc[3, "range"] = 0.0
    counts = [fathom.recording(frame, ANCHORS, zero_is_distance=zero).ranges.rows for zero in (False, True)]
    assert counts == [199, 200]


def test_anchors_have_every_name_and_form():
    expected = tracked(FRAME).file("positions")
    named = PLACES.rename_axis("id").reset_index()
    metric = named.set_axis(["Anchor ID", "X (m)", "Y (m)", "Z (m)"], axis=1)
    for table in (
        PLACES,
        PLACES.rename_axis("beacon"),
        named,
        metric,
        {name: dict(zip("xyz", ANCHORS[name])) for name in "ABCD"},
    ):
        assert tracked(FRAME, table).file("positions") == expected
    for table in (*forms(named), *forms(metric)):
        assert tracked(FRAME, table).file("positions") == expected
    scaled = named.assign(x_cm=named.x * 100, y_cm=named.y * 100, z_cm=named.z * 100)[["id", "x_cm", "y_cm", "z_cm"]]
    near = tracked(FRAME, scaled).positions
    np.testing.assert_allclose(near["x_m"], tracked(FRAME).positions["x_m"], atol=1e-9)
    numbers = FRAME.assign(anchor=np.arange(200) % 4)
    rows = PLACES.reset_index(drop=True)
    assert tracked(numbers, rows).file("positions") == tracked(
        numbers.astype({"anchor": "f8"}), list(ANCHORS.values())
    ).file("positions")
    degrees = pd.DataFrame({"id": list("AB"), "lat": [48.0, 48.0001], "lon": [11.0, 11.0]})
    assert abs(fathom.recording(FRAME[FRAME.anchor < "C"], degrees).anchors["B"][1] - 11.12) < 0.01
    with pytest.raises(fathom.DataError, match='anchors:6: anchor "A" is declared twice, first on line 2'):
        tracked(FRAME, pd.concat([PLACES, PLACES]))
    with pytest.raises(fathom.DataError, match="anchors: the column x is missing; did you mean"):
        tracked(FRAME, named.rename(columns={"x": "x_place"}))


def test_positions_have_every_name():
    result = tracked(FRAME)
    true = pd.DataFrame({"time_s": RANGES["time_s"], **dict(zip("xyz", TRUE.T))})
    expected = fathom.evaluate(result, true)["rmse_m"]
    for names in (["t", "pos_x", "pos_y", "pos_z"], ["Timestamp", "X", "Y", "Z"], ["time", "x_m", "y_m", "z_m"]):
        for table in forms(true.set_axis(names, axis=1)):
            assert fathom.evaluate(result, table)["rmse_m"] == expected
    assert fathom.evaluate(fathom.truth(true), true)["rmse_m"] == 0
    with pytest.raises(fathom.DataError, match="the column time_s is missing"):
        fathom.truth(true.drop(columns="time_s"))


def test_tables_beside_ranges_have_an_index_of_times():
    dated = FRAME.drop(columns="time_s").assign(time=pd.to_datetime(TIMES))
    values = {"height_m": np.ones(200)}
    columns = fathom.track(dated, ANCHORS, heights={"time": pd.to_datetime(TIMES), **values})
    index = fathom.track(dated, ANCHORS, heights=pd.DataFrame(values, index=pd.to_datetime(TIMES)))
    assert index.file("positions") == columns.file("positions") and index.positions.rows


def test_missing_values_of_every_kind_are_absent():
    frame = FRAME.set_axis(NAMES["usual"], axis=1)
    wide = frame.astype({"range": "Float64", "anchor_id": "string"})
    wide.loc[3, "range"], wide.loc[4, "anchor_id"] = pd.NA, pd.NA
    dated = wide.assign(t=pd.to_datetime(TIMES).tz_localize("UTC"))
    dated.loc[5, "t"] = pd.NaT
    for table, count in ((wide, 198), (dated, 197)):
        recording = fathom.recording(table, ANCHORS, height=1.0)
        assert recording.ranges.rows == count, recording.info["rejected"]
    durations = FRAME.drop(columns="time_s").assign(timestamp=pd.to_timedelta(RANGES["time_s"], unit="s"), rssi=-80.0)
    assert tracked(durations).positions["time_ns"][-1] == 9_950_000_000


def test_pivots_have_several_levels_of_names():
    epochs = FRAME.assign(time_s=np.repeat(RANGES["time_s"][::4], 4))
    plain = tracked(epochs.pivot(index="time_s", columns="anchor", values="distance_m"))
    nested = tracked(epochs.pivot(index="time_s", columns="anchor", values=["distance_m"]))
    assert plain.file("positions") == nested.file("positions") and plain.distances.rows == 200


def test_what_is_no_table_is_named():
    with pytest.raises(fathom.UsageError, match="ranges cannot be a Series: pass a DataFrame"):
        tracked(FRAME.distance_m)
    with pytest.raises(fathom.UsageError, match="anchors cannot be a int: pass coordinates"):
        tracked(FRAME, 5)
    for wrong in ({"A": 1.0}, [1.0, 2.0], {"A": (1.0, 2.0, 3.0, 4.0)}):
        with pytest.raises(fathom.UsageError, match="two or three coordinates"):
            tracked(FRAME, wrong)
    with pytest.raises(fathom.DataError, match='ranges: there are 2 columns "anchor"'):
        tracked(pd.concat([FRAME, FRAME.anchor], axis=1))
    assert tracked(FRAME.assign(anchor=np.arange(200) % 4), {"x": [0, 8, 8, 0], "y": [0, 0, 6, 6]}).positions.rows == 200


def test_decimals_of_databases_are_numbers():
    duckdb = pytest.importorskip("duckdb")
    database = duckdb.connect()
    frame = FRAME.round({"distance_m": 3})
    database.register("frame", frame)
    database.register("places", PLACES.rename_axis("id").reset_index())
    rows = "time_s, anchor, distance_m::DECIMAL(9, 3)"
    expected = tracked(frame).file("positions")
    for columns in (f"{rows} AS distance_m", f"{rows} AS range", f"{rows} AS distance_m, 1.5 AS temperature"):
        relation = database.sql(f"SELECT {columns} FROM frame")
        assert tracked(relation, database.sql("SELECT * FROM places")).file("positions") == expected
