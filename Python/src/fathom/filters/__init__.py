"""Kalman filters for series of measurements in NumPy: linear, extended, unscented and mixtures of models.

>>> import numpy as np
>>> from fathom.filters import KalmanFilter
>>> kf = KalmanFilter(F=[[1, 1], [0, 1]], H=[1, 0], Q=np.diag([0.1, 0.01]), R=1.0)
>>> bank = np.random.default_rng(1).normal(size=(100, 200))
>>> kf.smooth(bank).states.mean.shape
(100, 200, 2)

The filters do not use units or the native library.
"""

from fathom.filters._arrays import Estimates, Gaussian
from fathom.filters._kalman import Filter, KalmanFilter
from fathom.filters._mixture import MixtureEstimates, MixtureFilter
from fathom.filters._nonlinear import ExtendedKalmanFilter, NonlinearFilter
from fathom.filters._unscented import UnscentedKalmanFilter

__all__ = [
    "Estimates", "ExtendedKalmanFilter", "Filter", "Gaussian", "KalmanFilter", "MixtureEstimates", "MixtureFilter",
    "NonlinearFilter", "UnscentedKalmanFilter",
]  # fmt: skip
