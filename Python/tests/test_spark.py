"""Spark with a master and two workers as processes of their own on loopback."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import fathom
import numpy as np
import pytest

pyspark = pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

HOME = Path(pyspark.__file__).parent
RECORDINGS = 12


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen, log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError(f"Spark does not start: {log.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a standalone master with two workers of one core each."""
    folder = tmp_path_factory.mktemp("spark")
    environment = {
        **os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_WORKER_DIR": str(folder), "SPARK_LOG_DIR": str(folder),
    }  # fmt: skip
    os.environ.update(environment)
    processes = []

    def start(name: str, *arguments: str) -> tuple[subprocess.Popen, Path]:
        log = folder / f"{len(processes)}.log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [str(HOME / "bin/spark-class"), f"org.apache.spark.deploy.{name}", *arguments],
                env=environment, stdout=file, stderr=file,
            )  # fmt: skip
        processes.append(process)
        return process, log

    try:
        port = free_port()
        master, log = start("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port()))
        wait_for(port, master, log)
        for _ in range(2):
            own = free_port()
            worker, log = start(
                "worker.Worker", "--host", "127.0.0.1", "--port", str(own), "--webui-port", str(free_port()),
                "--cores", "1", "--memory", "1g", f"spark://127.0.0.1:{port}",
            )  # fmt: skip
            wait_for(own, worker, log)
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="module")
def session(cluster):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(cluster)
        .appName("fathom tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.executor.memory", "600m")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, pytestconfig):
    """Recordings of one scenario with different seeds, one that cannot be read, and one without anchors."""
    from conftest import ROOT

    folder = tmp_path_factory.mktemp("fleet")
    for number in range(RECORDINGS):
        recording, _ = fathom.simulate(ROOT / "Datasets/robot-2d/scenario.yaml", seed=number)
        place = folder / f"run-{number:02}"
        place.mkdir()
        ranges = recording.ranges
        rows = zip(ranges["time_ns"].tolist(), ranges["tag"], ranges["anchor"], ranges["distance_m"].tolist())
        lines = [f"{ns // 10**9}.{ns % 10**9:09},{tag},{anchor},{distance!r}" for ns, tag, anchor, distance in rows]
        (place / "ranges.csv").write_text("time_s,tag,anchor,distance_m\n" + "\n".join(lines[:600]) + "\n")
        anchors = [f"{name},{x!r},{y!r},{z!r}" for name, (x, y, z) in recording.anchors.items()]
        (place / "anchors.csv").write_text("id,x,y,z\n" + "\n".join(anchors) + "\n")
        (place / "recording.json").write_text('{"height_m": 0.3}\n')
    (folder / "broken").mkdir()
    (folder / "broken/ranges.csv").write_text("this is no recording\n")
    (folder / "bare").mkdir()
    shutil.copy(folder / "run-00/ranges.csv", folder / "bare")
    return folder


def columns(rows):
    return np.array([[row[name] for name in ("time_ns", "x_m", "y_m", "sxx", "syy")] for row in rows], float)


def expected(result):
    found = result.positions
    return np.column_stack([found[name] for name in ("time_ns", "x_m", "y_m", "sxx", "syy")])


def test_files_give_the_positions_of_the_tool(session, folder):
    import fathom.spark

    paths = sorted(str(path) for path in folder.iterdir()) + [str(folder / "missing")]
    table = session.createDataFrame([(path,) for path in paths], "path string").repartition(4)
    rows = fathom.spark.track_files(table, method="smooth").collect()
    by_path = {}
    for row in rows:
        by_path.setdefault(row.recording, []).append(row)
    assert set(by_path) == set(paths)
    for path in paths:
        if path.endswith(("broken", "missing")):
            (row,) = by_path[path]
            with pytest.raises(fathom.FathomError) as refused:
                fathom.track(path)
            assert row.error == str(refused.value) and row.x_m is None
        elif path.endswith("bare"):
            (row,) = by_path[path]
            assert "because there are no anchors" in row.error and row.time_ns is None
        else:
            found = sorted(by_path[path], key=lambda row: row.time_ns)
            np.testing.assert_array_equal(columns(found), expected(fathom.track(path, method="smooth")))


def test_summaries_have_every_recording(session, folder):
    import fathom.spark
    import pyarrow as pa

    paths = sorted(str(path) for path in folder.iterdir())
    table = session.createDataFrame([(path,) for path in paths], "path string")
    positions = fathom.spark.track_files(table)
    rows = {row.recording: row.asDict() for row in fathom.spark.summary(positions).collect()}
    assert sorted(rows) == paths
    counts = [(row["determined"] > 0, row["error"] is None) for row in rows.values()]
    assert counts.count((True, True)) == RECORDINGS and counts.count((False, False)) == 2
    local = fathom.spark.summary_table(pa.Table.from_batches(positions.toArrow().to_batches())).to_pylist()
    for row in local:
        sigma, other = row.pop("sigma_m"), rows[row["recording"]].pop("sigma_m")
        assert row == rows[row["recording"]] and (sigma is None) == (other is None)
        assert sigma is None or abs(sigma - other) < 1e-9


def test_a_table_gives_the_positions_of_the_files(session, folder):
    import fathom.spark
    import pandas as pd

    parts = []
    for path in sorted(folder.glob("run-*")):
        frame = pd.read_csv(path / "ranges.csv")
        frame["recording"] = path.name
        parts.append(frame)
    bad = pd.DataFrame({"time_s": [0.0], "tag": ["x"], "anchor": ["A"], "distance_m": [-1.0], "recording": ["bad"]})
    ranges = session.createDataFrame(pd.concat([*parts, bad]))
    anchors = pd.read_csv(folder / "run-00/anchors.csv")
    rows = fathom.spark.track(ranges, anchors, height_m=0.3).collect()
    by_name = {}
    for row in rows:
        by_name.setdefault(row.recording, []).append(row)
    assert len(by_name) == RECORDINGS + 1
    assert "no row can be used" in by_name.pop("bad")[0].error
    for name, found in by_name.items():
        found.sort(key=lambda row: row.time_ns)
        np.testing.assert_array_equal(columns(found), expected(fathom.track(folder / name)))
        assert found[-1].tag == "robot" and found[-1].status == "tracking"


def test_anchors_can_be_a_table(session, folder):
    import fathom.spark
    import pandas as pd

    frame = pd.read_csv(folder / "run-00/ranges.csv")
    frame["recording"] = "run-00"
    places = pd.read_csv(folder / "run-00/anchors.csv")
    places["recording"] = "run-00"
    rows = fathom.spark.track(
        session.createDataFrame(frame), session.createDataFrame(places), by=["recording", "tag"], height=0.3
    ).collect()
    rows.sort(key=lambda row: row.time_ns)
    np.testing.assert_array_equal(columns(rows), expected(fathom.track(folder / "run-00")))


def test_epochs_are_located_in_batches(session):
    import fathom.spark
    import pandas as pd

    places = {"A": (0, 0, 3), "B": (8, 0, 2), "C": (8, 6, 3), "D": (0, 6, 2), "E": (4, 3, 0)}
    generator = np.random.default_rng(1)
    true = generator.uniform([1, 1, 0.5], [7, 5, 1.5], (500, 3))
    ranges = np.linalg.norm(true[:, None] - np.array(list(places.values()))[None], axis=2)
    frame = pd.DataFrame(ranges, columns=list(places))
    frame["id"] = np.arange(500)
    rows = fathom.spark.locate(session.createDataFrame(frame).repartition(3), places).collect()
    rows.sort(key=lambda row: row.id)
    found = fathom.locate(ranges, places)
    np.testing.assert_array_equal([row.x_m for row in rows], found["x_m"])
    assert rows[0].verdict == "unique" and rows[0].A == ranges[0, 0]


def test_the_script_runs_under_spark_submit(cluster, session, folder, tmp_path):
    from conftest import ROOT

    # Its cores are needed.
    session.stop()
    (tmp_path / "fleet").symlink_to(folder)
    run = subprocess.run(
        [
            str(HOME / "bin/spark-submit"), "--master", cluster, "--conf", "spark.ui.enabled=false", "--conf",
            "spark.executor.memory=600m", "--conf", "spark.driver.host=127.0.0.1",
            str(ROOT / "Python/examples/spark_track.py"), "fleet", "positions",
        ],
        capture_output=True, text=True, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 65, run.stderr[-3000:]
    assert f"{RECORDINGS} of {RECORDINGS + 2} recordings" in run.stdout
    # spark-submit joins the streams of the script.
    output = f"\n{run.stdout}\n{run.stderr}"
    assert "\nbroken: " in output and "\nbare: " in output
    import pyarrow.parquet as parquet

    table = parquet.read_table(tmp_path / "positions")
    assert table.num_rows > 1000
    assert parquet.read_table(tmp_path / "positions.summary").num_rows == RECORDINGS + 2
