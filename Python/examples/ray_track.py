"""Tracks all recordings below a folder with Ray.

    ray_track.py FOLDER OUTPUT [METHOD]

Each recording is a task. Writes positions as Parquet to OUTPUT, and prints a row per recording; one without positions
has the reason in `error`.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import ray
from fathom.spark import summary_table


@ray.remote
def track(path: str, name: str, method: str) -> pa.Table:
    import fathom
    from fathom.spark import error_row, positions_table

    try:
        return positions_table(name, fathom.track(path, method=method))
    except Exception as error:
        return error_row(name, error)


def main(folder: str, output: str, method: str = "filter") -> int:
    # Workers have working directories of their own.
    root = Path(folder).resolve()
    paths = sorted(file.parent for file in root.rglob("ranges.csv*"))
    if not paths:
        print(f"{folder}: there is no recording", file=sys.stderr)
        return 66
    ray.init()
    tasks = [track.remote(str(path), str(path.relative_to(root)), method) for path in paths]
    positions = pa.concat_tables(ray.get(tasks))
    pyarrow.parquet.write_table(positions, output)
    summary = summary_table(positions).to_pylist()
    for row in summary:
        sigma = "" if row["sigma_m"] is None else f", sigma {row['sigma_m']:.3f} m"
        print(f"{row['recording']}: {row['error'] or str(row['determined']) + ' positions' + sigma}")
    failed = sum(row["error"] is not None for row in summary)
    print(f"{len(summary) - failed} of {len(summary)} recordings")
    return 65 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
