"""Command lines that turn a recording into its positions and distances.

Arguments: the folder of the workload, then METHOD=COMMAND..., with {recording} and {results} in the
command. The time is that of the process from its start to its end: processor time, or, of a
method that ends in "-wall", the time on the clock. Of a Python script it is what it prints itself.
"""

import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas

from worker import Workload, answer

sys.path.append(str(Path(__file__).resolve().parent.parent))
from workloads import tag_positions


def processor_seconds() -> float:
    """Of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def summary(results: Path) -> list[float]:
    """Rows of positions, rows of distances, RMS error of the positions after ten seconds, metres."""
    positions = pandas.read_csv(
        next(results.glob("*positions.csv")), usecols=range(5), names=["time", "tag", *"xyz"],
        header=0, dtype={"tag": "category"}).dropna()
    tags = positions.tag.cat.rename_categories(lambda name: int(name.removeprefix("tag")))
    times, places = positions.time.to_numpy(), positions[[*"xyz"]].to_numpy()
    with next(results.glob("*distances.csv")).open("rb") as text:
        distances = sum(block.count(b"\n") for block in iter(lambda: text.read(1 << 20), b"")) - 1
    errors = np.linalg.norm(places - tag_positions(times, tags.to_numpy(int)), axis=1)
    return [len(times), distances, np.sqrt(np.mean(errors[times > 10] ** 2))]


def command(method: str, words: str):
    def run(work: Workload, items: int):
        with tempfile.TemporaryDirectory(dir=work.folder) as results:
            started = [
                word.format(recording=work.recording(items), results=results)
                for word in shlex.split(words)]
            before, start = processor_seconds(), time.perf_counter()
            done = subprocess.run(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            seconds = time.perf_counter() - start
            if not method.endswith("-wall"):
                seconds = processor_seconds() - before
            if done.returncode != 0:
                raise RuntimeError(done.stderr.decode().strip()[-200:])
            if words.startswith(sys.executable):
                seconds = float(done.stdout)
            return seconds, summary(Path(results))
    return run


if __name__ == "__main__":
    pairs = [argument.split("=", 1) for argument in sys.argv[2:]]
    answer({method: command(method, words) for method, words in pairs})
