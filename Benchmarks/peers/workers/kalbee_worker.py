"""kalbee (NumPy): its linear filter, step by step."""

import numpy as np
from kalbee.modules.filters.kf_filter import KalmanFilter

from worker import STEP, VARIANCE, Workload, acceleration_noise, serve


def kf2(work: Workload, items: int):
    filter = KalmanFilter(
        state=np.zeros((2, 1)), covariance=np.diag([100.0, 10.0]),
        transition_matrix=np.array([[1, STEP], [0, 1]]), transition_covariance=acceleration_noise(),
        measurement_matrix=np.array([[1.0, 0.0]]), measurement_covariance=np.array([[VARIANCE]]))

    def run():
        result = np.empty((items, 2))
        for index, measured in enumerate(work.series[:items]):
            result[index] = filter.update(measured)[:, 0]
            filter.predict(STEP)
        return result

    return run


serve({"kf2": kf2})
