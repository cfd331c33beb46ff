"""Tracks recordings in a table of DuckDB.

    duckdb_track.py FOLDER

Every recording below the folder is read into one table; each is tracked through Arrow, and the positions are a table
again. A recording that cannot be read or tracked has the reason in `error`.
"""

import sys
from pathlib import Path

import duckdb
import fathom
import pyarrow as pa
from fathom.spark import error_row, positions_table, summary_table

ROWS = pa.schema([
    ("recording", pa.string()), ("time_ns", pa.int64()), ("tag", pa.string()), ("anchor", pa.string()),
    ("distance_m", pa.float64()),
])  # fmt: skip


def rows_of(name: str, recording: fathom.Recording) -> pa.Table:
    ranges = recording.ranges
    columns = [pa.repeat(name, ranges.rows), *(pa.array(ranges[field]) for field in ROWS.names[1:])]
    return pa.Table.from_arrays(columns, schema=ROWS)


def main(folder: str) -> int:
    root = Path(folder)
    recordings, tables, positions = {}, [ROWS.empty_table()], []
    for file in sorted(root.rglob("ranges.csv*")):
        name = str(file.parent.relative_to(root))
        try:
            recordings[name] = fathom.read(file.parent)
            tables.append(rows_of(name, recordings[name]))
        except fathom.FathomError as error:
            positions.append(error_row(name, error))
    database = duckdb.connect()
    database.register("ranges", pa.concat_tables(tables))

    for name, recording in recordings.items():
        rows = database.execute("SELECT * EXCLUDE recording FROM ranges WHERE recording = ?", [name]).to_arrow_table()
        info = recording.info
        facts = {"height": info.get("height_m"), "height_sigma": info.get("height_sigma_m")}
        try:
            positions.append(positions_table(name, fathom.track(rows, recording.anchors or None, name=name, **facts)))
        except fathom.FathomError as error:
            positions.append(error_row(name, error))
    if not positions:
        print(f"{folder}: there is no recording", file=sys.stderr)
        return 66
    database.register("positions", pa.concat_tables(positions))
    database.register("summary", summary_table(pa.concat_tables(positions)))
    print(database.sql("SELECT recording, determined, round(sigma_m, 3) AS sigma_m, error FROM summary ORDER BY recording"))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
