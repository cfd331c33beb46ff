"""Runs all implementations of all tasks in turns, checks their results and prints the ratios."""

import argparse
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import workloads
from conditions import conditions
from report import Outcome, as_json, report
from tasks import Task, tasks

HERE = Path(__file__).resolve().parent
LONGEST_ROUND = 120  # seconds for one implementation
# The largest RMS error of Fathom's results of the task "process", metres. The noise of the ranges is
# Gaussian, 0.10 m, and the reference has 0.081 m. False offsets of anchors of 0.1 m double the error.
LARGEST_ERROR = 0.090

ONE_THREAD = {
    name: "1" for name in [
        "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS",
        "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    ]
}


class Worker:
    """A process that holds one library and runs tasks on demand, on the cores given."""

    def __init__(self, command: list[str], cores: set[int]) -> None:
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={**os.environ, **ONE_THREAD}, preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def run(self, method: str, items: int, file: Path) -> float | str:
        """Seconds of processor time, or why there are none."""
        timer = threading.Timer(LONGEST_ROUND, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(f"{method} {items} {file}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            return self.last_words()
        answer = json.loads(line)
        return answer.get("seconds", answer.get("error"))

    def last_words(self) -> str:
        """Why the process ended."""
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        last = lines[-1] if lines else f"ended with status {self.process.returncode}"
        if self.process.returncode == -signal.SIGKILL:
            last = f"stopped after {LONGEST_ROUND} s"
        return "not installed" if last.startswith("ModuleNotFoundError") else last

    def stop(self) -> None:
        """Ends the process, if it has not ended by itself."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def commands(folder: Path, binaries: Path, fathom: Path, tool: Path) -> dict[str, list[str]]:
    """How to start each worker; those whose names end in "-wide" get two cores."""
    def python(script: str, *arguments: str) -> list[str]:
        return [sys.executable, str(HERE / "workers" / script), str(folder), *arguments]

    places = "{recording} {results}"
    process = f"{shlex.quote(str(tool))} process {{recording}} --method filter --output {{results}}"
    script = shlex.join([sys.executable, str(HERE / "workers" / "filterpy_process.py")])
    return {
        "fathom": [str(fathom), str(folder)],
        "fathom-wide": [str(fathom), str(folder)],
        "process": python(
            "process_worker.py", f"floor={shlex.quote(str(binaries / 'process'))} {places}",
            f"fathom={process} --jobs 1", f"filterpy={script} {places}"),
        "process-wide": python("process_worker.py", f"fathom-two-wall={process} --jobs 2"),
        **{name: [str(binaries / name), str(folder)]
           for name in ["floor", "vectors", "eigen", "robust", "lapack"]},
        **{name: python(f"{name}_worker.py") for name in [
            "numpy", "scipy", "gtsam", "filterpy", "simdkalman", "statsmodels", "stonesoup",
            "fastkalman", "kalmanpy", "kalbee"]},
        "pandas": python("tables_worker.py", "pandas-c", "pandas-pyarrow"),
        "polars": python("tables_worker.py", "polars"),
        "pyarrow": python("tables_worker.py", "pyarrow", "pyarrow-dictionary"),
        "duckdb": python("tables_worker.py", "duckdb"),
    }


def cost(positions: np.ndarray, ranges: np.ndarray, loss: str) -> np.ndarray:
    """What the range residuals of every epoch cost, in squared standard deviations."""
    distance = np.linalg.norm(positions[:, None, :] - workloads.ANCHORS[None], axis=2)
    squares = ((ranges - distance) / 0.10) ** 2
    if loss == "cauchy":
        squares = 2.385**2 * np.log1p(squares / 2.385**2)
    return np.sum(squares, axis=1)


def accuracy(outcome: Outcome, result: np.ndarray) -> str:
    """What a way to process a recording made of it."""
    rows = "all positions" if result[0] >= 0.999 * outcome.items else f"{result[0]:.0f} positions"
    return f"{rows}, RMS error {result[2]:.3f} m"


def compare(task: Task, outcome: Outcome, result: np.ndarray, floor: np.ndarray,
            folder: Path) -> None:
    """Compares the results with the reference's, over the items that both processed."""
    words = []
    if task.name == "process":
        outcome.agreement = accuracy(outcome, result[0])
        outcome.agrees = bool(
            np.all(np.abs(result[0, :2] - outcome.items) <= 0.001 * outcome.items)
            and result[0, 2] <= (LARGEST_ERROR if outcome.entry.method.startswith("fathom")
                                 else 1.5 * floor[0, 2]))
        if not outcome.agrees:
            outcome.agreement += "; DIFFERS"
        return
    count = min(len(result), len(floor))
    if not outcome.entry.is_same_estimator:
        words.append(outcome.entry.note)
    elif count == 0 or (task.name == "bank" and len(result) != len(floor)):
        words.append("NO RESULTS")
        outcome.agrees = False
    elif task.loss:
        # The likelihood has local maxima: a different position is right if it is the more likely.
        apart = np.linalg.norm(result[:count] - floor[:count], axis=1)
        name = "clean" if task.name.endswith("clean") else "ranges"
        ranges = np.fromfile(folder / f"{name}.f64").reshape(-1, 8)[:count]
        gain = cost(floor[:count], ranges, task.loss) - cost(result[:count], ranges, task.loss)
        is_same = apart <= task.tolerance
        shares = {"same": np.mean(is_same), "more likely": np.mean(~is_same & (gain > 0)),
                  "less likely": np.mean(~is_same & ~(gain > 0))}
        words += [f"{name} {100 * share:.2f} %" for name, share in shares.items() if share > 0]
        outcome.agrees = bool(shares["less likely"] <= outcome.entry.less_likely)
    else:
        scale = np.maximum(1, np.abs(floor[:count])) if task.name == "csv" else 1
        difference = np.max(np.abs(result[:count] - floor[:count]) / scale)
        words.append(f"to {difference:.0e}" if difference else "identical")
        outcome.agrees = bool(difference <= task.tolerance)
    if not outcome.entry.is_same_estimator and task.truth:
        truth = np.fromfile(folder / f"{task.truth}.f64").reshape(-1, 3)[:count]
        ours, theirs = (np.sqrt(np.nanmean(np.sum((positions[:count, :3] - truth) ** 2, axis=1)))
                        for positions in [result, floor])
        words.append(f"RMS error {ours:.3f} m, reference {theirs:.3f} m")
    if not outcome.agrees:
        words.append("DIFFERS")
    outcome.agreement = "; ".join(words)


def measure(chosen: list[Task], rounds: int, share: float, folder: Path, cores: list[int],
            starts: dict[str, list[str]]) -> list[tuple[Task, list[Outcome]]]:
    """All rounds of all tasks: the implementations of a task take turns."""
    wide, one = set(cores[-2:]), {cores[-1]}
    workers = {name: Worker(starts[name], wide if name.endswith("-wide") else one) for name in
               dict.fromkeys(entry.worker for task in chosen for entry in task.entries)}
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for task in chosen:
            # Whole epochs of eight ranges and whole steps of the bank.
            unit = {"ekf6": 8, "smoother": 8, "bank": 1024}.get(task.name, 1)
            outcomes = [
                Outcome(entry, entry.items if task.name in ["csv", "process"]
                        else max(unit, int(entry.items * share) // unit * unit))
                for entry in task.entries
            ]
            for number in range(rounds):
                show(f"{task.name}: round {number + 1} of {rounds}")
                for index, outcome in enumerate(outcomes):
                    if outcome.failure:
                        continue
                    entry = outcome.entry
                    file = Path(scratch) / f"{task.name}-{index}.f64"
                    seconds = workers[entry.worker].run(entry.method, outcome.items, file)
                    if isinstance(seconds, str):
                        outcome.failure = seconds
                    else:
                        outcome.seconds.append(seconds)
            floor = None
            for index, outcome in enumerate(outcomes):
                if outcome.failure:
                    continue
                result = np.fromfile(Path(scratch) / f"{task.name}-{index}.f64")
                result = result.reshape(-1, task.columns)
                floor = result if index == 0 else floor
                if index == 0:
                    outcome.agreement = "reference"
                    if task.name == "process":
                        outcome.agreement += ": " + accuracy(outcome, result[0])
                elif floor is not None:
                    compare(task, outcome, result, floor, folder)
            results.append((task, outcomes))
    show("")
    for worker in workers.values():
        worker.stop()
    return results


def show(text: str) -> None:
    """Progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument("--quick", action="store_true",
                        help="small inputs and two rounds: whether everything works")
    parser.add_argument("--answers", action="store_true",
                        help="small inputs and one round: whether the results agree; no times. "
                        "Peers that are not installed are listed and do not fail the check")
    parser.add_argument("--rounds", type=int, metavar="N", help="default 5")
    parser.add_argument("--rows", type=int, metavar="N",
                        help="rows of the CSV file, default 2000000")
    parser.add_argument("--ranges", type=int, metavar="N",
                        help="ranges of the recording that is processed, default 1000000")
    parser.add_argument("--only", "--task", action="append", metavar="NAME",
                        help="only this task; may be given several times")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the tables there too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--binaries", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--fathom", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tool", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--cxx-flags", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    rounds, rows = arguments.rounds, arguments.rows
    is_small = arguments.quick or arguments.answers
    if rounds is None:
        rounds = 1 if arguments.answers else 2 if arguments.quick else 5
    if rows is None:
        rows = 50_000 if is_small else 2_000_000
    ranges = arguments.ranges
    if ranges is None:
        # False offsets of anchors are found in recordings of 200 000 ranges, not in those of 20 000.
        ranges = 200_000 if arguments.answers else 20_000 if arguments.quick else 1_000_000
    if rounds < 1 or rows < 1 or ranges < 20_000:
        parser.error("rounds and rows are at least 1, ranges 20000")
    chosen = tasks(rows, ranges)
    if arguments.only:
        names = [task.name for task in chosen]
        if unknown := set(arguments.only) - set(names):
            parser.error(f"no task {', '.join(sorted(unknown))}: there are {', '.join(names)}")
        chosen = [task for task in chosen if task.name in arguments.only]

    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})
    # Other numbers after a change of what makes them.
    version = hashlib.sha256((HERE / "workloads.py").read_bytes()).hexdigest()[:8]
    folder = HERE / ".work" / f"data-{version}"
    recordings = sorted({entry.items for task in chosen if task.name == "process"
                         for entry in task.entries})
    workloads.make(folder, rows, recordings)
    found = {"date": time.strftime("%Y-%m-%d"),
             "load before": " ".join(f"{load:.2f}" for load in os.getloadavg()),
             **conditions(HERE / "requirements.txt", arguments.cxx_flags)}
    results = measure(chosen, rounds, 0.05 if is_small else 1, folder, cores,
                      commands(folder, arguments.binaries, arguments.fathom, arguments.tool))
    if arguments.answers:
        return check(results)
    page = report(results, found, rounds)
    print(page)
    if arguments.output:
        arguments.output.write_text(page)
    if arguments.json:
        arguments.json.write_text(as_json(results, found))
    differing = [f"{task.name}: {outcome.entry.label}" for task, outcomes in results
                 for outcome in outcomes if not outcome.agrees]
    for text in differing:
        print(f"results differ: {text}", file=sys.stderr)
    return 1 if differing else 0


# Programs of this repository, which every check can build; the others are Python libraries.
OWN_WORKERS = {"fathom", "fathom-wide", "process", "process-wide", "floor", "vectors", "eigen",
               "robust", "lapack"}


def check(results: list[tuple[Task, list[Outcome]]]) -> int:
    """Prints how the results agree, without times. Returns 1 if some differ or a program of this
    repository failed. A library that could not be installed is listed only."""
    passed = failed = skipped = 0
    for task, outcomes in results:
        print(task.name)
        for outcome in outcomes:
            is_library = outcome.entry.worker not in OWN_WORKERS or (
                outcome.entry.method == "filterpy")
            if outcome.failure and is_library and (
                    outcome.failure == "not installed" or "ModuleNotFoundError" in outcome.failure):
                skipped, word = skipped + 1, "SKIPPED"
            elif outcome.failure or not outcome.agrees:
                failed, word = failed + 1, "FAILED"
            else:
                passed, word = passed + 1, "ok"
            print(f"  {word:8}{outcome.entry.label}: {outcome.failure or outcome.agreement}")
    print(f"answers: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
