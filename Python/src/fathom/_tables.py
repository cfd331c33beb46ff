"""Tables of the caller in any form: their columns by name, and their text as a file has it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom._arrays import NO_TIME, TIME_NAMES, instants, plain
from fathom._errors import DataError, InputError, UsageError
from fathom._types import Path as FilePath

if TYPE_CHECKING:
    from typing_extensions import TypeIs


def is_path(value: Any) -> TypeIs[FilePath]:
    """Whether a value is a path of the file system."""
    return isinstance(value, (str, os.PathLike))


def is_table(value: Any) -> bool:
    """Whether a value has named columns: a frame, an Arrow table or stream, records, or a structured array."""
    if isinstance(value, np.ndarray):
        return value.dtype.names is not None
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(row, Mapping) for row in value)
    # A lazy frame of Polars would resolve its plan for its columns.
    return any(hasattr(value, name) for name in ("collect_schema", "__arrow_c_stream__", "columns"))


def columns(table: Any, what: str = "ranges", others: Iterable[str] = ()) -> dict[str, Any]:
    """Returns the columns of a table by name, with the named levels of an index and an index of times.

    :param table: a frame of pandas or Polars, an Arrow table, a stream of Arrow, a mapping of columns, a structured
        array, or a list of rows as mappings.
    :param what: the table's name in messages.
    :param others: names that columns will get; an index of times is added as ``time`` unless one of them is a time.
    :raises UsageError: for any other value.
    """
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        table = table.collect()  # a lazy frame of Polars
    if isinstance(table, Mapping):
        return {str(name): table[name] for name in table}
    if isinstance(table, np.ndarray) and table.dtype.names:
        return {name: table[name] for name in table.dtype.names}
    if hasattr(table, "columns") and (hasattr(table, "iloc") or hasattr(table, "get_columns")):
        names = _names(table.columns)
        found = {name: table[own] for name, own in zip(names, table.columns)}
        if len(found) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f'{what}: there are {names.count(twice)} columns "{twice}"')
        return _with_index(found, table.index, others) if hasattr(table, "iloc") else found
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return _of_arrow(arrow_table(table, what))
    if is_table(table):
        keys = dict.fromkeys(name for row in table for name in row)
        return {str(name): [row.get(name) for row in table] for name in keys}
    raise _no_table(table, what)


def _no_table(given: Any, what: str) -> UsageError:
    return UsageError(
        f"{what} cannot be a {type(given).__name__}: pass a DataFrame, an Arrow table, a mapping of columns, or a path"
    )


def arrow_table(given: Any, what: str = "ranges") -> Any:
    """Returns a table or stream of Arrow as one of pyarrow; UsageError for a stream without named columns."""
    import pyarrow as pa

    if isinstance(given, (pa.RecordBatch, pa.Table)):
        return given
    try:
        return pa.table(given)
    except (pa.ArrowInvalid, TypeError):
        raise _no_table(given, what) from None


def _names(columns: Any) -> list[str]:
    """Returns the names of columns; those of several levels without the levels that are all equal, as of a pivot."""
    if getattr(columns, "nlevels", 1) == 1:
        return [str(name) for name in columns]
    levels = [values for values in zip(*columns) if len(set(values)) > 1]
    return ["_".join(str(value) for value in name) for name in zip(*levels)]


def _with_index(found: dict[str, Any], index: Any, others: Iterable[str]) -> dict[str, Any]:
    """Adds the named levels of an index of pandas, and one of times as ``time`` if there is no time yet."""
    is_timed = any(name in TIME_NAMES for name in (*found, *others))
    for place in range(index.nlevels):
        level = index.get_level_values(place)
        if isinstance(level.name, str):
            found.setdefault(level.name, level)
        elif not is_timed and getattr(level.dtype, "kind", "") in {"M", "m"}:
            found["time"] = level
    return found


def _of_arrow(table: Any) -> dict[str, Any]:
    """Returns the columns of an Arrow table or stream as arrays of NumPy; names are objects."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        is_number = pa.types.is_temporal(column.type) or pa.types.is_floating(column.type)
        is_whole = pa.types.is_integer(column.type) and column.null_count == 0
        found[name] = column.to_numpy() if is_number or is_whole else np.array(column.to_pylist(), object)
    return found


def text(table: Mapping[str, Any]) -> bytes:
    """Returns columns as CSV, with all digits of their numbers and times; missing values are empty."""
    cells = [_cells(values, name) for name, values in table.items()]
    if len({len(column) for column in cells}) > 1:
        raise UsageError("the columns differ in length")
    found = io.StringIO()
    writer = csv.writer(found, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*cells))
    return found.getvalue().encode()


def content(table: Any, what: str) -> bytes:
    """Returns a table in memory as CSV, and the content of a file as it is."""
    if isinstance(table, bytes):
        return table
    if not is_path(table):
        return text(columns(table, what))
    try:
        return Path(table).read_bytes()
    except OSError as error:
        raise InputError(f"{table}: {error.strerror}") from None


def _cells(values: Any, name: str) -> list[Any]:
    """Returns values as they stand in a file: dates as texts of ISO 8601, durations in seconds."""
    array: np.ndarray = plain(values)
    kind = array.dtype.kind
    if kind == "O":
        first = next((value for value in array.tolist() if value is not None and value == value), None)
        if hasattr(first, "isoformat"):
            found = instants(array, name)
            if found is not None:
                array, kind = found.view("M8[ns]"), "M"
    if kind == "M":
        texts = np.datetime_as_string(array.astype("M8[ns]"), timezone="UTC").tolist()
        return ["" if value == "NaT" else value for value in texts]
    if kind == "m":
        return ["" if np.isnat(value) else value.astype("i8") / 1e9 for value in array.astype("m8[ns]")]
    if kind == "O":
        return ["" if value is None or _is_missing(value) else value for value in array.tolist()]
    cells: list[Any] = (array.astype("i4") if kind == "b" else array).tolist()
    for row in np.flatnonzero(array == NO_TIME if kind in "iu" else np.isnan(array) if kind == "f" else []):
        cells[row] = ""
    return cells


def _is_missing(value: Any) -> bool:
    """Whether a value is NaN, or NA of pandas, whose comparisons have no truth value."""
    try:
        return bool(value != value)
    except TypeError:
        return True
