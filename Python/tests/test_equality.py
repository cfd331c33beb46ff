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
