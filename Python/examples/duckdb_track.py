"""Tracks recordings in a table of DuckDB, and reads many result files with it.

    duckdb_track.py FOLDER

Every recording below the folder is read into one table; each is tracked through Arrow, and the positions
are a table again.
"""

import sys
from pathlib import Path

import duckdb
import fathom
import pyarrow as pa


def main(folder: str) -> None:
    database = duckdb.connect()
    paths = sorted(file.parent for file in Path(folder).rglob("ranges.csv"))
    parts = []
    for path in paths:
        batch = fathom.read(path).ranges.to_arrow()
        table = pa.Table.from_batches([batch]).select(["time_ns", "tag", "anchor", "distance_m"])
        for name in ("tag", "anchor"):
            column = table.column(name).combine_chunks().dictionary_decode()
            table = table.set_column(table.column_names.index(name), name, column)
        parts.append(table.append_column("recording", pa.repeat(path.name, table.num_rows)))
    ranges = pa.concat_tables(parts)
    database.register("ranges", ranges)

    positions = []
    for (name,) in database.sql("SELECT DISTINCT recording FROM ranges ORDER BY recording").fetchall():
        rows = database.execute("SELECT * FROM ranges WHERE recording = ?", [name]).to_arrow_table()
        folder_of = next(path for path in paths if path.name == name)
        anchors = folder_of / "anchors.csv"
        info = fathom.read(folder_of).info
        result = fathom.track(
            rows, anchors if anchors.exists() else None, name=name, height=info.get("height_m"),
            height_sigma=info.get("height_sigma_m"),
        )  # fmt: skip
        table = pa.Table.from_batches([result.positions.to_arrow()])
        positions.append(table.append_column("recording", pa.repeat(name, table.num_rows)))
    database.register("positions", pa.concat_tables(positions, promote_options="permissive"))
    print(
        database.sql(
            "SELECT recording, count(*) AS positions, round(avg(sqrt(sxx + syy)), 3) AS sigma_m"
            " FROM positions WHERE x_m = x_m GROUP BY recording ORDER BY recording"
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
