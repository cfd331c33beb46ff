import subprocess
import sys

import pytest
from conftest import ROOT


def run(name, *arguments):
    return subprocess.run(
        [sys.executable, str(ROOT / "Python/examples" / name), *arguments], capture_output=True, text=True, timeout=300
    )


def test_duckdb(datasets):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    done = run("duckdb_track.py", str(datasets))
    assert done.returncode == 0, done.stderr
    assert "robot-2d" in done.stdout and "drone-3d" in done.stdout


def test_ray(datasets, tmp_path):
    pytest.importorskip("ray")
    done = run("ray_track.py", str(datasets), str(tmp_path / "positions.parquet"))
    assert done.returncode == 0, done.stderr
    assert "3 recordings" in done.stdout
