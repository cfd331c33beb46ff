"""pandas and FilterPy: a recording from its text to both result files.

An extended Kalman filter of position and velocity per tag, one update per range. No modes of
motion, no weights for outliers: about the script that people write. Prints its processor time
without that of starting and importing.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas

import filterpy_ranges
from worker import POWER


def main(folder: Path, results: Path) -> None:
    table = pandas.read_csv(folder / "anchors.csv", index_col="id")
    anchors = {name: row.to_numpy() for name, row in table.iterrows()}
    ranges = pandas.read_csv(folder / "ranges.csv")
    start = np.concatenate([np.mean(table.to_numpy(), axis=0), np.zeros(3)])
    filters = {}
    rows = np.empty((len(ranges), 9))
    links: dict[tuple[str, str], float] = {}
    smoothed = np.empty(len(ranges))
    identity = np.eye(3)
    upper = np.triu_indices(3)
    columns = [ranges[name].tolist() for name in ["time_s", "tag", "anchor", "distance_m"]]
    for index, (now, tag, anchor, distance) in enumerate(zip(*columns)):
        filter, last = filters.get(tag) or (
            filterpy_ranges.started(start, np.diag([100.0, 100, 4, 4, 4, 4])), now)
        step = now - last
        filter.F = np.kron([[1, step], [0, 1]], identity)
        filter.Q = POWER * np.kron([[step**3 / 3, step**2 / 2], [step**2 / 2, step]], identity)
        filter.predict()
        filterpy_ranges.update(filter, distance, anchors[anchor])
        filters[tag] = (filter, now)
        rows[index, :3] = filter.x[:3]
        rows[index, 3:] = filter.P[:3, :3][upper]
        before = links.get((tag, anchor), distance)
        smoothed[index] = links[tag, anchor] = before + 0.3 * (distance - before)
    positions = pandas.DataFrame(
        rows, columns=["x_m", "y_m", "z_m", "sxx", "sxy", "sxz", "syy", "syz", "szz"])
    positions.insert(0, "tag", ranges["tag"])
    positions.insert(0, "time_s", ranges["time_s"])
    positions.to_csv(results / "positions.csv", index=False, float_format="%.6f")
    ranges["smoothed_m"] = smoothed
    ranges.to_csv(results / "distances.csv", index=False, float_format="%.4f")


before = time.process_time()
main(Path(sys.argv[1]), Path(sys.argv[2]))
print(time.process_time() - before)
