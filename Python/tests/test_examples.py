"""The examples run in a clean folder, on recordings of which some have no positions."""

import shutil
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.fixture
def fleet(datasets, tmp_path):
    """A folder with recordings at relative paths: good ones, one that cannot be read, one without anchors."""
    for name in ("robot-2d", "drone-3d"):
        shutil.copytree(datasets / name, tmp_path / "fleet/hall" / name)
    (tmp_path / "fleet/broken").mkdir()
    (tmp_path / "fleet/broken/ranges.csv").write_text("this is no recording\n")
    (tmp_path / "fleet/bare").mkdir()
    shutil.copy(datasets / "robot-2d/ranges.csv", tmp_path / "fleet/bare")
    return tmp_path


def run(folder, name, *arguments):
    before = set(folder.iterdir())
    done = subprocess.run(
        [sys.executable, str(ROOT / "Python/examples" / name), *arguments],
        capture_output=True, text=True, timeout=300, cwd=folder,
    )  # fmt: skip
    return done, {path.name for path in set(folder.iterdir()) - before}


def test_duckdb(fleet):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    done, made = run(fleet, "duckdb_track.py", "fleet")
    assert done.returncode == 0 and not made, done.stderr
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if "│ " in line}
    assert {"hall/robot-2d", "hall/drone-3d", "broken", "bare"} <= set(lines)
    assert "nan" not in done.stdout and "no anchors" in lines["bare"]
    assert 0.05 < float(lines["hall/robot-2d"].split("│")[3]) < 0.2
    (fleet / "empty").mkdir()
    assert run(fleet, "duckdb_track.py", "empty")[0].returncode == 66


def test_ray(fleet):
    pytest.importorskip("ray")
    parquet = pytest.importorskip("pyarrow.parquet")
    done, made = run(fleet, "ray_track.py", "fleet", "positions.parquet")
    assert done.returncode == 65 and made == {"positions.parquet"}, done.stderr
    assert "2 of 4 recordings" in done.stdout and "hall/robot-2d: " in done.stdout and "nan" not in done.stdout
    table = parquet.read_table(fleet / "positions.parquet")
    assert set(table["recording"].to_pylist()) == {"hall/robot-2d", "hall/drone-3d", "broken", "bare"}


def test_tables_of_clusters_have_every_recording(fleet):
    pa = pytest.importorskip("pyarrow")
    import fathom
    from fathom.spark import error_row, positions_table, summary_table

    good = fathom.track(fleet / "fleet/hall/robot-2d")
    tables = [
        positions_table("good", good), positions_table("bare", fathom.track(fleet / "fleet/bare")),
        error_row("broken", fathom.DataError("no")),
    ]  # fmt: skip
    table = pa.concat_tables(tables)
    rows = {row["recording"]: row for row in summary_table(table).to_pylist()}
    assert rows["good"]["positions"] == len(good) and 0 < rows["good"]["determined"] <= len(good)
    assert rows["good"]["sigma_m"] > 0 and rows["good"]["error"] is None
    assert "no anchors" in rows["bare"]["error"] and rows["bare"]["positions"] == rows["bare"]["determined"] == 0
    assert rows["broken"]["error"] == "no"
    assert tables[0]["x_m"].null_count == len(good) - rows["good"]["determined"]
