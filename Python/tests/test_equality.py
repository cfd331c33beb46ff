"""Results are those of `fathom process`, to the bit."""

import json

import fathom
import numpy as np
import pytest
from conftest import recordings, run_tool, tool

METHODS = ["filter", "smooth", "fix"]


@pytest.mark.skipif(tool() is None, reason="the tool is not built: FATHOM_TOOL names it")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.name)
def test_files_are_those_of_the_tool(path, method, tmp_path):
    run = run_tool("process", str(path), "-o", str(tmp_path), "--method", method, "--json")
    if run.returncode != 0:
        with pytest.raises(fathom.FathomError) as refused:
            fathom.track(path, method=method)
        assert refused.value.status == run.returncode
        assert str(refused.value) in run.stderr
        return
    result = fathom.track(path, method=method)
    for table in ("positions", "distances"):
        assert result.file(table) == (tmp_path / f"{path.name}.{table}.csv").read_bytes(), table
    own, theirs = result.summary, json.loads(run.stdout.splitlines()[0])
    for key in ("request", "results"):
        own.pop(key, None), theirs.pop(key, None)
    assert own == theirs


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["robot-2d", "drone-3d"])
def test_tables_give_the_results_of_the_file(datasets, name, method):
    pd = pytest.importorskip("pandas")
    path = datasets / name
    expected = fathom.track(path, method=method)
    info = fathom.read(path).info
    given = {"method": method, "height": info.get("height_m"), "height_sigma": info.get("height_sigma_m"),
             "side": info.get("side"), "bounds": info.get("bounds_m")}  # fmt: skip
    frame = pd.read_csv(path / "ranges.csv", dtype={"tag": str, "anchor": str})
    anchors = pd.read_csv(path / "anchors.csv", dtype={"id": str})
    from_frame = fathom.track(frame, anchors, **given)
    from_file = fathom.track(frame, path / "anchors.csv", **given)
    from_columns = fathom.track(fathom.read(path).ranges, anchors, **given)
    for result in (from_frame, from_file, from_columns):
        assert result.file("positions") == expected.file("positions")
        assert result.file("distances") == expected.file("distances")
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(frame)
    assert fathom.track(table, anchors, **given).file("positions") == expected.file("positions")
    again = fathom.track(fathom.read(path).ranges.to_arrow(), anchors, **given)
    assert again.file("positions") == expected.file("positions")


TABLES = ["heights", "odometry", "imu", "tdoa", "poses"]
FACTS = ["height_m", "height_sigma_m", "side", "bounds_m", "device_frame", "zones", "heading_sigma_rad"]


def tables_give_the_results_of(path, method="filter"):
    """Compares the results of a folder with those of its tables in memory."""
    pd = pytest.importorskip("pandas")

    def table(name):
        file = path / f"{name}.csv"
        names = {"id": str, "tag": str, "anchor": str, "anchor_a": str, "anchor_b": str}
        return pd.read_csv(file, dtype=names, float_precision="round_trip") if file.exists() else None

    facts = json.loads((path / "recording.json").read_text()) if (path / "recording.json").exists() else {}
    given = {key: facts[key] for key in FACTS if key in facts}
    beside = {name: table(name) for name in TABLES}
    expected = fathom.track(path, method=method)
    result = fathom.track(table("ranges"), table("anchors"), method, name=path.name, **beside, **given)
    for file in ("positions", "distances"):
        assert result.file(file) == expected.file(file), file
    return beside


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.name)
def test_tables_of_a_recording_give_its_results(path, method):
    if not (path / "ranges.csv").exists() or not (path / "anchors.csv").exists():
        pytest.skip("the ranges or anchors are of another format")
    tables_give_the_results_of(path, method)


@pytest.mark.skipif(tool() is None, reason="the tool is not built: FATHOM_TOOL names it")
def test_tables_of_every_scenario_give_its_results(datasets, tmp_path):
    found = set()
    for scenario in sorted((datasets / "Scenarios").glob("*.yaml")):
        folder = tmp_path / scenario.stem
        run = run_tool("simulate", str(scenario), "-o", str(folder))
        assert run.returncode == 0, run.stderr
        beside = tables_give_the_results_of(folder)
        found.update(name for name, table in beside.items() if table is not None)
    assert found == set(TABLES)


def test_tables_beside_ranges_are_checked(robot):
    columns = fathom.read(robot).ranges
    height = {"time_s": [0.0, 1.0], "height_m": [1.0, 1.0]}
    with pytest.raises(fathom.DataError, match="needs anchors"):
        fathom.track(columns, heights=height)
    with pytest.raises(fathom.DataError, match="heights, odometry, imu, tdoa, poses"):
        fathom.read(robot).beside(sonar=height)
    with pytest.raises(fathom.DataError):
        fathom.read(robot).beside(heights={"time_s": [0.0], "colour": [1.0]})
    with pytest.raises(fathom.UsageError):
        fathom.read(robot).beside(heights={"time_s": [0.0], "height_m": [1.0, 2.0]})


@pytest.mark.skipif(tool() is None, reason="the tool is not built: FATHOM_TOOL names it")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["robot-2d", "drone-3d"])
def test_anchors_in_memory_are_those_of_another_file(datasets, name, method, tmp_path):
    path = datasets / name
    moved = {key: (x + 0.05, y - 0.05, z) for key, (x, y, z) in fathom.read(path).anchors.items()}
    file = tmp_path / "moved.csv"
    file.write_text("id,x,y,z\n" + "".join(f"{key},{x!r},{y!r},{z!r}\n" for key, (x, y, z) in moved.items()))
    run = run_tool("process", str(path), "--anchors", str(file), "-o", str(tmp_path), "--method", method)
    assert run.returncode == 0, run.stderr
    result = fathom.track(path, moved, method)
    for table in ("positions", "distances"):
        assert result.file(table) == (tmp_path / f"{name}.{table}.csv").read_bytes(), table


def test_numbers_are_those_of_the_text(robot):
    result = fathom.track(robot)
    rows = result.file("positions").decode().splitlines()[1:]
    columns = result.positions
    for row in range(0, len(rows), 37):
        fields = rows[row].split(",")
        for name, field in zip(("x_m", "y_m", "z_m"), fields[2:5]):
            value = columns[name][row]
            assert (field == "") == bool(np.isnan(value))
            if field:
                assert abs(value - float(field)) <= 0.5001e-4
        assert columns["status"][row] == fields[13]
        assert columns["tag"][row] == fields[1]
