"""fast-kalman (C++ and nanobind): its linear filter over a whole series in one call.

The call returns the state after the last measurement only.
"""

import kalman
import numpy as np

from worker import STEP, VARIANCE, Workload, acceleration_noise, before_prediction, serve


def kf2(work: Workload, items: int):
    mean, covariance = before_prediction(np.zeros(2), np.diag([100.0, 10.0]))
    filter = kalman.LinearKalmanFilter(
        2, 1, x=mean.tolist(), P=covariance.ravel().tolist(), F=[1.0, STEP, 0.0, 1.0],
        Q=acceleration_noise().ravel().tolist(), H=[1.0, 0.0], R=[VARIANCE])
    series = work.series[:items].reshape(-1, 1)
    return lambda: filter.update_many(series), lambda found: [found["x"]]


serve({"kf2": kf2})
