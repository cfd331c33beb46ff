"""Fathom on Spark: many recordings as one table or as files that all workers see.

The unit of work is one recording, or one tag of it. A recording that cannot be processed, or has no positions, becomes
a row with the reason in ``error`` instead of a failed job. Positions are those of ``fathom process``.

Needs Spark 4 with ``pyarrow``, and this package on the workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import fathom
from fathom import _core, _input
from fathom._types import Method

#: The columns of positions: those of ``positions.csv``, and an error for a recording without positions.
POSITIONS = (
    "recording string, time_ns bigint, tag string, x_m double, y_m double, z_m double, sxx double, sxy double,"
    " sxz double, syy double, syz double, szz double, ranges_used int, ranges_rejected int, status string,"
    " error string"
)

#: The columns of summaries: one row per recording.
SUMMARIES = (
    "recording string, positions bigint, determined bigint, begin_ns bigint, end_ns bigint, sigma_m double, error string"
)

#: The columns that ``locate`` adds to those of its table.
FIXES = (
    "x_m double, y_m double, z_m double, sxx double, sxy double, sxz double, syy double, syz double,"
    " szz double, misfit_m double, verdict string"
)


def _schema(columns: str = POSITIONS) -> Any:
    import pyarrow as pa

    kinds = {"string": pa.string(), "bigint": pa.int64(), "double": pa.float64(), "int": pa.int32()}
    fields = [field.split() for field in columns.split(", ")]
    return pa.schema([pa.field(name, kinds[kind]) for name, kind in fields])


def positions_table(name: str, result: Any) -> Any:
    """Returns the positions of a result as an Arrow table with the columns ``POSITIONS``.

    Coordinates that are not determined are null. A result without positions is one row with the reason in ``error``.

    :param name: the name of the recording.
    :param result: a ``Result``.
    """
    import pyarrow as pa

    positions = result.positions
    if positions.rows == 0:
        return error_row(name, fathom.DataError(" ".join(result.warnings) or "there are no positions"))
    batch = positions.to_arrow()
    arrays = []
    for field in _schema():
        if field.name == "recording":
            arrays.append(pa.repeat(pa.scalar(name, pa.string()), batch.num_rows))
        elif field.name == "error":
            arrays.append(pa.nulls(batch.num_rows, pa.string()))
        elif pa.types.is_floating(field.type):
            # Databases distinguish NaN from a missing value, and an average with NaN is NaN.
            arrays.append(pa.array(positions[field.name], field.type, from_pandas=True))
        else:
            column = batch.column(field.name)
            if pa.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            arrays.append(column.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=_schema())


def error_row(name: str, error: BaseException) -> Any:
    """Returns the row of a recording that could not be processed.

    :param name: the name of the recording.
    :param error: the reason.
    """
    import pyarrow as pa

    row = {field.name: None for field in _schema()}
    message = str(error) if isinstance(error, fathom.FathomError) else f"{type(error).__name__}: {error}"
    return pa.Table.from_pylist([{**row, "recording": name, "error": message}], schema=_schema())


def summary_table(positions: Any) -> Any:
    """Returns one row per recording as an Arrow table with the columns ``SUMMARIES``, for Ray and DuckDB.

    :param positions: an Arrow table with the columns ``POSITIONS``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    sigma = pc.sqrt(pc.add(positions["sxx"], positions["syy"]))
    counted = positions.append_column("sigma_m", sigma).group_by("recording", use_threads=False)
    found = counted.aggregate([
        ("time_ns", "count"), ("x_m", "count"), ("time_ns", "min"), ("time_ns", "max"), ("sigma_m", "mean"),
        ("error", "max"),
    ])  # fmt: skip
    names = ["recording", "time_ns_count", "x_m_count", "time_ns_min", "time_ns_max", "sigma_m_mean", "error_max"]
    schema = _schema(SUMMARIES)
    return pa.Table.from_arrays([found[name].cast(field.type) for name, field in zip(names, schema)], schema=schema)


def summary(positions: Any) -> Any:
    """Returns one row per recording: the numbers of positions and of determined ones, times, the mean sigma, the error.

    :param positions: a Spark DataFrame with the columns ``POSITIONS``.
    :returns: a DataFrame with the columns ``SUMMARIES``.
    """
    return positions.groupBy("recording").agg(*(_expression(text) for text in (
        "count(time_ns) AS positions", "count(x_m) AS determined", "min(time_ns) AS begin_ns", "max(time_ns) AS end_ns",
        "avg(sqrt(sxx + syy)) AS sigma_m", "max(error) AS error",
    )))  # fmt: skip


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(text)


def track(
    ranges: Any,
    anchors: Any,
    *,
    by: Sequence[str] = ("recording",),
    method: Method = "filter",
    columns: Mapping[str, str] | None = None,
    **settings: Any,
) -> Any:
    """Computes the positions of all recordings in a table.

    :param ranges: a Spark DataFrame with the columns of ``ranges.csv`` and those of ``by``.
    :param anchors: anchors of all recordings, as for ``fathom.track``; or a Spark DataFrame with the columns
        ``id``, ``x``, ``y``, ``z`` and the first column of ``by``, for anchors of each recording.
    :param by: the columns that tell recordings apart. Add ``tag`` to process tags as recordings of their own,
        which spreads a recording of many tags over the workers; tags then share nothing.
    :param method: as for ``fathom.track``.
    :param columns: the table's own names of columns, by known name.
    :param settings: as for ``fathom.track``.
    :returns: a DataFrame with the columns ``POSITIONS``; ``recording`` is the first column of ``by``.

    Rows of a recording are sorted by time where they are not; rows at the same time are in the order of
    arrival, which Spark does not keep.
    """
    by = list(by)
    shared, own = _anchors(anchors, by[0])

    def process(table: Any) -> Any:
        name = str(table.column(by[0])[0].as_py())
        try:
            declared = shared if own is None else own.get(name)
            result = fathom.track(
                table.drop_columns([column for column in by if column != "tag"]), declared, method, name=name,
                columns=columns, **settings,
            )  # fmt: skip
            return positions_table(name, result)
        except Exception as error:
            return error_row(name, error)

    return ranges.groupBy(*by).applyInArrow(process, POSITIONS)


def _anchors(anchors: Any, key: str) -> tuple[Any, dict[str, Any] | None]:
    """Returns the anchors of all recordings, or those of each, in forms that can be sent to workers."""
    if not hasattr(anchors, "rdd") and not hasattr(anchors, "sparkSession"):
        if isinstance(anchors, Mapping) or anchors is None:
            return anchors, None
        found = _input.anchors(anchors)
        assert found is not None
        return dict(zip(found.names, found.positions.tolist())), None
    own: dict[str, dict[str, Any]] = {}
    for row in anchors.collect():
        place = [row["x"], row["y"]] + ([row["z"]] if "z" in row else [])
        own.setdefault(str(row[key]), {})[str(row["id"])] = tuple(place)
    return None, own


def track_files(paths: Any, anchors: str | None = None, *, method: Method = "filter", **settings: Any) -> Any:
    """Computes the positions of recordings in files that all workers see.

    :param paths: a Spark DataFrame whose first column has paths of folders or files. The number of its
        partitions is the number of tasks; 2 to 4 per core balance recordings of different lengths.
    :param anchors: the path of an anchors file for all recordings; by default each one's own.
    :param method: as for ``fathom.track``.
    :param settings: as for ``fathom.track``.
    :returns: a DataFrame with the columns ``POSITIONS``; ``recording`` is the path.
    """

    def process(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for path in batch.column(0).to_pylist():
                try:
                    table = positions_table(path, fathom.track(path, anchors, method, **settings))
                except Exception as error:
                    table = error_row(str(path), error)
                yield from table.to_batches()

    return paths.mapInArrow(process, POSITIONS)


def locate(epochs: Any, anchors: Any, **settings: Any) -> Any:
    """Computes one position per row, from a column of ranges for each anchor.

    :param epochs: a Spark DataFrame that has the names of the anchors as columns, and any others, which stay.
    :param anchors: as for ``fathom.track``.
    :param settings: as for ``fathom.locate``.
    :returns: the DataFrame with the columns ``FIXES`` in addition.
    """
    declared, _ = _anchors(anchors, "recording")
    names = list(declared)

    def process(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            table = np.column_stack(
                [batch.column(name).cast(pa.float64()).to_numpy(zero_copy_only=False) for name in names]
            )
            found = fathom.locate(table, declared, alternatives=False, **settings)
            arrays = list(batch.columns)
            for name in ("x_m", "y_m", "z_m", "sxx", "sxy", "sxz", "syy", "syz", "szz", "misfit_m"):
                arrays.append(pa.array(found[name]))
            arrays.append(pa.array(found["verdict"], pa.string()))
            fields = [field.split()[0] for field in FIXES.split(", ")]
            yield pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, *fields])

    own = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in epochs.schema)
    return epochs.mapInArrow(process, f"{own}, {FIXES}")


#: The version of Fathom on this machine; the workers should have the same.
version = _core.version
