"""The time of a Spark job over simulated recordings with one worker and with two, beside the tool.

    spark_scaling.py SCENARIO TOOL [RECORDINGS]

Starts a standalone master with one worker and then with two on loopback. A worker and its interpreters have
one core: without that, the garbage collector and Python of one worker use half of the other core. The tool runs
as `xargs -P1` and `xargs -P2`, one process per recording. Prints wall time; the processor time of both
halves is equal, so on a machine that others use the ratio says little.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fathom
import fathom.spark
import pyspark
from pyspark.sql import SparkSession

HOME = Path(pyspark.__file__).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def start(name: str, port: int, *arguments: str, core: int | None = None) -> subprocess.Popen:
    """Starts a part of the cluster, with all that it starts, on one core or on all."""
    pinned = [] if core is None else ["taskset", "--cpu-list", str(core)]
    process = subprocess.Popen(
        [*pinned, str(HOME / "bin/spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1",
         "--port", str(port), "--webui-port", str(free_port()), *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for _ in range(600):
        if listening(port):
            return process
        time.sleep(0.1)
    raise RuntimeError(f"{name} does not start")


def made(scenario: str, tool: str, count: int, folder: Path) -> list[str]:
    """Makes recordings with the seeds 1, 2, ..."""
    subprocess.run([tool, "simulate", scenario, "-o", str(folder), "--runs", str(count)], check=True)
    return sorted(str(path.parent) for path in folder.rglob("ranges.csv"))


def spark_time(paths: list[str], workers: int) -> tuple[float, int]:
    port = free_port()
    processes = [start("master.Master", port)]
    try:
        for worker in range(workers):
            processes.append(
                start(
                    "worker.Worker", free_port(), "--cores", "1", "--memory", "1g", f"spark://127.0.0.1:{port}",
                    core=worker % (os.cpu_count() or 1),
                )  # fmt: skip
            )
        session = (
            SparkSession.builder.master(f"spark://127.0.0.1:{port}")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executor.memory", "600m")
            .getOrCreate()
        )
        table = session.createDataFrame([(path,) for path in paths], "path string").repartition(3 * workers)
        # The first job starts the interpreters of the workers.
        fathom.spark.track_files(table.limit(2 * workers)).count()
        begin = time.perf_counter()
        rows = fathom.spark.track_files(table).count()
        seconds = time.perf_counter() - begin
        session.stop()
        return seconds, rows
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def tool_time(paths: list[str], tool: str, jobs: int, folder: Path) -> float:
    shutil.rmtree(folder, ignore_errors=True)
    begin = time.perf_counter()
    subprocess.run(
        ["xargs", f"-P{jobs}", "-I{}", "sh", "-c", f'{tool} process "$1" -o {folder}/$(basename "$1") --jobs 1', "_", "{}"],
        input="\n".join(paths), text=True, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - begin


def main(scenario: str, tool: str, count: str = "2000") -> None:
    os.environ.update(
        SPARK_HOME=str(HOME), SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable,
        OPENBLAS_NUM_THREADS="1",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        os.environ["SPARK_WORKER_DIR"] = f"{place}/spark"
        paths = made(scenario, tool, int(count), Path(place) / "fleet")
        times = {}
        for workers in (1, 2):
            times[workers], rows = spark_time(paths, workers)
            print(f"Spark, {workers} workers: {times[workers]:.1f} s, {rows} rows", flush=True)
        print(f"ratio {times[1] / times[2]:.2f}")
        for jobs in (1, 2):
            print(f"xargs -P{jobs}: {tool_time(paths, tool, jobs, Path(place) / 'out'):.1f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
