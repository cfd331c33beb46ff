"""What the Python workers share: the workload's files, the clock and the protocol."""

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

STEP = 0.1
POWER = 0.25
VARIANCE = 0.01


class Workload:
    """The numbers that every implementation gets, as workloads.py wrote them."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.anchors = np.fromfile(self.folder / "anchors.f64").reshape(8, 3)
        self.ranges = np.fromfile(self.folder / "ranges.f64").reshape(-1, 8)
        self.series = np.fromfile(self.folder / "series.f64")
        self.bank = np.fromfile(self.folder / "bank.f64").reshape(-1, 1024)

    def rows(self, count: int) -> str:
        """The path of the ranges file of so many rows."""
        return str(self.folder / f"rows-{count}.csv")

    def recording(self, count: int) -> str:
        """The folder of the recording of so many ranges."""
        return str(self.folder / f"process-{count}")

    def differences(self) -> tuple[np.ndarray, np.ndarray]:
        """2 (a_i - a_0) per row, and |a_i|^2 - |a_0|^2."""
        squares = np.sum(self.anchors**2, axis=1)
        return 2 * (self.anchors[1:] - self.anchors[0]), squares[1:] - squares[0]


def acceleration_noise() -> np.ndarray:
    """The process noise of position and velocity over a step."""
    return POWER * np.array([[STEP**3 / 3, STEP**2 / 2], [STEP**2 / 2, STEP]])


def before_prediction(mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state of position and velocity a step before this one, for filters that predict first."""
    back = np.array([[1, -STEP], [0, 1]])
    return back @ mean, back @ (covariance - acceleration_noise()) @ back.T


def space_model() -> tuple[np.ndarray, np.ndarray]:
    """Transition and process noise of position and velocity in space over a step."""
    transition = np.kron([[1, STEP], [0, 1]], np.eye(3))
    return transition, np.kron(acceleration_noise(), np.eye(3))


SPACE_MEAN = np.array([10, 7.5, 1.2, 0, 0, 0])
SPACE_COVARIANCE = np.diag([25.0, 25, 25, 4, 4, 4])

# Prepares a task over so many items; what it returns is timed and returns the results. A second
# function, where there is one, turns them into numbers afterwards.
Run = Callable[[], object]
Task = Callable[[Workload, int], Run | tuple[Run, Callable[[object], object]]]


def serve(tasks: dict[str, Task]) -> None:
    """Answers "TASK ITEMS FILE" lines on standard input until it ends."""
    def timed(task: Task):
        def run(work: Workload, items: int) -> tuple[float, object]:
            prepared = task(work, items)
            run, numbers = prepared if isinstance(prepared, tuple) else (prepared, None)
            gc.collect()
            start = time.process_time()
            result = run()
            seconds = time.process_time() - start
            return seconds, numbers(result) if numbers else result
        return run

    answer({name: timed(task) for name, task in tasks.items()})


def answer(tasks: dict[str, Callable[[Workload, int], tuple[float, object]]]) -> None:
    """The same for tasks that take their own time: seconds, and results."""
    workload = Workload(sys.argv[1])
    for line in sys.stdin:
        name, items, file = line.split()
        try:
            seconds, result = tasks[name](workload, int(items))
            np.asarray(result, dtype=np.float64).ravel().tofile(file)
            found = {"seconds": seconds}
        except Exception as error:  # the table says what failed, the others go on
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)
