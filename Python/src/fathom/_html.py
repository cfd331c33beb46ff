"""Results as HTML for notebooks, with a plan in SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from fathom._columns import Columns
    from fathom._tracking import Result

_HEAD = 5
_POSITION = ("time_s", "tag", "x_m", "y_m", "z_m", "status")
#: Colours of the tags, which people with colour blindness can tell apart [Wong 2011].
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
#: Points of a track in the plan: more than it has pixels, few enough for a page of many results.
_POINTS = 400
_TAGS = 20
_SIZE = 320


def table(columns: Columns, names: Iterable[str] | None = None) -> str:
    """Returns the first rows of columns as a table."""
    shown = ["time_s" if name == "time_ns" else name for name in (names or columns)]
    head = "".join(f"<th>{escape(name)}</th>" for name in shown)
    found = [columns[name][:_HEAD] for name in shown]
    rows = (
        "<tr>" + "".join(f'<td style="text-align: right">{_text(value)}</td>' for value in row) + "</tr>"
        for row in zip(*found)
    )  # fmt: skip
    count = f"<caption>{_counted(len(columns), 'row')}</caption>"
    return f"<table>{count}<tr>{head}</tr>{''.join(rows)}</table>"


def _text(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.3f}"
    return "" if value is None else escape(str(value))


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def result(given: Result) -> str:
    """Returns the counts, the warnings, a plan and the first positions of a result."""
    positions = given.positions
    counts = f"{_counted(len(positions), 'position')}, {_counted(len(given.distances), 'distance')}"
    warnings = "".join(f"<li>{escape(warning)}</li>" for warning in given.warnings)
    listed = f"<ul>{warnings}</ul>" if warnings else ""
    return (
        f"<div><p><b>{escape(given.name)}: {counts}</b></p>{listed}{_plan(given)}"
        f"{table(positions, _POSITION) if len(positions) else ''}</div>"
    )


def _plan(given: Result) -> str:
    """Returns the anchors and tracks seen from above; nothing without anchors, because positions are then relative."""
    places = np.array([place[:2] for place in given.anchors.values()], "f8").reshape(-1, 2)
    if not len(places):
        return ""
    positions = given.positions
    points = np.column_stack([positions["x_m"], positions["y_m"]])
    everything = np.vstack([places, points])
    everything = everything[np.isfinite(everything).all(axis=1)]
    least, greatest = everything.min(axis=0), everything.max(axis=0)
    scale = _SIZE / max(float((greatest - least).max()), 1e-3)
    width, height = (greatest - least) * scale + 40

    def pixels(rows: np.ndarray) -> list[tuple[float, float]]:
        """Returns pixels; y grows upwards in the world and downwards in the plan."""
        return [(20 + float(x), height - 20 - float(y)) for x, y in (rows - least) * scale]

    parts = []
    tags = positions.codes("tag")
    for code, name in enumerate(positions.categories("tag")[:_TAGS]):
        rows = points[tags == code]
        colour = _COLOURS[code % len(_COLOURS)]
        path = _path(pixels(rows[:: -(-len(rows) // _POINTS) or 1]))
        title = f"<title>{escape(name)}</title>"
        parts.append(f'<path class="track" d="{path}" fill="none" stroke="{colour}" stroke-width="1.2">{title}</path>')
    for name, (x, y) in zip(given.anchors, pixels(places)):
        parts.append(f'<path d="M{x - 4:.1f} {y + 4:.1f}h8l-4 -8z" fill="#444"/>')
        parts.append(f'<text x="{x + 6:.1f}" y="{y - 4:.1f}" font-size="11" fill="#444">{escape(name)}</text>')
    return f'<svg width="{width:.0f}" height="{height:.0f}" style="overflow: visible">{"".join(parts)}</svg>'


def _path(points: Iterable[tuple[float, float]]) -> str:
    """Returns the path through points, with gaps where one is absent."""
    found, is_open = [], False
    for x, y in points:
        if np.isnan(x) or np.isnan(y):
            is_open = False
            continue
        found.append(f"{'L' if is_open else 'M'}{x:.1f} {y:.1f}")
        is_open = True
    return "".join(found)
