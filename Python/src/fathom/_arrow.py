"""Arrow tables of the caller through the C data interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fathom._arrays import TIME_NAMES, time_column
from fathom._core import ffi
from fathom._errors import UsageError
from fathom._input import check_names
from fathom._reader import is_plain
from fathom._tables import arrow_table, columns


def exported(given: Any, renamed: Mapping[str, str] | None) -> tuple[Any, Any] | dict[str, Any]:
    """Returns an Arrow table as structures of C, with its chunks joined; its columns if they have other names."""
    import pyarrow as pa

    table = arrow_table(given)
    if renamed:
        own = {given: known for known, given in renamed.items()}
        check_names(renamed, table.column_names)
        table = table.rename_columns([own.get(column, column) for column in table.column_names])
    if not is_plain(table.column_names, lambda count: columns(table.slice(0, count))):
        return columns(table)
    table = _with_times(_readable(table))
    if isinstance(table, pa.Table):
        batches = table.to_batches()
        if len(batches) > 1:
            batches = table.combine_chunks().to_batches()
        if len(batches) > 1:
            raise UsageError("the Arrow table has too many chunks; pass batches")
        table = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
    schema, rows = ffi.new("struct ArrowSchema *"), ffi.new("struct ArrowArray *")
    address = [int(ffi.cast("uintptr_t", place)) for place in (rows, schema)]
    table._export_to_c(*address)
    return schema, rows


def _with_times(table: Any) -> Any:
    """Returns a table with its times in the two forms that the library reads."""
    import pyarrow as pa

    name = next(name for name in TIME_NAMES if name in table.column_names)
    column = table.column(name)
    if pa.types.is_integer(column.type):
        if name == "time_ns":
            return table
        column = column.cast(pa.float64())
    found = time_column({name: column})
    assert found is not None
    place = table.column_names.index(name)
    return table.set_column(place, found[0], pa.array(found[1]))


def _readable(table: Any) -> Any:
    """Returns a table whose names are plain strings and whose decimals, as DuckDB has them, are doubles.

    Polars has views of strings, also as the words of categories.
    """
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.float64()))
            continue
        is_coded = pa.types.is_dictionary(field.type)
        if str(field.type.value_type if is_coded else field.type) != "string_view":
            continue
        column = table.column(place)
        if is_coded:
            chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            column = pa.chunked_array(
                [pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string())) for chunk in chunks],
                pa.dictionary(field.type.index_type, pa.string()),
            )
            if isinstance(table, pa.RecordBatch):
                column = column.combine_chunks()
        else:
            column = column.cast(pa.string())
        table = table.set_column(place, field.name, column)
    return table
