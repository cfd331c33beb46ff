"""Figures of results; needs matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom._errors import error
from fathom._evaluation import truth as true_positions


def draw(result: Any, kind: str, ax: Any = None, truth: Any = None) -> Any:
    """Draws a figure of a result; see ``Result.plot``."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots()
    figures = {"plan": _plan, "residuals": _residuals, "consistency": _consistency}
    if kind not in figures:
        raise error(64, f'kind must be plan, residuals or consistency, not "{kind}"')
    figures[kind](result, ax, truth)
    ax.set_title(result.name)
    return ax


def _plan(result: Any, ax: Any, truth: Any) -> None:
    if truth is not None:
        true = true_positions(truth).positions
        ax.plot(true["x_m"], true["y_m"], color="0.6", linewidth=2, label="truth")
    positions = result.positions
    tags = positions.codes("tag")
    for code, name in enumerate(positions.categories("tag")):
        rows = tags == code
        ax.plot(positions["x_m"][rows], positions["y_m"][rows], linewidth=1, label=name)
    for name, (x, y, _) in result.anchors.items():
        ax.plot(x, y, "k^")
        ax.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points")
    ax.set_aspect("equal")
    ax.set_xlabel("x, m")
    ax.set_ylabel("y, m")
    ax.legend()


def _residuals(result: Any, ax: Any, _: Any) -> None:
    distances = result.distances
    anchors = distances.codes("anchor")
    residuals = distances["distance_m"] - distances["smoothed_m"]
    for code, name in enumerate(distances.categories("anchor")):
        rows = anchors == code
        if rows.any():
            ax.plot(distances["time_s"][rows], residuals[rows], ".", markersize=3, label=name)
    ax.set_xlabel("time, s")
    ax.set_ylabel("measured - smoothed distance, m")
    ax.legend()


def _consistency(result: Any, ax: Any, _: Any) -> None:
    consistency = result.summary.get("consistency") or {}
    bins = consistency.get("timeline") or []
    if not bins:
        raise ValueError("the result has no innovations: use the method filter")
    times = [(entry["start_s"] + entry["end_s"]) / 2 for entry in bins]
    ax.plot(times, [entry["mean_normalized_square"] for entry in bins])
    ax.axhline(1, color="0.6", linestyle="--")
    ax.set_xlabel("time, s")
    ax.set_ylabel("normalised innovation squared")
    ax.set_ylim(0, max(4.0, float(np.max(ax.get_ylim()))))
