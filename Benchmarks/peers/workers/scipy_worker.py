"""SciPy's least_squares on the range residuals of each epoch."""

import numpy as np
from scipy.optimize import least_squares

from worker import Workload, serve


def trilateration(method: str, analytic: bool, loss: str = "linear", scale: float = 1):
    def prepare(work: Workload, items: int):
        anchors = work.anchors
        start = anchors.mean(axis=0)

        def residuals(position, measured):
            return np.linalg.norm(position - anchors, axis=1) - measured

        def jacobian(position, measured):
            offset = position - anchors
            return offset / np.linalg.norm(offset, axis=1)[:, None]

        def run():
            return [
                least_squares(residuals, start, jac=jacobian if analytic else "2-point",
                              method=method, xtol=1e-8, ftol=1e-12, gtol=1e-12,
                              loss=loss, f_scale=scale, args=(measured,)).x
                for measured in work.ranges[:items]
            ]

        return run

    return prepare


serve({
    "trf-default": trilateration("trf", analytic=False),
    "trf": trilateration("trf", analytic=True),
    "lm": trilateration("lm", analytic=True),
    "trf-cauchy": trilateration("trf", analytic=True, loss="cauchy", scale=0.2385),
})
