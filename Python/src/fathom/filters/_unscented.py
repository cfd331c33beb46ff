"""The unscented filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fathom._errors import UsageError
from fathom.filters import _linear
from fathom.filters._arrays import Array, ArrayLike, Mask
from fathom.filters._nonlinear import Function, NonlinearFilter, Residual

#: Returns the mean of sigma points (2n + 1, size) with weights (2n + 1,).
Mean = Callable[[Array, Array], ArrayLike]


class UnscentedKalmanFilter(NonlinearFilter):
    """A Kalman filter of a nonlinear model that propagates 2n + 1 sigma points (Julier and Uhlmann 2004).

    The points and weights are the scaled ones of van der Merwe (2004). The model is that of ``ExtendedKalmanFilter``
    without Jacobians. Means and covariances are exact to the second order of f and h, and equal to those of
    ``KalmanFilter`` if both are linear. Points are drawn anew from x and P for every update. Units are the caller's.

    The covariance after an update is P - K S K^T. Rounding can make it indefinite if alpha is small, which is refused.

    A step costs O(n^3 + m^3) and 2n + 1 calls of f and of h.

    :param f: state transition: takes a state (n,) and the arguments of ``predict``, returns a state (n,).
    :param h: measurement: takes a state (n,) and the arguments of ``update``, returns a measurement (m,).
    :param Q: covariance of the process noise (n, n); a number times the identity matrix if x0 is given.
    :param R: covariance of the measurement noise (m, m); a number if m = 1.
    :param alpha: spread of the points, usually at most 1: the distance from the mean is alpha sqrt(n + kappa) standard
        deviations. A value near 1e-3 loses about 6 digits of the covariance to rounding.
    :param beta: weight of the central point in covariances; 2 is optimal for normal distributions.
    :param kappa: second scale, more than -n; 3 - n is usual with alpha = 1.
    :param x0: initial mean (n,); zeros by default.
    :param P0: initial covariance (n, n); the identity matrix by default.
    :param residual_x: difference of two states, for states with angles; a - b by default.
    :param residual_z: difference of two measurements, for measurements with angles; a - b by default.
    :param mean_x: mean of states (2n + 1, n) with weights (2n + 1,); the weighted sum by default.
    :param mean_z: mean of measurements (2n + 1, m) with weights (2n + 1,); the weighted sum by default.
    """

    def __init__(
        self,
        f: Function,
        h: Function,
        Q: ArrayLike,
        R: ArrayLike,
        alpha: float = 0.1,
        beta: float = 2.0,
        kappa: float = 0.0,
        *,
        x0: ArrayLike | None = None,
        P0: ArrayLike | None = None,
        residual_x: Residual | None = None,
        residual_z: Residual | None = None,
        mean_x: Mean | None = None,
        mean_z: Mean | None = None,
    ):
        super().__init__(f, h, Q, R, x0, P0, residual_x, residual_z)
        if not alpha > 0 or not np.isfinite(beta) or not self.n + kappa > 0:
            raise UsageError(
                f"alpha must be positive and kappa more than {-self.n}, not alpha={alpha}, beta={beta}, kappa={kappa}"
            )
        self.mean_x, self.mean_z = mean_x or _weighted_sum, mean_z or _weighted_sum
        scale = alpha**2 * (self.n + kappa)
        self._scale = scale
        #: Weights of the points for means and for covariances.
        self.mean_weights: Array = np.full(2 * self.n + 1, 0.5 / scale)
        self.mean_weights[0] = 1 - self.n / scale
        self.weights: Array = self.mean_weights.copy()
        self.weights[0] += 1 - alpha**2 + beta

    def _points(self) -> Array:
        """Returns the sigma points of x and P (2n + 1, n)."""
        try:
            root = np.linalg.cholesky(self._scale * self.P).T
        except np.linalg.LinAlgError:
            # The root of a singular matrix; rounding leaves small negative eigenvalues.
            values, vectors = np.linalg.eigh(self._scale * self.P)
            if values[0] < -1e-8 * max(values[-1], 0.0):
                raise UsageError("P is not positive semi-definite: use a larger alpha") from None
            root = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        return np.vstack([self.x, self.x + root, self.x - root])

    def _transformed(
        self, points: Array, function: Function, args: Sequence[Any], name: str, size: int, mean: Mean, residual: Residual
    ) -> tuple[Array, Array, Array]:
        """Returns the mean of the values of a function, its covariance, and that with the state (n, size)."""
        values = np.array([self._value(function, point, args, name, size) for point in points])
        average = np.asarray(mean(values, self.mean_weights), float).reshape(size)
        away = np.array([residual(value, average) for value in values], float).reshape(-1, size)
        moved = np.array([self.residual_x(point, self.x) for point in points], float)
        return average, (away.T * self.weights) @ away, (moved.T * self.weights) @ away

    def _moved(self, Q: Array, args: Sequence[Any]) -> tuple[Array, Array]:
        x, spread, cross = self._transformed(self._points(), self.f, args, "f", self.n, self.mean_x, self.residual_x)
        P = spread + Q
        C = _linear.solve(_linear.symmetric(P)[..., None], cross.T[..., None])[0][..., 0].T
        self._cross, self._conditional = cross, self.P - C @ cross.T
        return x, P

    def _observed(self, args: Sequence[Any], seen: Mask) -> tuple[Array, Array, Array]:
        return self._transformed(self._points(), self.h, args, "h", self.m, self.mean_z, self.residual_z)

    def _posterior(self, K: Array, R: Array, S: Array, cross: Array, seen: Mask) -> Array:
        return self.P - K @ S @ K.T


def _weighted_sum(points: Array, weights: Array) -> Array:
    return weights @ points
