"""Readers of CSV into columns: pandas, polars, pyarrow or DuckDB, each in a process of its own."""

import sys

import numpy as np

from worker import Workload, serve


def summary(times, distances, tags: int, anchors: int):
    return [len(times), float(np.sum(times)), float(np.sum(distances)), tags, anchors]


def pandas_reader(engine: str):
    import pandas

    def prepare(work: Workload, items: int):
        def run():
            return pandas.read_csv(work.rows(items), engine=engine)
        return run, lambda f: summary(f.time_s, f.distance_m, f.tag.nunique(), f.anchor.nunique())
    return prepare


def polars_reader():
    import polars

    def prepare(work: Workload, items: int):
        def run():
            return polars.read_csv(work.rows(items))
        return run, lambda f: summary(
            f["time_s"].to_numpy(), f["distance_m"].to_numpy(), f["tag"].n_unique(),
            f["anchor"].n_unique())
    return prepare


def pyarrow_reader(dictionaries: bool):
    import pyarrow
    from pyarrow import csv
    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    options = csv.ConvertOptions(
        column_types={"tag": names, "anchor": names} if dictionaries else None)

    def prepare(work: Workload, items: int):
        def run():
            return csv.read_csv(work.rows(items), convert_options=options,
                                read_options=csv.ReadOptions(use_threads=False))
        return run, lambda t: summary(
            t["time_s"], t["distance_m"], len(t["tag"].unique()), len(t["anchor"].unique()))
    return prepare


def duckdb_reader():
    import duckdb
    connection = duckdb.connect(config={"threads": 1})

    def prepare(work: Workload, items: int):
        def run():
            return connection.execute(f"FROM read_csv('{work.rows(items)}')").fetchnumpy()
        return run, lambda c: summary(
            c["time_s"], c["distance_m"], len(np.unique(c["tag"].astype(str))),
            len(np.unique(c["anchor"].astype(str))))
    return prepare


READERS = {
    "pandas-c": lambda: pandas_reader("c"),
    "pandas-pyarrow": lambda: pandas_reader("pyarrow"),
    "polars": polars_reader,
    "pyarrow": lambda: pyarrow_reader(False),
    "pyarrow-dictionary": lambda: pyarrow_reader(True),
    "duckdb": duckdb_reader,
}

serve({name: READERS[name]() for name in sys.argv[2:]})
