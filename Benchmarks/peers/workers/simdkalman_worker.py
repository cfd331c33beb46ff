"""simdkalman: one series, and many series in one call."""

import numpy as np
import simdkalman

from worker import STEP, VARIANCE, Workload, acceleration_noise, serve


def means(data: np.ndarray) -> np.ndarray:
    filter = simdkalman.KalmanFilter(
        state_transition=np.array([[1, STEP], [0, 1]]), process_noise=acceleration_noise(),
        observation_model=np.array([[1.0, 0.0]]), observation_noise=VARIANCE)
    result = filter.compute(
        data, 0, initial_value=np.zeros(2), initial_covariance=np.diag([100.0, 10.0]),
        smoothed=False, filtered=True, observations=False, covariances=False)
    return result.filtered.states.mean


def kf2(work: Workload, items: int):
    return lambda: means(work.series[:items])


def bank(work: Workload, items: int):
    data = np.ascontiguousarray(work.bank[: items // 1024].T)
    return lambda: means(data)[:, -1, :]


serve({"kf2": kf2, "bank": bank})
