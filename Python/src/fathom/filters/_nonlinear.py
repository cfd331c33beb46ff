"""The common part of filters of nonlinear models, and the extended filter."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fathom._errors import UsageError
from fathom.filters import _linear
from fathom.filters._arrays import Array, ArrayLike, Estimates, Gaussian, Mask, covariance, finite, series
from fathom.filters._kalman import Checked, Filter

#: A function of the model: of a state (n,), and of any further arguments.
Function = Callable[..., ArrayLike]
#: Returns the difference of two vectors.
Residual = Callable[[Array, Array], ArrayLike]
#: The further arguments of a function: a tuple for each step.
Arguments = Sequence[Sequence[Any]] | None


class NonlinearFilter(Filter):
    """The common part of the extended and the unscented filter.

    A subclass predicts and observes means and covariances; the updates and the series are the same.
    """

    Q = Checked()
    R = Checked()

    def __init__(
        self,
        f: Function,
        h: Function,
        Q: ArrayLike,
        R: ArrayLike,
        x0: ArrayLike | None,
        P0: ArrayLike | None,
        residual_x: Residual | None,
        residual_z: Residual | None,
    ):
        if x0 is None and np.ndim(Q) == 0:
            raise UsageError("the length of the state is unknown: pass x0 (n,) or Q (n, n)")
        n = len(np.atleast_1d(np.asarray(Q if x0 is None else x0, float)))
        m = 1 if np.ndim(R) == 0 else len(np.asarray(R, float))
        super().__init__(n, m, x0, P0)
        self.f, self.h, self.Q, self.R = f, h, Q, R
        self.residual_x, self.residual_z = residual_x or np.subtract, residual_z or np.subtract
        # The covariance of the last state and its prediction, and of the last state given the prediction.
        self._cross, self._conditional = np.zeros((n, n)), np.zeros((n, n))

    def _moved(self, Q: Array, args: Sequence[Any]) -> tuple[Array, Array]:
        """Returns the prediction of x and P, and keeps what the smoother needs of it."""
        raise NotImplementedError

    def _observed(self, args: Sequence[Any], seen: Mask) -> tuple[Array, Array, Array]:
        """Returns the expected measurement, its covariance without noise, and that with the state (n, m)."""
        raise NotImplementedError

    def _posterior(self, K: Array, R: Array, S: Array, cross: Array, seen: Mask) -> Array:
        """Returns the covariance after an update."""
        raise NotImplementedError

    def _value(self, function: Function, x: Array, args: Sequence[Any], name: str, size: int) -> Array:
        """Returns the value of f or h, whose shape is checked."""
        value: Array = np.atleast_1d(np.asarray(function(x, *args), float))
        if value.shape != (size,):
            raise UsageError(f"{name} must return the shape ({size},), not {value.shape}")
        return value

    def predict(self, *args: Any, Q: ArrayLike | None = None) -> None:
        """Predicts the state of the next step.

        :param args: further arguments of f, such as the time step.
        :param Q: covariance of the process noise (n, n) of this step only.
        """
        noise = self.Q if Q is None else covariance(Q, "Q", self.n, 2)
        x, P = self._moved(noise, args)
        if not np.isfinite(x).all():
            raise UsageError("f returned values that are not finite")
        self.__dict__["x"], self.__dict__["P"] = x, _linear.symmetric(P)

    def update(self, z: ArrayLike | None, *args: Any, R: ArrayLike | None = None) -> None:
        """Updates the state with a measurement.

        :param z: measurement (m,), or a number if m = 1; None or NaN is missing.
        :param args: further arguments of h.
        :param R: covariance of the noise of this measurement only (m, m).
        :raises ValueError: if h returns a value of another shape or one that is not finite for a present component, or
            if the covariance of the innovation is singular.
        """
        noise = self.R if R is None else covariance(R, "R", self.m, 2)
        z = self._measured(z, self.m)
        seen = ~np.isnan(z)
        if not seen.any():
            self._keep(z, np.full((self.m, self.m), np.nan), np.zeros((self.n, self.m)))
            return
        expected, spread, cross = self._observed(args, seen)
        S = _linear.symmetric(spread + noise)
        y = np.where(seen, np.asarray(self.residual_z(z, expected), float), np.nan)
        if not np.isfinite(y[seen]).all():
            raise UsageError("h or residual_z returned values that are not finite")
        change = self._keep(y, S, cross)
        assert change is not None
        P = self._posterior(self.K, noise, S, cross, seen)
        self.__dict__["x"], self.__dict__["P"] = self.x + change, _linear.symmetric(P)

    def filter(
        self, z: ArrayLike, f_args: Arguments = None, h_args: Arguments = None, *, update_first: bool = True
    ) -> Estimates:
        """Returns the estimates of every step of one series from the measurements up to it.

        Starts from x0 and P0, and leaves x and P unchanged. The mean of ``observations`` is h of the mean of the state.

        :param z: measurements (T, m), or (T,) if m = 1; NaN is missing.
        :param f_args: a tuple of further arguments of f for each step.
        :param h_args: a tuple of further arguments of h for each step.
        :param update_first: whether x0 and P0 are the prior of the first measurement; see ``KalmanFilter``.
        """
        return self._series(z, f_args, h_args, update_first, False)

    def smooth(
        self, z: ArrayLike, f_args: Arguments = None, h_args: Arguments = None, *, update_first: bool = True
    ) -> Estimates:
        """Returns the estimates of every step of one series from all measurements; parameters as of ``filter``.

        The recursion is that of Rauch, Tung and Striebel (1965) with the covariance of successive states of the filter
        (Särkkä 2008 for the unscented filter).
        """
        return self._series(z, f_args, h_args, update_first, True)

    def _series(self, z: ArrayLike, f_args: Arguments, h_args: Arguments, update_first: bool, smooths: bool) -> Estimates:
        values, layout = series(z, self.m, bank=False)
        count = len(values)
        for name, given in (("f_args", f_args), ("h_args", h_args)):
            if given is not None and len(given) != count:
                raise UsageError(f"{name} has {len(given)} tuples: z has {count} steps")
        # A shallow copy is enough: steps replace arrays and do not change them.
        run = copy.copy(self)
        run.reset()
        f_given: Sequence[Sequence[Any]] = f_args if f_args is not None else [()] * count
        h_given: Sequence[Sequence[Any]] = h_args if h_args is not None else [()] * count
        priors, filtered, links, total = [], [], [], 0.0
        for t in range(count):
            if not update_first or t > 0:
                run.predict(*f_given[t - 1 if update_first else t])
                links.append((run._cross, run._conditional))
            priors.append((run.x, run.P))
            run.update(values[t, :, 0], *h_given[t])
            filtered.append((run.x, run.P))
            total += run.log_likelihood
        found = list(filtered)
        if smooths:
            for t, (cross, conditional) in reversed(list(enumerate(links[len(links) - count + 1 :]))):
                found[t] = self._smoothed(filtered[t][0], found[t + 1], priors[t + 1], cross, conditional)
        seen = [run._expect(state, h_given[t]) for t, state in enumerate(found)]
        return Estimates(gaussian(found), gaussian(seen, layout.flat), gaussian(priors), total)

    def _smoothed(
        self, x: Array, following: tuple[Array, Array], prior: tuple[Array, Array], cross: Array, conditional: Array
    ) -> tuple[Array, Array]:
        """Returns the smoothed mean and covariance of a state, given those of the next one."""
        C = _linear.solve(prior[1][..., None], cross.T[..., None])[0][..., 0].T
        change = np.asarray(self.residual_x(following[0], prior[0]), float)
        return x + C @ change, _linear.symmetric(conditional + C @ following[1] @ C.T)

    def _expect(self, state: tuple[Array, Array], args: Sequence[Any]) -> tuple[Array, Array]:
        """Returns the expected measurement of a state, and its covariance with noise."""
        self.__dict__["x"], self.__dict__["P"] = state
        expected, spread, _ = self._observed(args, np.ones(self.m, bool))
        return expected, _linear.symmetric(spread + self.R)


def gaussian(states: Sequence[tuple[Array, Array]], flat: bool = False) -> Gaussian:
    """Returns the means and covariances of all steps; without the axis of components if ``flat``."""
    mean, cov = np.array([x for x, _ in states]), np.array([P for _, P in states])
    return Gaussian(mean[:, 0], cov[:, 0, 0]) if flat else Gaussian(mean, cov)


class ExtendedKalmanFilter(NonlinearFilter):
    """A Kalman filter of a nonlinear model, which is linearised at the estimates.

    The model is ``x[t+1] = f(x[t]) + w`` and ``z[t] = h(x[t]) + v``, with noise w of covariance Q and v of covariance R.
    A prediction is f(x) with F P F^T + Q; an update is that of ``KalmanFilter`` with H, including Joseph's form. The
    state of a strongly curved f or h is biased: compare with ``UnscentedKalmanFilter``. Units are the caller's.

    A step costs O(n^3 + m^3) and a call of f, h and each Jacobian. A numerical Jacobian calls its function 2n times.

    :param f: state transition: takes a state (n,) and the arguments of ``predict``, returns a state (n,).
    :param h: measurement: takes a state (n,) and the arguments of ``update``, returns a measurement (m,).
    :param F: Jacobian of f (n, n), with the same arguments; None uses central differences, with relative error 1e-10.
    :param H: Jacobian of h (m, n), with the same arguments; None uses central differences.
    :param Q: covariance of the process noise (n, n); a number times the identity matrix if x0 is given.
    :param R: covariance of the measurement noise (m, m); a number if m = 1.
    :param x0: initial mean (n,); zeros by default.
    :param P0: initial covariance (n, n); the identity matrix by default.
    :param residual_x: difference of two states, for states with angles; a - b by default.
    :param residual_z: difference of two measurements, for measurements with angles; a - b by default.
    """

    def __init__(
        self,
        f: Function,
        h: Function,
        F: Function | None,
        H: Function | None,
        Q: ArrayLike,
        R: ArrayLike,
        *,
        x0: ArrayLike | None = None,
        P0: ArrayLike | None = None,
        residual_x: Residual | None = None,
        residual_z: Residual | None = None,
    ):
        super().__init__(f, h, Q, R, x0, P0, residual_x, residual_z)
        self.F, self.H = F, H
        self._matrix = np.zeros((self.m, self.n))

    def _jacobian(
        self, given: Function | None, function: Function, args: Sequence[Any], name: str, size: int, residual: Residual
    ) -> Array:
        if given is not None:
            found = np.atleast_2d(np.asarray(given(self.x, *args), float))
            if found.shape != (size, self.n):
                raise UsageError(f"{name} must return the shape ({size}, {self.n}), not {found.shape}")
            return found
        columns = []
        # The truncation and the rounding error of central differences balance at the cube root of the precision.
        for i, step in enumerate(np.finfo(float).eps ** (1 / 3) * np.maximum(1.0, np.abs(self.x))):
            ahead, behind = self.x.copy(), self.x.copy()
            ahead[i], behind[i] = self.x[i] + step, self.x[i] - step
            values = (self._value(function, x, args, name.lower(), size) for x in (ahead, behind))
            columns.append(np.asarray(residual(*values), float) / (ahead[i] - behind[i]))
        return np.column_stack(columns)

    def _moved(self, Q: Array, args: Sequence[Any]) -> tuple[Array, Array]:
        F = finite(self._jacobian(self.F, self.f, args, "F", self.n, self.residual_x), "the Jacobian F")
        x, moved = self._value(self.f, self.x, args, "f", self.n), F @ self.P
        P = _linear.predicted(self.P, F, Q)
        C = _linear.solve(P[..., None], moved[..., None])[0][..., 0].T
        self._cross, self._conditional = moved.T, _linear.updated(self.P, C, F, Q, moved)
        return x, P

    def _observed(self, args: Sequence[Any], seen: Mask) -> tuple[Array, Array, Array]:
        H = self._jacobian(self.H, self.h, args, "H", self.m, self.residual_z)
        # A component that is missing can have no defined derivative.
        self._matrix = H = np.where(seen[:, None], H, 0.0)
        finite(H, "the Jacobian H")
        moved = H @ self.P
        return self._value(self.h, self.x, args, "h", self.m), moved @ H.T, moved.T

    def _posterior(self, K: Array, R: Array, S: Array, cross: Array, seen: Mask) -> Array:
        return _linear.updated(self.P, K, self._matrix, R, cross.T)
