"""kalman-py (NumPy): its linear filter over a whole series in one call."""

import numpy as np
from kalman_py import KalmanFilter

from worker import STEP, VARIANCE, Workload, acceleration_noise, before_prediction, serve


def kf2(work: Workload, items: int):
    mean, covariance = before_prediction(np.zeros(2), np.diag([100.0, 10.0]))
    filter = KalmanFilter(
        F=np.array([[1, STEP], [0, 1]]), H=np.array([[1.0, 0.0]]), Q=acceleration_noise(),
        R=np.array([[VARIANCE]]), x0=mean, P0=covariance)
    series = work.series[:items]
    return lambda: filter.filter(series), lambda found: found.means


serve({"kf2": kf2})
