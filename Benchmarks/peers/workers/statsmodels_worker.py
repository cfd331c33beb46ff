"""statsmodels: the Kalman filter of its state space models, in Cython."""

import numpy as np
from statsmodels.tsa.statespace.kalman_filter import KalmanFilter

from worker import STEP, VARIANCE, Workload, acceleration_noise, serve


def kf2(work: Workload, items: int):
    filter = KalmanFilter(
        k_endog=1, k_states=2, transition=np.array([[1, STEP], [0, 1]]),
        design=np.array([[1.0, 0.0]]), selection=np.eye(2), state_cov=acceleration_noise(),
        obs_cov=np.array([[VARIANCE]]))
    filter.initialize_known(np.zeros(2), np.diag([100.0, 10.0]))

    def run():
        filter.bind(work.series[:items].copy())
        return filter.filter().filtered_state.T

    return run


serve({"kf2": kf2})
