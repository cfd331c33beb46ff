"""FilterPy's extended filter of position and velocity in space, one range per update."""

import numpy as np
from filterpy.kalman import ExtendedKalmanFilter

from worker import VARIANCE


def expected(state, anchor):
    return np.array([np.linalg.norm(state[:3] - anchor)])


def derivative(state, anchor):
    offset = state[:3] - anchor
    row = np.zeros((1, 6))
    row[0, :3] = offset / np.linalg.norm(offset)
    return row


def started(mean, covariance) -> ExtendedKalmanFilter:
    filter = ExtendedKalmanFilter(dim_x=6, dim_z=1)
    filter.x = mean.copy()
    filter.P = covariance.copy()
    filter.R = np.array([[VARIANCE]])
    return filter


def update(filter: ExtendedKalmanFilter, measured: float, anchor) -> None:
    filter.update(np.array([measured]), derivative, expected, args=(anchor,), hx_args=(anchor,))
