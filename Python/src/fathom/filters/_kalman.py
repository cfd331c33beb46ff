"""The linear filter: one step at a time, and whole series at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fathom._errors import UsageError
from fathom.filters import _linear
from fathom.filters._arrays import (
    Array,
    ArrayLike,
    Estimates,
    Gaussian,
    Layout,
    Mask,
    covariance,
    finite,
    matrix,
    series,
    vector,
)


class _Parameter:
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

    x = _Parameter()
    P = _Parameter()

    def __init__(self, n: int, m: int, x0: ArrayLike | None, P0: ArrayLike | None, most: int):
        self.n, self.m = n, m
        self.x0 = np.zeros(n) if x0 is None else vector(x0, "x0", n)
        self.P0 = np.eye(n) if P0 is None else covariance(P0, "P0", n, most)
        self.y = np.full(m, np.nan)
        self.S, self.K = np.zeros((m, m)), np.zeros((n, m))
        self.log_likelihood = 0.0
        self.reset()

    def reset(self) -> None:
        """Sets x and P to x0 and P0."""
        # Series of their own start only in methods for whole series.
        self.__dict__["x"], self.__dict__["P"] = self.x0.copy(), self.P0.copy()

    def _checked(self, name: str, value: ArrayLike) -> Array:
        if name == "x":
            found = vector(value, "x", self.n)
            if found.ndim > 1:
                raise UsageError(f"x must have the shape ({self.n},), not {found.shape}")
            return found
        return covariance(value, name, self.n if name in ("P", "Q") else self.m, 2 if name == "P" else 4)

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

    def _keep(self, y: Array, S: Array, K: Array) -> Array:
        """Keeps the results of an update; returns the innovation with 0 for missing components."""
        seen = ~np.isnan(y)
        used = np.where(seen, y, 0.0)
        self.y, self.S, self.K = y, S, K
        columns = used[:, None], _linear.present(S[..., None], seen[:, None]), seen[:, None]
        self.log_likelihood = float(_linear.density(*columns)[0])
        return used


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

    F = _Parameter()
    H = _Parameter()
    Q = _Parameter()
    R = _Parameter()

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
        F, H = np.asarray(F, float), np.asarray(H, float)
        super().__init__(F.shape[-1] if F.ndim else 1, H.shape[-2] if H.ndim > 1 else 1, x0, P0, 3)
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.B = None if B is None else finite(B, "B").reshape(self.n, -1)

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

        The covariance is that of Joseph's form. Missing components leave the state to the present ones. x and P are
        unchanged if all are missing.

        :param z: measurement (m,), or a number if m = 1; None or NaN is missing.
        :param R: covariance of the noise of this measurement only.
        :param H: matrix of this measurement only, (m', n); another number of rows needs R too.
        :raises ValueError: if H P H^T + R is singular.
        """
        self._is_one_series()
        if H is None:
            observed = self._constant("H")
        else:
            H = np.asarray(H, float)
            observed = matrix(H, "H", len(H) if H.ndim > 1 else 1, self.n, 2)
        m = len(observed)
        noise = self._constant("R") if R is None else covariance(R, "R", m, 2)
        if len(noise) != m:
            raise UsageError(f"R of shape {noise.shape} does not fit H of shape {observed.shape}: pass R of ({m}, {m})")
        z = self._measured(z, m)
        seen = ~np.isnan(z)
        moved = observed @ self.P
        S = _linear.symmetric(moved @ observed.T + noise)
        y = self._keep(z - observed @ self.x, S, gain(moved.T, S, seen))
        if seen.any():
            self.__dict__["x"] = self.x + self.K @ y
            self.__dict__["P"] = _linear.symmetric(_linear.updated(self.P, self.K, observed, noise, moved * seen[:, None]))

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

        A singular covariance of a prediction is replaced by its pseudoinverse. Parameters as of ``filter``.
        """
        run = self._run(z, u, update_first)
        smoothed = _linear.backward(run.model, run.found, run.groups)
        return run.estimates(smoothed.mean, smoothed.cov)

    def forecast(self, z: ArrayLike, n: int, u: ArrayLike | None = None, *, update_first: bool = True) -> Estimates:
        """Returns predictions of the n steps after the measurements.

        :param z: measurements as of ``filter``.
        :param n: the number of steps, at least 1. Matrices and inputs that vary have T + n steps.
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
        become constant. Each series of a bank gets its own: Q (K, 1, n, n) and R (K, 1, m, m).

        :param iterations: the number of iterations; 0 returns an equal filter.
        :param initial: whether x0 and P0 are estimated too, as simdkalman does.
        :param pooled: whether all series of a bank get the same Q (n, n) and R (m, m), and thus share covariances.
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

    def _run(self, z: ArrayLike, u: ArrayLike | None, update_first: bool, ahead: int = 0) -> _Run:
        """Filters series, with steps after them that have no measurement."""
        values, layout = series(z, self.m)
        values = np.concatenate([values, np.full((ahead, *values.shape[1:]), np.nan)])
        count, _, bank = values.shape
        F, Q, H, R = (_steps(getattr(self, name), name, count, bank) for name in "FQHR")
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
        firsts, groups = _patterns(values, max(M.shape[-1] for M in (F, Q, H, R, P)) > 1)
        if not update_first:
            x, P = _linear.apply(F[0], x, None) + known[0], _linear.predicted(P, F[0], Q[0])
        # The transition of the last step is not used, or that of the first step is done.
        kept = slice(0, -1) if update_first else slice(1, None)
        F, Q, known = (M[kept] if len(M) > 1 else M for M in (F, Q, known))
        model = _linear.Model(F, Q, H, R, known)
        P = np.broadcast_to(P, (self.n, self.n, len(firsts)))
        return _Run(model, values, layout, x, groups, _linear.forward(model, values, x, P, firsts, groups))


class _Run(NamedTuple):
    """Filtered series."""

    model: _linear.Model
    z: Array
    layout: Layout
    x0: Array
    groups: _linear.Groups
    found: _linear.Forward

    def estimates(self, mean: Array, cov: Array, last: int = 0) -> Estimates:
        """Returns the results for the caller; of the last steps only if ``last`` is not 0."""
        H, R = ((M[-last:] if len(M) > 1 else M) for M in (self.model.H, self.model.R))
        mean, cov, prior, prior_cov = (a[-last:] for a in (mean, cov, self.found.prior, self.found.prior_cov))
        spread = _linear.symmetric(_linear.right(_linear.left(H, cov), H) + R)
        likelihood = self.found.log_likelihood
        return Estimates(
            Gaussian(self.layout.outer(mean), self.layout.outer(self.per_series(cov))),
            self.layout.observed(_linear.apply(H, mean, self.groups), self.per_series(spread)),
            Gaussian(self.layout.outer(prior), self.layout.outer(self.per_series(prior_cov))),
            float(likelihood[0]) if self.layout.single else likelihood,
        )

    def per_series(self, values: Array) -> Array:
        """Returns values (..., G) of groups as (..., K) of series; a view where possible."""
        if values.shape[-1] == 1 or self.groups is None:
            return np.broadcast_to(values, (*values.shape[:-1], self.z.shape[-1]))
        return values[..., self.groups]

    def noise(self, found: _linear.Backward, pooled: bool) -> tuple[Array, Array]:
        """Returns the Q and R of the maximisation step."""
        F, _, H, R, known = self.model
        if len(self.z) < 2:
            raise UsageError(f"em needs at least two steps, not {len(self.z)}")
        seen = ~np.isnan(self.z)
        if not seen.any(axis=0).all():
            raise UsageError("em cannot estimate R: a component of z is missing in all steps")
        error = found.mean[1:] - _linear.apply(F, found.mean[:-1], self.groups) - known
        # Given the next state, the error of the transition has the covariance of (I - F C) x[t+1] and of F x[t].
        rest = np.eye(F.shape[-2])[..., None] - _linear.left(F, found.gain)
        moved = _linear.product(_linear.product(rest, found.cov[1:]), _linear.flipped(rest))
        moved = moved + _linear.right(_linear.left(F, found.conditional), F)
        Q = (error[:, :, None] * error[:, None] + self.per_series(moved)).sum(axis=0)

        residual = np.where(seen, self.z - _linear.apply(H, found.mean, self.groups), 0.0)
        spread = self.per_series(_linear.right(_linear.left(H, found.cov), H))
        square = residual[:, :, None] * residual[:, None] + spread
        square = np.where(seen[:, :, None] & seen[:, None], square, 0.0)
        some = seen.any(axis=1)
        if (some & ~seen.all(axis=1)).any():
            # The noise of missing components follows from that of the present ones by regression.
            noise = np.broadcast_to(R, square.shape)
            columns = np.where(seen[:, None], noise, 0.0)
            slope = _linear.flipped(_linear.solve(_linear.present(noise, seen), _linear.flipped(columns))[0])
            slope = np.where(seen[:, None], slope, 0.0)
            square = _linear.product(_linear.product(slope, square), _linear.flipped(slope))
            square = square + noise - _linear.product(slope, _linear.flipped(columns))
        square = np.where(some[:, None, None], square, 0.0).sum(axis=0)
        steps, used = len(error), some.sum(axis=0)
        if pooled or self.layout.single:
            return Q.sum(axis=-1) / (steps * Q.shape[-1]), square.sum(axis=-1) / used.sum()
        return np.moveaxis(Q / steps, -1, 0)[:, None], np.moveaxis(square / used, -1, 0)[:, None]


def gain(cross: Array, S: Array, seen: Mask) -> Array:
    """Returns the Kalman gain (n, m) of one step, with zero columns for missing components.

    :param cross: the covariance of state and measurement (n, m).
    :param S: the covariance of the innovation (m, m).
    :param seen: which components are present (m,).
    """
    masked = _linear.present(S[..., None], seen[:, None])
    return _linear.solve(masked, (cross * seen).T[..., None], _linear.SINGULAR)[0][..., 0].T


def _steps(M: Array, name: str, count: int, bank: int) -> Array:
    """Returns matrices as (T or 1, rows, columns, K or 1)."""
    whole = M.reshape((1,) * (4 - M.ndim) + M.shape)
    if len(whole) not in (1, bank) or whole.shape[1] not in (1, count):
        rows, columns = M.shape[-2:]
        raise UsageError(
            f"{name} has the shape {M.shape}: z has {count} steps and {bank} series, which need"
            f" ({count}, {rows}, {columns}) or ({bank}, {count}, {rows}, {columns})"
        )
    return np.ascontiguousarray(np.moveaxis(whole, 0, -1))


def _patterns(z: Array, is_separate: bool) -> tuple[npt.NDArray[np.intp], _linear.Groups]:
    """Returns a series of each group with the same missing values, and the group of each series."""
    bank = z.shape[-1]
    seen = ~np.isnan(z)
    if not is_separate:
        if (seen == seen[..., :1]).all():
            return np.zeros(1, np.intp), None
        packed = np.packbits(np.moveaxis(seen, -1, 0).reshape(bank, -1), axis=1)
        rows = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").ravel()
        _, firsts, groups = np.unique(rows, return_index=True, return_inverse=True)
        if len(firsts) < bank:
            return firsts, groups
    return np.arange(bank), None
