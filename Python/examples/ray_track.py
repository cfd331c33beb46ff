"""Tracks all recordings below a folder with Ray.

    ray_track.py FOLDER OUTPUT [METHOD]

Each recording is a task. One that cannot be processed becomes a row with a message in `error`.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import ray


@ray.remote
def track(path: str, method: str) -> pa.Table:
    import fathom
    from fathom.spark import error_row, positions_table

    try:
        return positions_table(path, fathom.track(path, method=method))
    except Exception as error:
        return error_row(path, error)


def main(folder: str, output: str, method: str = "filter") -> None:
    ray.init()
    paths = sorted(str(file.parent) for file in Path(folder).rglob("ranges.csv*"))
    tables = ray.get([track.remote(path, method) for path in paths])
    pyarrow.parquet.write_table(pa.concat_tables(tables), output)
    print(f"{len(paths)} recordings, {sum(table.num_rows for table in tables)} rows")


if __name__ == "__main__":
    main(*sys.argv[1:])
