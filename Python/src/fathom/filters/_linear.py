"""The recursions of linear filters and smoothers for stacks of matrices.

Arrays have the axes step T, group G of series that share covariances, then rows and columns. Matrices of the model have
length 1 in the axes along which they are constant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fathom._errors import UsageError
from fathom.filters._arrays import Array, symmetric

#: Up to this size a loop over the entries of all matrices is faster than one call of LAPACK for each matrix.
_ENTRYWISE = 6

Groups = npt.NDArray[np.intp] | None


class Model(NamedTuple):
    """The matrices of the steps, and the known input of every transition (T or 1, K or 1, n)."""

    F: Array
    Q: Array
    H: Array
    R: Array
    input: Array


class Forward(NamedTuple):
    """Results of the filter: covariances by group, means by series."""

    prior_cov: Array
    cov: Array
    gain: Array
    prior: Array
    mean: Array
    log_likelihood: Array


class Backward(NamedTuple):
    """Results of the smoother: its gain, the covariance of a state given the next one, and the estimates."""

    gain: Array
    conditional: Array
    mean: Array
    cov: Array


SINGULAR = "H P H^T + R is singular: R must be positive definite where H P H^T is not"


def solve(S: Array, B: Array, singular: str | None = None) -> tuple[Array, Array]:
    """Returns S^-1 B and log det S of stacks of symmetric positive definite matrices.

    :param singular: the message of the error if a matrix is singular; None uses its pseudoinverse.
    """
    size = S.shape[-1]
    diagonal = np.einsum("...ii->...i", S)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if size <= _ENTRYWISE:
            result, pivots = _eliminate(S, B)
        else:
            try:
                pivots, result = np.einsum("...ii->...i", np.linalg.cholesky(S)) ** 2, np.linalg.solve(S, B)
            except np.linalg.LinAlgError:
                result, pivots = np.broadcast_to(B, np.broadcast_shapes(B.shape, S.shape[:-1] + (1,))).copy(), 0 * diagonal
        # Rounding leaves about this much of the diagonal as the pivot of a singular matrix.
        good = pivots > 4 * size * np.finfo(float).eps * diagonal
        log_det = np.log(pivots).sum(axis=-1)
    if not good.all():
        if singular is not None:
            raise UsageError(singular)
        bad = ~good.all(axis=-1)
        result[bad] = np.linalg.pinv(S[bad], hermitian=True) @ np.broadcast_to(B, result.shape)[bad]
    return result, log_det


def _eliminate(S: Array, B: Array) -> tuple[Array, Array]:
    """Returns S^-1 B and the pivots by elimination, which is stable without exchanges for these matrices."""
    size = S.shape[-1]
    if size == 1:
        return B / S, S[..., 0]
    s = [[S[..., i, j, None] for j in range(size)] for i in range(size)]
    rows = [B[..., i, :] for i in range(size)]
    for k in range(size):
        for i in range(k + 1, size):
            factor = s[k][i] / s[k][k]
            for j in range(i, size):
                s[i][j] = s[i][j] - factor * s[k][j]
            rows[i] = rows[i] - factor * rows[k]
    for k in reversed(range(size)):
        for j in range(k + 1, size):
            rows[k] = rows[k] - s[k][j] * rows[j]
        rows[k] = rows[k] / s[k][k]
    result = np.empty((*rows[0].shape[:-1], size, rows[0].shape[-1]))
    for k in range(size):
        result[..., k, :] = rows[k]
    return result, np.concatenate([s[k][k] for k in range(size)], axis=-1)


def _unchecked(S: Array, B: Array) -> Array:
    """Returns S^-1 B; values that are not finite if S is singular."""
    if S.shape[-1] <= _ENTRYWISE:
        return _eliminate(S, B)[0]
    try:
        return np.linalg.solve(S, B)
    except np.linalg.LinAlgError:
        raise UsageError(SINGULAR) from None


def times(A: Array, M: Array) -> Array:
    """Returns A M^T; one product for the whole stack if M is one matrix."""
    rows, columns = M.shape[-2:]
    if M.size == rows * columns:
        product: Array = A.reshape(-1, columns) @ M.reshape(rows, columns).T
        return product.reshape(*A.shape[:-1], rows)
    return A @ np.ascontiguousarray(M.swapaxes(-1, -2))


def product(A: Array, B: Array) -> Array:
    """Returns A B; the outer product is faster without a call for each matrix."""
    return A * B if A.shape[-1] == 1 else A @ B


def apply(M: Array, v: Array, groups: Groups) -> Array:
    """Returns M v for the vectors of all series (..., K, columns), each with the matrix of its group."""
    if M.shape[-3] == 1:
        return v @ M[..., 0, :, :].swapaxes(-1, -2)
    chosen = M if groups is None else M[..., groups, :, :]
    return np.asarray(np.einsum("...ij,...j->...i", chosen, v))


def predicted(P: Array, F: Array, Q: Array) -> Array:
    """Returns F P F^T + Q."""
    return symmetric(times(F @ P, F) + Q)


def gain(cross: Array, S: Array, seen: npt.NDArray[np.bool_]) -> Array:
    """Returns the Kalman gain (n, m), with zero columns for missing components.

    :param cross: the covariance of state and measurement (n, m).
    :param S: the covariance of the innovation (m, m).
    :param seen: which components are present (m,).
    """
    return solve(present(S, seen), (cross * seen).T, SINGULAR)[0].T


def present(S: Array, seen: npt.NDArray[np.bool_]) -> Array:
    """Returns S with the rows and columns of missing components replaced by those of the identity matrix."""
    pairs = seen[..., None, :] & seen[..., :, None]
    return np.asarray(np.where(pairs, S, np.eye(S.shape[-1])))


def updated(P: Array, K: Array, H: Array, R: Array) -> Array:
    """Returns (I - K H) P (I - K H)^T + K R K^T, the form of Joseph, which keeps P positive semi-definite."""
    rest = np.eye(P.shape[-1]) - product(K, H)
    return times(rest @ P, rest) + product(product(K, R), K.swapaxes(-1, -2))


def density(y: Array, S: Array, seen: npt.NDArray[np.bool_], groups: Groups = None) -> Array:
    """Returns the log density of innovations (..., K, m) with the covariance of their group (..., G, m, m).

    :param y: the innovations, with 0 for missing components.
    :param S: their covariances, with rows of the identity matrix for missing components.
    """
    inverse, log_det = solve(S, np.broadcast_to(np.eye(S.shape[-1]), S.shape), SINGULAR)
    if log_det.shape[-1] > 1 and groups is not None:
        log_det = log_det[..., groups]
    square = (y * apply(inverse, y, groups)).sum(axis=-1)
    return np.asarray(-0.5 * (square + log_det + seen.sum(axis=-1) * np.log(2 * np.pi)))


def at(M: Array, t: int) -> Array:
    """Returns the matrices of a step."""
    return M[t if len(M) > 1 else 0]


def _priors(model: Model, seen: npt.NDArray[np.bool_], P: Array) -> tuple[Array, Array]:
    """Returns the covariances before the updates (T, G, n, n) and the gains (T, G, n, m).

    The loop has only what a step needs of the last one:
    P[t+1] = (F - F K H) P[t] (F - F K H)^T + F K R (F K)^T + Q, the form of Joseph after a prediction.
    """
    F, Q, H, R, _ = model
    count, groups, m = seen.shape
    priors, gains = np.empty((count, groups, *P.shape[1:])), np.empty((count, groups, P.shape[-1], m))
    is_complete = seen.all(axis=(1, 2)).tolist()
    is_constant = all(len(M) == 1 for M in (F, Q, H, R))
    # The first step after each one that has other missing values.
    changes = np.flatnonzero((seen[1:] != seen[:-1]).any(axis=(1, 2))) + 1
    ends = np.append(changes, count)[np.searchsorted(changes, np.arange(count), side="right")].tolist()
    f, q, h, r = F[0], Q[0], H[0], R[0]
    t = 0
    while True:
        if not is_constant:
            f, q, h, r = at(F, min(t, len(F) - 1)), at(Q, min(t, len(Q) - 1)), at(H, t), at(R, t)
        priors[t] = P
        cross = times(P, h)
        S = h @ cross + r
        if not is_complete[t]:
            cross, S = cross * seen[t, :, None, :], present(S, seen[t])
        K = cross / S if m == 1 else _unchecked(S, cross.swapaxes(-1, -2)).swapaxes(-1, -2)
        gains[t] = K
        if t + 1 == count:
            return priors, gains
        moved = f @ K
        rest = f - product(moved, h)
        following = symmetric(times(rest @ P, rest) + product(product(moved, r), moved.swapaxes(-1, -2)) + q)
        end = t + 1
        if is_constant and following.tobytes() == P.tobytes():
            # The recursion has converged to the last bit: the steps up to the next change are equal.
            end = ends[t]
            priors[t + 1 : end], gains[t + 1 : end] = P, K
            if end == count:
                return priors, gains
        P, t = following, end


def forward(model: Model, z: Array, x0: Array, P0: Array, firsts: npt.NDArray[np.intp], groups: Groups) -> Forward:
    """Filters series.

    :param z: measurements (T, K, m).
    :param x0: the prior of the first step (K, n).
    :param P0: its covariance (G, n, n).
    :param firsts: a series of each group (G,).
    :param groups: the group of each series (K,); None if each is a group of its own.
    """
    F, _, H, R, known = model
    seen = ~np.isnan(z)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        priors, gains = _priors(model, seen[:, firsts], P0)
    S = symmetric(times(times(priors, H).swapaxes(-1, -2), H) + R)
    S = S if seen.all() else present(S, seen[:, firsts])
    values = np.where(seen, z, 0.0)
    # x[t + 1] = F (I - K H) x[t] + F K z[t] + input.
    moved = F @ gains[:-1]
    transition = F - product(moved, H[: len(moved)])
    drive = apply(moved, values[:-1], groups) + known
    prior = np.empty((*z.shape[:2], x0.shape[-1]))
    prior[0] = x0
    for t in range(len(z) - 1):
        np.add(apply(transition[t], prior[t], groups), drive[t], out=prior[t + 1])
    y = np.where(seen, z - apply(H, prior, groups), 0.0)
    likelihood = density(y, S, seen, groups).sum(axis=0)
    cov = symmetric(updated(priors, gains, H, R))
    return Forward(priors, cov, gains, prior, prior + apply(gains, y, groups), likelihood)


def backward(model: Model, found: Forward, groups: Groups) -> Backward:
    """Smooths filtered series (Rauch, Tung and Striebel 1965).

    The covariance is P[t|T] = (I - C F) P (I - C F)^T + C (Q + P[t+1|T]) C^T, which stays positive semi-definite.
    """
    F, Q = model.F, model.Q
    filtered = found.cov[:-1]
    transposed, _ = solve(found.prior_cov[1:], np.ascontiguousarray(F @ filtered))
    C = np.ascontiguousarray(transposed.swapaxes(-1, -2))
    rest = np.eye(F.shape[-1]) - C @ F
    conditional = symmetric(times(rest @ filtered, rest) + times(times(C, Q), C))
    mean, cov = found.mean.copy(), found.cov.copy()
    mean[:-1] -= apply(C, found.prior[1:], groups)
    for t in reversed(range(len(mean) - 1)):
        mean[t] += apply(C[t], mean[t + 1], groups)
        np.add(C[t] @ cov[t + 1] @ transposed[t], conditional[t], out=cov[t])
    return Backward(C, conditional, mean, symmetric(cov))
