"""Positions of single epochs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom import _input
from fathom._arrays import floats
from fathom._columns import Coded, Columns
from fathom._core import Progress, encoded, ffi, keyed, lib, output, pointer, run, words
from fathom._errors import UsageError, missing_column
from fathom._tables import columns, is_table
from fathom._types import AnchorTable, Loss, Table


def locate(
    ranges: Table | npt.ArrayLike,
    anchors: AnchorTable,
    *,
    covariance: bool = True,
    alternatives: bool = True,
    loss: Loss | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Columns:
    """Computes one position per epoch, from ranges to the same anchors.

    :param ranges: one row per epoch and one column per anchor, in metres; NaN for absent ones. A DataFrame
        has the names of the anchors as columns; a single row is one epoch.
    :param anchors: as for ``track``.
    :param covariance: whether covariances are returned.
    :param alternatives: whether the other position of two is returned.
    :param loss: ``cauchy``, ``squared``, ``huber``, ``geman_mcclure`` or ``tukey``.
    :param progress: as for ``track``.
    :param settings: ``height``, ``height_sigma``, ``side``, ``range_sigma``, ``zero_is_distance``.
    :returns: ``x_m`` to ``z_m``, ``sxx`` to ``szz``, ``misfit_m``, ``alt_x_m`` to ``alt_z_m`` and ``verdict``.
    """
    declared = _input.anchors(anchors)
    if declared is None:
        raise UsageError("locate needs anchors")
    if isinstance(ranges, Mapping) or is_table(ranges):
        given = columns(ranges)
        for name in declared.names:
            if name not in given:
                raise missing_column(name, given)
        ranges = np.column_stack([floats(given[name], name) for name in declared.names])
    table = floats(ranges, "ranges")
    if table.ndim == 1:
        table = table[np.newaxis]
    if table.ndim != 2 or table.shape[1] != len(declared.names):
        raise UsageError(f"ranges must have one column for each of {len(declared.names)} anchors")
    count = table.shape[0]
    names = ["x_m", "y_m", "z_m"]
    if covariance:
        names += ["sxx", "sxy", "sxz", "syy", "syz", "szz"]
    names.append("misfit_m")
    if alternatives:
        names += ["alt_x_m", "alt_y_m", "alt_z_m"]
    found = {name: np.empty(count) for name in names}
    verdict = np.empty(count, "u1")
    if count == 0:
        return Columns({**found, "verdict": Coded(verdict, words(lib.FATHOM_VERDICT))})
    fixes = ffi.new("fathom_fixes *")
    for name, column in found.items():
        setattr(fixes, name, output(column, "double *"))
    fixes.verdict = output(verdict, "uint8_t *")
    known = ("height", "height_sigma", "side", "range_sigma", "zero_is_distance")
    options = encoded({**keyed(settings, "locate", known), "loss": loss})
    run(
        lambda callback, context: lib.fathom_locate(
            declared.pointer, pointer(table.reshape(-1)), count, options, callback, context, fixes
        ),
        progress,
        keep=(found, verdict),
        name="locate",
    )
    return Columns({**found, "verdict": Coded(verdict, words(lib.FATHOM_VERDICT))})
