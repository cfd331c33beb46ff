"""Many recordings of one table in one call."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from fathom import _input
from fathom._arrays import codes
from fathom._errors import DataError, missing_column, warn
from fathom._progress import Bar, Progress
from fathom._tracking import Result, _track
from fathom._types import AnchorTable, Method, Table

_T = TypeVar("_T")

#: Problems that a warning lists.
_MOST = 10


def track_each(
    ranges: Table,
    anchors: AnchorTable | None = None,
    method: Method = "filter",
    *,
    by: str,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> dict[str, Result]:
    """Tracks the recordings of a table, one for each value of a key, on all cores.

    Each result is that of ``track`` with the rows of its key. The problems of all recordings are one warning, and
    recordings that cannot be processed have no result.

    :param ranges: a table as for ``recording``, with all recordings.
    :param anchors: the anchors of all recordings, as for ``recording``.
    :param method: as for ``track``.
    :param by: the column of the key, such as a session.
    :param columns: the table's own names of columns, by known name.
    :param progress: as for ``track``.
    :param settings: as for ``track``, without tables beside the ranges.
    :returns: results by the name of the recording, in the order of their first rows.
    :raises DataError: if no recording can be processed.
    """
    table = _input.columns_of(ranges, columns)
    if by not in table:
        raise missing_column(by, table)
    keys, names = codes(table.pop(by))
    order = np.argsort(keys, kind="stable")
    bounds = np.searchsorted(keys[order], np.arange(len(names) + 1))
    declared = _input.anchors(anchors)
    keep = settings.pop("keep", None)

    def tracked(code: int) -> tuple[Result, list[str]] | DataError:
        rows = order[bounds[code] : bounds[code + 1]]
        own = {name: _rows(values, rows) for name, values in table.items()}
        try:
            return _track(own, declared, name=names[code], keep=keep, settings={"method": method, **settings})
        except DataError as error:
            return error

    found = _in_parallel(tracked, len(names), progress)
    problems: Counter[str] = Counter()
    results = {}
    for name, outcome in zip(names, found):
        if isinstance(outcome, DataError):
            problems[str(outcome).replace(f"{name}:", "row ", 1)] += 1
        else:
            results[name] = outcome[0]
            problems.update(outcome[1])
    if names and not results:
        raise next(outcome for outcome in found if isinstance(outcome, DataError))
    listed = [f"{count} of {len(names)} recordings: {problem}" for problem, count in problems.most_common(_MOST)]
    warn("track_each", listed)
    return results


def _rows(values: Any, rows: np.ndarray) -> Any:
    """Returns the values of some rows of a column."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return [values[row] for row in rows.tolist()] if isinstance(values, (list, tuple)) else values[rows]


def _in_parallel(call: Callable[[int], _T], count: int, progress: Progress | None) -> list[_T]:
    """Returns ``call(0)`` to ``call(count - 1)``; an interrupt ends the calls that have not begun."""
    bar = Bar("track_each") if progress is True else None
    report = bar or progress or None
    found: list[_T] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for outcome in pool.map(call, range(count)):
                found.append(outcome)
                if callable(report):
                    report(len(found) / count)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            if bar is not None:
                bar.close()
    return found
