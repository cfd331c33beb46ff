"""Tables in columns, which are views of the library's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Mapping
from typing import Any

import numpy as np
from fathom._errors import with_candidates
from fathom._html import table


class Coded:
    """A column of codes with their words."""

    __slots__ = ("codes", "words")

    def __init__(self, codes: np.ndarray, words: list[str]):
        self.codes = codes
        self.words = words

    def decoded(self) -> np.ndarray:
        """Returns the words of all rows as an array of objects."""
        names = np.array([*self.words, None], dtype=object)
        codes = self.codes
        return names[np.where((codes >= 0) & (codes < len(self.words)), codes, len(self.words))]


class Columns(Mapping[str, np.ndarray]):
    """A table in columns: NumPy arrays by name.

    Numbers are views of the library's memory, without a copy; names and words are arrays of strings,
    made when they are asked for. ``codes`` and ``categories`` give them without strings.
    """

    def __init__(self, columns: Mapping[str, np.ndarray | Coded], arrow: Callable[[], Any] | None = None):
        self._columns = dict(columns)
        self._arrow = arrow
        self._decoded: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time_s" and "time_s" not in self._columns and "time_ns" in self._columns:
            if name not in self._decoded:
                self._decoded[name] = np.asarray(self._columns["time_ns"]) / 1e9
            return self._decoded[name]
        column = self._column(name)
        if not isinstance(column, Coded):
            return column
        if name not in self._decoded:
            self._decoded[name] = column.decoded()
        return self._decoded[name]

    def _column(self, name: str) -> np.ndarray | Coded:
        if name not in self._columns:
            raise KeyError(with_candidates(f'there is no column "{name}"', str(name), self._columns, "columns"))
        return self._columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns or (name == "time_s" and "time_ns" in self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of rows, as for tables of pandas, Polars and Arrow; ``len(columns.keys())`` is that of columns."""
        return self.rows

    def keys(self) -> KeysView[str]:
        """The names of the columns."""
        return self._columns.keys()

    @property
    def rows(self) -> int:
        """The number of rows."""
        for column in self._columns.values():
            return len(column.codes if isinstance(column, Coded) else column)
        return 0

    def codes(self, name: str) -> np.ndarray:
        """Returns the codes of a column of names or words.

        :param name: the name of the column.
        """
        return self._coded(name).codes

    def categories(self, name: str) -> list[str]:
        """Returns the names or words that the codes of a column stand for.

        :param name: the name of the column.
        """
        return self._coded(name).words

    def _coded(self, name: str) -> Coded:
        column = self._column(name)
        if not isinstance(column, Coded):
            raise KeyError(f"{name} is a column of numbers")
        return column

    def to_pandas(self) -> Any:
        """Returns a DataFrame with ``time_s`` in seconds; names and words are categories.

        Numbers are not copied.
        """
        import pandas as pd

        frame: dict[str, Any] = {}
        for name, column in self._columns.items():
            if name == "time_ns":
                frame["time_s"] = self["time_s"]
            elif isinstance(column, Coded):
                frame[name] = pd.Categorical.from_codes(
                    np.where(column.codes < len(column.words), column.codes.astype(np.int32), np.int32(-1)),
                    column.words,
                )
            else:
                frame[name] = column
        return pd.DataFrame(frame, copy=False)

    def to_polars(self) -> Any:
        """Returns a DataFrame of Polars with ``time_ns`` in nanoseconds; names and words are categories.

        Works without pyarrow too. Numbers are copied.
        """
        import polars as pl

        return pl.DataFrame([
            pl.Series(name, self[name].tolist(), pl.Categorical) if isinstance(column, Coded) else pl.Series(name, column)
            for name, column in self._columns.items()
        ])  # fmt: skip

    def to_arrow(self) -> Any:
        """Returns a ``pyarrow.RecordBatch`` with ``time_ns`` in nanoseconds.

        Results of ``track`` are not copied: the batch refers to the library's memory.
        """
        if self._arrow is not None:
            return self._arrow()
        import pyarrow as pa

        arrays = []
        for column in self._columns.values():
            if isinstance(column, Coded):
                arrays.append(
                    pa.DictionaryArray.from_arrays(
                        pa.array(column.codes, mask=column.codes < 0), pa.array(column.words, pa.string())
                    )
                )
            else:
                arrays.append(pa.array(column))
        return pa.RecordBatch.from_arrays(arrays, names=list(self._columns))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Gives the columns to other libraries, as a stream of Arrow; needs pyarrow."""
        import pyarrow as pa

        return pa.Table.from_batches([self.to_arrow()]).__arrow_c_stream__(requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the columns as plain arrays; the library's memory stays in its process."""
        return {"_columns": self._columns, "_arrow": None, "_decoded": {}}

    def __repr__(self) -> str:
        return f"<Columns of {self.rows} rows: {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        return table(self)
