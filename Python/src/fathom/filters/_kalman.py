"""The linear filter: one step at a time, and whole series at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fathom._errors import UsageError
from fathom.filters import _linear
from fathom.filters._arrays import Array, ArrayLike, Estimates, covariance, finite, matrix, series, vector
from fathom.filters._series import Run, patterns, steps


class Checked:
    """An attribute whose new values are checked by ``_checked`` of its owner."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Array:
        if instance is None:
            return self  # type: ignore[return-value]
        value: Array = instance.__dict__[self.name]
        return value

    def __set__(self, instance: Any, value: ArrayLike) -> None:
        instance.__dict__[self.name] = instance._checked(self.name, value)


class Filter:
    """The state estimate of a filter and the results of its last update.

    :ivar x: the mean of the state (n,).
    :ivar P: its covariance (n, n).
    :ivar y: the innovation of the last update (m,); NaN for missing components.
    :ivar S: the covariance of the innovation (m, m).
    :ivar K: the Kalman gain (n, m), with zero columns for missing components.
    :ivar log_likelihood: the log density of the last measurement's present components; 0 without any.
    """

    x = Checked()
    P = Checked()
    x0 = Checked()
    P0 = Checked()
    #: Whether x0 and P0 can differ between the series of a bank.
    _is_bank = False

    def __init__(self, n: int, m: int, x0: ArrayLike | None, P0: ArrayLike | None):
        self.n, self.m = n, m
        self.x0 = np.zeros(n) if x0 is None else x0
        self.P0 = np.eye(n) if P0 is None else P0
        self.y = np.full(m, np.nan)
        self.S, self.K = np.zeros((m, m)), np.zeros((n, m))
        self.log_likelihood = 0.0
        self.reset()

    def reset(self) -> None:
        """Sets x and P to x0 and P0."""
        # Not through the checks of x and P: the initial values of a bank have more axes.
        self.__dict__["x"], self.__dict__["P"] = self.x0.copy(), self.P0.copy()

    def _checked(self, name: str, value: ArrayLike) -> Array:
        if name in ("x", "x0"):
            return vector(value, name, self.n, self._is_bank and name == "x0")
        if name in ("P", "P0"):
            return covariance(value, name, self.n, 3 if self._is_bank and name == "P0" else 2)
        return covariance(value, name, self.n if name == "Q" else self.m, 4 if self._is_bank else 2)

    def _measured(self, z: ArrayLike | None, m: int) -> Array:
        """Returns a measurement as a vector; None has no present component."""
        if z is None:
            return np.full(m, np.nan)
        try:
            value: Array = np.atleast_1d(np.asarray(z, float))
        except (TypeError, ValueError) as error:
            raise UsageError(f"z is not numeric: {error}") from None
        value = value[:, 0] if value.shape == (m, 1) else value
        if value.shape != (m,) or np.isinf(value).any():
            shown = "infinite values" if value.shape == (m,) else value.shape
            raise UsageError(f"z must have the shape ({m},) and finite values, or NaN for missing ones, not {shown}")
        return value

    def _keep(self, y: Array, S: Array, cross: Array) -> Array | None:
        """Keeps the results of an update and returns the correction K y of the state; None if all is missing.

        :param y: the innovation (m,), NaN for missing components.
        :param S: its covariance (m, m).
        :param cross: the covariance of state and measurement (n, m).
        """
        self.y, self.S = y, S
        if len(y) == 1 and not math.isnan(y[0]):
            # Numbers take a third of the time of matrices.
            s, value = float(S[0, 0]), float(y[0])
            if not s > 0:
                raise UsageError(_linear.SINGULAR)
            self.K = K = cross / s
            self.log_likelihood = -0.5 * (value * value / s + math.log(2 * math.pi * s))
            change: Array = K[:, 0] * value
            return change
        self.K, self.log_likelihood = np.zeros(cross.shape), 0.0
        seen = np.flatnonzero(~np.isnan(y))
        if len(seen) == 0:
            return None
        y, S, cross = y[seen], S[np.ix_(seen, seen)], cross[:, seen]
        found, log_det = _linear.solve(S[..., None], np.vstack([cross, y]).T[..., None], _linear.SINGULAR)
        gain, weighted = found[:, :-1, 0].T, found[:, -1, 0]
        self.K[:, seen] = gain
        self.log_likelihood = -0.5 * float(y @ weighted + log_det[0] + len(y) * math.log(2 * math.pi))
        return np.asarray(gain @ y)


class KalmanFilter(Filter):
    """A Kalman filter of linear systems with Gaussian noise (Kalman 1960).

    The model is ``x[t+1] = F x[t] + B u[t] + w`` and ``z[t] = H x[t] + v``, with noise w of covariance Q and v of
    covariance R. Units are the caller's.

    ``predict`` and ``update`` process one series step by step. ``filter``, ``smooth``, ``forecast`` and ``em`` process
    whole series: z of shape (T,) or (T, m) is one series; (K, T) for m = 1 or (K, T, m) is a bank of K series with the
    same model. These methods start from x0 and P0, and leave x and P unchanged. NaN marks missing values.

    By default x0 and P0 are the prior of the first measurement, as in simdkalman. With ``update_first=False`` a
    prediction precedes every update, as in ``batch_filter`` of FilterPy. A matrix of step t in F and Q belongs to the
    prediction of step t: from t to t+1 by default, and from t-1 to t with ``update_first=False``.

    Series with the same missing values share covariances and gains. A step then costs O(n^3) for each distinct pattern
    of missing values and O(n^2) for each series. Memory is O(n^2) for each step and pattern.

    :param F: state transition (n, n), for each step (T, n, n), or for each series and step (K, T, n, n). The length of
        K or T can be 1. Numbers are 1 x 1 matrices.
    :param H: measurement (m, n), or with leading axes as for F; a vector (n,) is a row.
    :param Q: covariance of the process noise (n, n), or with leading axes; a number times the identity matrix.
    :param R: covariance of the measurement noise (m, m), or with leading axes; a number times the identity matrix.
    :param x0: initial mean (n,), or (K, n) for each series; zeros by default.
    :param P0: initial covariance (n, n), or (K, n, n) for each series; the identity matrix by default.
    :param B: input matrix (n, l) of known inputs u (l,).
    :raises ValueError: if a shape does not fit, a value is not finite, or a covariance is not symmetric and positive
        semi-definite.
    """

    F = Checked()
    H = Checked()
    Q = Checked()
    R = Checked()
    _is_bank = True

    def __init__(
        self,
        F: ArrayLike,
        H: ArrayLike,
        Q: ArrayLike,
        R: ArrayLike,
        *,
        x0: ArrayLike | None = None,
        P0: ArrayLike | None = None,
        B: ArrayLike | None = None,
    ):
        F, H = finite(F, "F"), finite(H, "H")
        super().__init__(F.shape[-1] if F.ndim else 1, H.shape[-2] if H.ndim > 1 else 1, x0, P0)
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.B = None if B is None else finite(B, "B")
        if self.B is not None:
            self.B = self.B[:, None] if self.B.ndim == 1 else self.B
            if self.B.ndim != 2 or len(self.B) != self.n:
                raise UsageError(f"B must have the shape ({self.n}, l), not {self.B.shape}")

    def _checked(self, name: str, value: ArrayLike) -> Array:
        if name in ("F", "H"):
            return matrix(value, name, self.n if name == "F" else self.m, self.n)
        return super()._checked(name, value)

    def _constant(self, name: str) -> Array:
        """Returns a matrix of the model for one step."""
        value: Array = getattr(self, name)
        if value.ndim > 2:
            raise UsageError(f"{name} has the shape {value.shape}: a single step needs one matrix, as the argument {name}")
        return value

    def _is_one_series(self) -> None:
        if self.x.ndim > 1 or self.P.ndim > 2:
            raise UsageError("a single step needs x0 and P0 of one series; filter and smooth process banks")

    def predict(self, u: ArrayLike | None = None, F: ArrayLike | None = None, Q: ArrayLike | None = None) -> None:
        """Predicts the state of the next step: x = F x + B u and P = F P F^T + Q.

        :param u: known input (l,); needs B.
        :param F: state transition (n, n) of this step only.
        :param Q: covariance of the process noise (n, n) of this step only.
        """
        self._is_one_series()
        transition = self._constant("F") if F is None else matrix(F, "F", self.n, self.n, 2)
        noise = self._constant("Q") if Q is None else covariance(Q, "Q", self.n, 2)
        x = transition @ self.x
        if u is not None:
            x = x + self._inputs(u, ())
        self.__dict__["x"] = x
        self.__dict__["P"] = _linear.predicted(self.P, transition, noise)

    def update(self, z: ArrayLike | None, R: ArrayLike | None = None, H: ArrayLike | None = None) -> None:
        """Updates the state with a measurement.

        The covariance is that of Joseph's form. Only present components are used; x and P are unchanged if all are
        missing.

        :param z: measurement (m,), or a number if m = 1; None or NaN is missing.
        :param R: covariance of the noise of this measurement only.
        :param H: matrix of this measurement only, (m', n); another number of rows needs R too.
        :raises ValueError: if H P H^T + R is singular.
        """
        self._is_one_series()
        if H is None:
            observed = self._constant("H")
        else:
            H = finite(H, "H")
            observed = matrix(H, "H", len(H) if H.ndim > 1 else 1, self.n, 2)
        m = len(observed)
        noise = self._constant("R") if R is None else covariance(R, "R", m, 2)
        if len(noise) != m:
            raise UsageError(f"R of shape {noise.shape} does not fit H of shape {observed.shape}: pass R of ({m}, {m})")
        z = self._measured(z, m)
        moved = observed @ self.P
        S = _linear.symmetric(moved @ observed.T + noise)
        change = self._keep(z - observed @ self.x, S, moved.T)
        if change is None:
            return
        moved = np.where(np.isnan(z)[:, None], 0.0, moved) if m > 1 else moved
        self.__dict__["x"] = self.x + change
        self.__dict__["P"] = _linear.symmetric(_linear.updated(self.P, self.K, observed, noise, moved))

    def _expect(self, state: tuple[Array, Array], args: tuple[()]) -> tuple[Array, Array]:
        """Returns the expected measurement of a state, and its covariance with noise."""
        H = self._constant("H")
        return H @ state[0], _linear.symmetric(H @ state[1] @ H.T + self._constant("R"))

    def filter(self, z: ArrayLike, u: ArrayLike | None = None, *, update_first: bool = True) -> Estimates:
        """Returns the estimates of every step from the measurements up to it.

        :param z: measurements (T,), (T, m), (K, T) or (K, T, m).
        :param u: known inputs (T, l), or (K, T, l) for each series; used in the predictions of the same steps as F.
        :param update_first: whether x0 and P0 are the prior of the first measurement.
        """
        run = self._run(z, u, update_first)
        return run.estimates(run.found.mean, run.found.cov)

    def smooth(self, z: ArrayLike, u: ArrayLike | None = None, *, update_first: bool = True) -> Estimates:
        """Returns the estimates of every step from all measurements (Rauch, Tung and Striebel 1965).

        A singular covariance of a prediction is replaced by its pseudoinverse.

        :param z: measurements as of ``filter``.
        :param u: known inputs as of ``filter``.
        :param update_first: as of ``filter``.
        """
        run = self._run(z, u, update_first)
        smoothed = _linear.backward(run.model, run.found, run.groups)
        return run.estimates(smoothed.mean, smoothed.cov)

    def forecast(self, z: ArrayLike, n: int, u: ArrayLike | None = None, *, update_first: bool = True) -> Estimates:
        """Returns predictions of the n steps after the measurements.

        :param z: measurements as of ``filter``.
        :param n: the number of steps, at least 1. Matrices and inputs that vary have T + n steps.
        :param u: known inputs as of ``filter``.
        :param update_first: as of ``filter``.
        """
        if n < 1:
            raise UsageError(f"n must be at least 1, not {n}")
        run = self._run(z, u, update_first, n)
        return run.estimates(run.found.mean, run.found.cov, n)

    def em(
        self,
        z: ArrayLike,
        iterations: int = 5,
        u: ArrayLike | None = None,
        *,
        initial: bool = False,
        pooled: bool = False,
        update_first: bool = True,
    ) -> KalmanFilter:
        """Returns a filter with Q and R estimated from series (Shumway and Stoffer 1982).

        Every iteration of the expectation-maximisation algorithm smooths the series and raises their likelihood. Q and R
        become constant. Each series of a bank gets its own: Q (K, 1, n, n) and R (K, 1, m, m). Convergence is linear, and
        slow for noise that has little influence on the measurements: hundreds of iterations are common.

        :param z: measurements as of ``filter``.
        :param iterations: the number of iterations; 0 returns an equal filter.
        :param u: known inputs as of ``filter``.
        :param initial: whether x0 and P0 are estimated too, as simdkalman does.
        :param pooled: whether all series of a bank get the same Q (n, n) and R (m, m), and thus share covariances.
        :param update_first: as of ``filter``; it must be true with ``initial``.
        :raises ValueError: with fewer than two steps, or with a component of z that is always missing.
        """
        if initial and not update_first:
            raise UsageError("initial=True needs update_first=True")
        model = KalmanFilter(self.F, self.H, self.Q, self.R, x0=self.x0, P0=self.P0, B=self.B)
        for _ in range(iterations):
            run = model._run(z, u, update_first)
            smoothed = _linear.backward(run.model, run.found, run.groups)
            Q, R = run.noise(smoothed, pooled)
            if initial:
                change = smoothed.mean[0] - run.x0
                P0 = run.per_series(smoothed.cov[:1])[0] + change[:, None] * change
                model.x0, model.P0 = (run.layout.outer(A) for A in (smoothed.mean[0], P0))
            model.Q, model.R = Q, R
        model.reset()
        return model

    def _inputs(self, u: ArrayLike, axes: tuple[int, ...]) -> Array:
        """Returns B u of inputs (*axes, l), which are also accepted as (*axes,) if l = 1."""
        if self.B is None:
            raise UsageError("u needs B, the input matrix of the filter")
        values = finite(u, "u")
        count = self.B.shape[1]
        if count == 1 and values.shape[-1:] != (1,):
            values = values[..., None]
        if values.shape[-1:] != (count,) or values.ndim > len(axes) + 1:
            raise UsageError(f"u must have the shape {(*axes, count)}, not {values.shape}")
        return np.asarray(values @ self.B.T)

    def _run(self, z: ArrayLike, u: ArrayLike | None, update_first: bool, ahead: int = 0) -> Run:
        """Filters series, with steps after them that have no measurement."""
        values, layout = series(z, self.m)
        values = np.concatenate([values, np.full((ahead, *values.shape[1:]), np.nan)])
        count, _, bank = values.shape
        F, Q, H, R = (steps(getattr(self, name), name, count, bank) for name in "FQHR")
        known = np.zeros((1, self.n, 1))
        if u is not None:
            given = self._inputs(u, (bank, count))
            if given.shape[-2] != count or (given.ndim == 3 and len(given) != bank):
                raise UsageError(f"u has the shape {np.shape(u)}: z has {count} steps and {bank} series")
            known = given[..., None] if given.ndim == 2 else np.moveaxis(given, 0, -1)
        for name, value, axes in (("x0", self.x0, 1), ("P0", self.P0, 2)):
            if value.ndim > axes and len(value) not in (1, bank):
                raise UsageError(f"{name} has the shape {value.shape}: z has {bank} series")
        x = np.broadcast_to(self.x0.reshape(-1, self.n).T, (self.n, bank))
        P = np.ascontiguousarray(np.moveaxis(self.P0.reshape(-1, self.n, self.n), 0, -1))
        firsts, groups = patterns(values, max(M.shape[-1] for M in (F, Q, H, R, P)) > 1)
        if not update_first:
            x, P = _linear.apply(F[0], x, None) + known[0], _linear.predicted(P, F[0], Q[0])
        # The transition of the last step is not used, or that of the first step is done.
        kept = slice(0, -1) if update_first else slice(1, None)
        F, Q, known = (M[kept] if len(M) > 1 else M for M in (F, Q, known))
        model = _linear.Model(F, Q, H, R, known)
        P = np.broadcast_to(P, (self.n, self.n, len(firsts)))
        return Run(model, values, layout, x, groups, _linear.forward(model, values, x, P, firsts, groups))
