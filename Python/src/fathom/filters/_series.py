"""Filtered series, their results for the caller, and estimates of their noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fathom._errors import UsageError
from fathom.filters import _linear
from fathom.filters._arrays import Array, Estimates, Gaussian, Layout, Mask


class Run(NamedTuple):
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
        some: Mask = np.asarray(seen.any(axis=1))
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


def steps(M: Array, name: str, count: int, bank: int) -> Array:
    """Returns matrices as (T or 1, rows, columns, K or 1)."""
    whole = M.reshape((1,) * (4 - M.ndim) + M.shape)
    if len(whole) not in (1, bank) or whole.shape[1] not in (1, count):
        rows, columns = M.shape[-2:]
        raise UsageError(
            f"{name} has the shape {M.shape}: z has {count} steps and {bank} series, which need"
            f" ({count}, {rows}, {columns}) or ({bank}, {count}, {rows}, {columns})"
        )
    return np.ascontiguousarray(np.moveaxis(whole, 0, -1))


def patterns(z: Array, is_separate: bool) -> tuple[npt.NDArray[np.intp], _linear.Groups]:
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
