"""Smoothed distances of single links, and of many in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fathom._arrays import NO_TIME, codes, floats, nanoseconds, suspicion
from fathom._columns import Columns
from fathom._core import check, encoded, ffi, keyed, lib, pointer
from fathom._errors import UsageError, warn
from fathom._types import Smoothing


def smooth(
    time_ns: npt.ArrayLike,
    distance: npt.ArrayLike,
    method: Smoothing = "kalman-velocity",
    *,
    by: npt.ArrayLike | None = None,
    rate: bool = True,
    **settings: Any,
) -> Columns:
    """Smooths the distances of one link, or of many links on their own.

    A matrix of distances has one link per row; the results then have its shape. The key ``by`` distinguishes the links
    of a long table; the results are in the order of its rows.

    :param time_ns: times in order: whole nanoseconds, datetime64, or texts of ISO 8601. For a matrix, those of all links
        (T,), or of each (K, T).
    :param distance: metres (T,), or (K, T) for K links; NaN for absent ones.
    :param method: a method of ``fathom process --smoothing``; by default the two-state Kalman filter of
        distance and rate.
    :param by: the link of each row: names or numbers (T,). Times are in order within each link.
    :param rate: whether the rates of the distances are returned.
    :param settings: ``range_sigma``, ``acceleration``.
    :returns: ``smoothed_m``, ``sigma_m`` and ``rate_mps``.
    """
    distances = floats(distance, "distance")
    times = nanoseconds(time_ns)
    if distances.ndim not in (1, 2) or times.shape not in {distances.shape, distances.shape[-1:]}:
        raise UsageError(f"time_ns of shape {times.shape} does not fit distance of shape {distances.shape}")
    order = None
    if by is not None:
        if distances.ndim != 1:
            raise UsageError("by needs one row per distance, not a matrix")
        order, ends = _grouped(by, len(distances))
        times, distances = times[order], distances[order]
    else:
        ends = np.arange(1, len(distances) + 1) * distances.shape[1] if distances.ndim == 2 else [len(distances)]
    _check_times(times, ends)
    found = {name: np.empty(distances.shape) for name in ("smoothed_m", "sigma_m", "rate_mps")[: 3 if rate else 2]}
    given = {**keyed(settings, "smooth", ("range_sigma", "acceleration")), "smoothing": method}
    # Defaults need no settings, whose text the library would parse for each link.
    options = ffi.NULL if given == {"smoothing": "kalman-velocity"} else encoded(given)
    _smooth_links(times, distances, options, list(found.values()), ends)
    if order is not None:
        for name, values in found.items():
            found[name] = np.empty_like(values)
            found[name][order] = values
    return Columns(found)


def _grouped(by: npt.ArrayLike, count: int) -> tuple[np.ndarray, npt.ArrayLike]:
    """Returns the rows link by link, in their order, and the ends of the links."""
    keys, names = codes(by)
    if keys.shape != (count,):
        raise UsageError("by and distance differ in length")
    order = np.argsort(keys, kind="stable")
    return order, np.cumsum(np.bincount(keys + 1, minlength=len(names) + 1))


def _check_times(times: np.ndarray, ends: npt.ArrayLike) -> None:
    """Refuses times in a wrong unit, and warns of times that go back within a link."""
    flat = times.reshape(-1)
    starts = np.asarray(ends)[:-1] if times.ndim == 1 else np.arange(1, len(times)) * times.shape[1]
    starts = starts[(starts > 0) & (starts < len(flat))]
    doubt = suspicion(flat[: int(starts[0])] if len(starts) else flat, 1, refuses=True)
    doubts = [doubt] if doubt else []
    goes_back = flat[1:] < flat[:-1]
    if goes_back.any():
        goes_back[starts - 1] = False
        late = int((goes_back & (flat[1:] != NO_TIME)).sum())
        if late:
            doubts.append(f"times go back {late} times, and late distances have no result; sort them by time")
    warn("smooth", doubts)


def _smooth_links(
    times: np.ndarray, distances: np.ndarray, options: Any, outputs: list[np.ndarray], ends: npt.ArrayLike
) -> None:
    """Smooths links that follow each other in contiguous arrays."""
    time, distance = pointer(times.reshape(-1)), pointer(distances.reshape(-1))
    if distance == ffi.NULL:
        return
    # A pointer and an offset take a tenth of the time of an array's address.
    places = [ffi.cast("double *", ffi.from_buffer(output)) for output in outputs] + [ffi.NULL] * (3 - len(outputs))
    call, begin = lib.fathom_smooth, 0
    is_shared = times.size != distances.size
    smoothed, sigma, rates = places
    for end in np.asarray(ends).tolist():
        if end > begin:
            own = rates + begin if rates else rates
            start = time if is_shared else time + begin
            status = call(end - begin, start, distance + begin, options, smoothed + begin, sigma + begin, own)
            if status:
                check(status)
        begin = end
