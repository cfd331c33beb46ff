"""Types of what callers pass."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt


@runtime_checkable
class ArrowStream(Protocol):
    """A table that gives itself through Arrow: frames of pandas and Polars, tables of pyarrow, results of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class LazyFrame(Protocol):
    """A lazy frame of Polars."""

    def collect_schema(self) -> Any: ...

    def collect(self) -> Any: ...


Path: TypeAlias = str | os.PathLike[str]

#: A table: a frame, an Arrow table, columns by name, a structured array, or rows.
Table: TypeAlias = (
    ArrowStream | LazyFrame | Mapping[str, npt.ArrayLike] | np.ndarray | Sequence[Mapping[str, Any]]
)  # fmt: skip

#: Coordinates by name, a table with names and coordinates, an array with a row per anchor, or a file.
AnchorTable: TypeAlias = (
    Path | Table | Mapping[str, Sequence[float]] | Mapping[str, Mapping[str, float]] | Sequence[Sequence[float]]
)  # fmt: skip

Method: TypeAlias = Literal["filter", "smooth", "fix"]
Side: TypeAlias = Literal["above", "below"]
Loss: TypeAlias = Literal["squared", "huber", "cauchy", "geman_mcclure", "tukey"]
Smoothing: TypeAlias = Literal[
    "kalman-velocity", "kalman-position", "exponential", "median", "median-average", "hampel", "alpha-beta", "one-euro"
]  # fmt: skip
Outcome: TypeAlias = Literal["used", "discounted", "starting", "started", "late", "invalid", "duplicate"]
TrackStatus: TypeAlias = Literal["tracking", "ambiguous", "coasting"]
