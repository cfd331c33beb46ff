"""FilterPy: its linear and its extended Kalman filter."""

import numpy as np
from filterpy.kalman import KalmanFilter, rts_smoother

import filterpy_ranges
from worker import (SPACE_COVARIANCE, SPACE_MEAN, STEP, VARIANCE, Workload, acceleration_noise,
                    serve, space_model)


def kf2(work: Workload, items: int):
    filter = KalmanFilter(dim_x=2, dim_z=1)
    filter.x = np.zeros((2, 1))
    filter.P = np.diag([100.0, 10.0])
    filter.F = np.array([[1, STEP], [0, 1]])
    filter.H = np.array([[1.0, 0.0]])
    filter.Q = acceleration_noise()
    filter.R = np.array([[VARIANCE]])

    def run():
        result = np.empty((items, 2))
        for index, measured in enumerate(work.series[:items]):
            filter.update(measured)
            result[index] = filter.x[:, 0]
            filter.predict()
        return result

    return run


def ekf6(work: Workload, items: int):
    filter = filterpy_ranges.started(SPACE_MEAN, SPACE_COVARIANCE)
    filter.F, filter.Q = space_model()

    def run():
        result = np.empty((items // 8, 6))
        for epoch in range(items // 8):
            filter.predict()
            for anchor, measured in zip(work.anchors, work.ranges[epoch]):
                filterpy_ranges.update(filter, measured, anchor)
            result[epoch] = filter.x
        return result

    return run


def smoother(work: Workload, items: int):
    filter = filterpy_ranges.started(SPACE_MEAN, SPACE_COVARIANCE)
    filter.F, filter.Q = space_model()
    epochs = items // 8

    def run():
        means, covariances = np.empty((epochs, 6)), np.empty((epochs, 6, 6))
        for epoch in range(epochs):
            filter.predict()
            for anchor, measured in zip(work.anchors, work.ranges[epoch]):
                filterpy_ranges.update(filter, measured, anchor)
            means[epoch], covariances[epoch] = filter.x, filter.P
        smoothed = rts_smoother(means, covariances, [filter.F] * epochs, [filter.Q] * epochs)
        return smoothed[0][:, :3]

    return run


serve({"kf2": kf2, "ekf6": ekf6, "smoother": smoother})
