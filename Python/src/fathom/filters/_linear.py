"""The recursions of linear filters and smoothers for stacks of matrices.

Stacks have the axes step T, row, column, and group G of series that share covariances: NumPy processes the last axis at
full speed, and matrices are small. Matrices of the model have length 1 in the axes T and G along which they are constant.
Arrays without the axis G are single matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fathom._errors import UsageError
from fathom.filters._arrays import Array, Mask

#: Up to this size a loop over the entries of all matrices is faster than one call of LAPACK for each matrix.
_ENTRYWISE = 6

SINGULAR = "H P H^T + R is singular: R must be positive definite where H P H^T is not"

Groups = npt.NDArray[np.intp] | None


class Model(NamedTuple):
    """The matrices of the steps, and the known input of every transition (T or 1, n, K or 1)."""

    F: Array
    Q: Array
    H: Array
    R: Array
    input: Array


class Forward(NamedTuple):
    """Results of the filter: covariances (T, n, n, G) and means (T, n, K)."""

    prior_cov: Array
    cov: Array
    prior: Array
    mean: Array
    log_likelihood: Array


class Backward(NamedTuple):
    """Results of the smoother: its gain, the covariance of a state given the next one, and the estimates."""

    gain: Array
    conditional: Array
    mean: Array
    cov: Array


def flipped(A: Array) -> Array:
    """Returns transposed matrices."""
    return A.T if A.ndim == 2 else A.swapaxes(-3, -2)


def symmetric(A: Array) -> Array:
    """Returns the symmetric part of matrices."""
    return 0.5 * (A + flipped(A))


def left(M: Array, A: Array) -> Array:
    """Returns M A."""
    if A.ndim == 2:
        return M @ A
    if M.shape[-1] > 1:
        return np.asarray(np.einsum("...ijg,...jkg->...ikg", M, A))
    joined: Array = M[..., 0] @ A.reshape(*A.shape[:-2], A.shape[-2] * A.shape[-1])
    return joined.reshape(*joined.shape[:-1], *A.shape[-2:])


def right(A: Array, M: Array) -> Array:
    """Returns A M^T."""
    if A.ndim == 2:
        return A @ M.T
    if M.shape[-1] > 1:
        return np.asarray(np.einsum("...ijg,...kjg->...ikg", A, M))
    return np.asarray(M[..., None, :, :, 0] @ A)


def product(A: Array, B: Array) -> Array:
    """Returns A B of matrices that both differ between groups."""
    if A.ndim == 2:
        return A @ B
    if A.shape[-2] == 1:
        return A * B
    if A.shape[-1] == B.shape[-1] == 1:
        return (A[..., 0] @ B[..., 0])[..., None]
    return np.asarray(np.einsum("...ijg,...jkg->...ikg", A, B))


def apply(M: Array, v: Array, groups: Groups) -> Array:
    """Returns M v for the vectors of all series (..., columns, K), each with the matrix of its group."""
    if M.shape[-1] == 1:
        return np.asarray(M[..., 0] @ v)
    return np.asarray(np.einsum("...ijg,...jg->...ig", M if groups is None else M[..., groups], v))


def solve(S: Array, B: Array, singular: str | None = None) -> tuple[Array, Array]:
    """Returns S^-1 B and log det S (..., G) of stacks of symmetric positive definite matrices.

    :param singular: the message of the error if a matrix is singular; None uses its pseudoinverse.
    """
    size = S.shape[-2]
    diagonal = np.einsum("...iig->...ig", S)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result, pivots = _eliminate(S, B) if size <= _ENTRYWISE else _decompose(S, B)
        # Rounding leaves about this much of the diagonal as the pivot of a singular matrix.
        good = pivots > 4 * size * np.finfo(float).eps * diagonal
        log_det = np.log(pivots).sum(axis=-2)
    if not good.all():
        if singular is not None:
            raise UsageError(singular)
        bad = ~good.all(axis=-2)
        S, rows, wanted = (np.moveaxis(A, -1, -3) for A in (S, result, np.broadcast_to(B, result.shape)))
        rows[bad] = np.linalg.pinv(S[bad], hermitian=True) @ wanted[bad]
    return result, log_det


def _eliminate(S: Array, B: Array) -> tuple[Array, Array]:
    """Returns S^-1 B and the pivots by elimination, which is stable without exchanges for these matrices."""
    size = S.shape[-2]
    if size == 1:
        return B / S, S[..., 0, :]
    s = [[S[..., i, j, None, :] for j in range(size)] for i in range(size)]
    rows = [B[..., i, :, :] for i in range(size)]
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
    return np.stack(rows, axis=-3), np.concatenate([s[k][k] for k in range(size)], axis=-2)


def _decompose(S: Array, B: Array) -> tuple[Array, Array]:
    """Returns S^-1 B and the pivots by LAPACK; zeros if a matrix is not positive definite."""
    S, B = np.moveaxis(S, -1, -3), np.moveaxis(B, -1, -3)
    try:
        pivots = np.diagonal(np.linalg.cholesky(S), axis1=-2, axis2=-1) ** 2
        result = np.linalg.solve(S, B)
    except np.linalg.LinAlgError:
        pivots, result = np.zeros(S.shape[:-1]), np.zeros(np.broadcast_shapes(B.shape, (*S.shape[:-1], 1)))
    return np.ascontiguousarray(np.moveaxis(result, -3, -1)), np.moveaxis(pivots, -2, -1)


def present(S: Array, seen: Mask) -> Array:
    """Returns S with the rows and columns of missing components (..., m, G) replaced by those of the identity matrix."""
    pairs = seen[..., None, :] & seen[..., None, :, :]
    return np.asarray(np.where(pairs, S, np.eye(S.shape[-2])[..., None]))


def predicted(P: Array, F: Array, Q: Array) -> Array:
    """Returns F P F^T + Q."""
    return symmetric(right(left(F, P), F) + Q)


def updated(P: Array, K: Array, H: Array, R: Array, observed: Array) -> Array:
    """Returns (I - K H) P (I - K H)^T + K R K^T, the form of Joseph, which keeps P positive semi-definite.

    It is evaluated from the left as U = P - K H P and U + (K R - U H^T) K^T (Bierman 1977, stabilised update).

    :param observed: H P, with zero rows where K has zero columns.
    """
    U = P - product(K, observed)
    return U + product(right(K, R) - right(U, H), flipped(K))


def density(y: Array, S: Array, seen: Mask, groups: Groups = None) -> Array:
    """Returns the log density of innovations (..., m, K) with the covariance of their group (..., m, m, G).

    :param y: the innovations, with 0 for missing components.
    :param S: their covariances, with rows of the identity matrix for missing components.
    """
    inverse, log_det = solve(S, np.broadcast_to(np.eye(S.shape[-2])[..., None], S.shape), SINGULAR)
    if log_det.shape[-1] > 1 and groups is not None:
        log_det = log_det[..., groups]
    square = (y * apply(inverse, y, groups)).sum(axis=-2)
    return np.asarray(-0.5 * (square + log_det + seen.sum(axis=-2) * np.log(2 * np.pi)))


def at(M: Array, t: int) -> Array:
    """Returns the matrices of a step."""
    found: Array = M[t if len(M) > 1 else 0]
    return found


def _covariances(model: Model, seen: Mask, P: Array) -> tuple[Array, Array, Array]:
    """Returns the covariances before and after the updates (T, n, n, G), and the gains (T, n, m, G)."""
    F, Q, H, R, _ = model
    count, m, groups = seen.shape
    n = len(P)
    priors, posteriors, gains = (np.empty((count, n, columns, groups)) for columns in (n, n, m))
    outputs = priors, posteriors, gains
    shown: Mask = seen if groups > 1 else seen[..., 0]
    is_complete: Mask = np.asarray(seen.all(axis=(1, 2)))
    is_constant = all(len(M) == 1 for M in (F, Q, H, R))
    # The first step after each one that has other missing values.
    changes = np.flatnonzero((seen[1:] != seen[:-1]).any(axis=(1, 2))) + 1
    ends = np.append(changes, count)[np.searchsorted(changes, np.arange(count), side="right")].tolist()
    if groups == 1:
        # Products of two matrices take half the time of those of stacks.
        F, Q, H, R, P, priors, posteriors, gains = (M[..., 0] for M in (F, Q, H, R, P, priors, posteriors, gains))
    t = 0
    while t < count:
        h, r = at(H, t), at(R, t)
        priors[t] = P
        observed = left(h, P)
        S = right(observed, h) + r
        if not is_complete[t]:
            observed = observed * shown[t, :, None]
            S = S if m == 1 else present(S.reshape(m, m, groups), seen[t]).reshape(S.shape)
        if m == 1:
            K = flipped(observed / S)
        else:
            K = flipped(_unchecked(S.reshape(m, m, groups), observed.reshape(m, n, groups)).reshape(observed.shape))
        gains[t] = K
        posteriors[t] = posterior = updated(P, K, h, r, observed)
        if t + 1 == count:
            break
        following = predicted(posterior, at(F, t), at(Q, t))
        end = t + 1
        if is_constant and following.tobytes() == P.tobytes():
            # The recursion has converged to the last bit: the steps up to the next change are equal.
            end = ends[t]
            priors[t + 1 : end], posteriors[t + 1 : end], gains[t + 1 : end] = P, posterior, K
        P, t = following, end
    return outputs[0], symmetric(outputs[1]), outputs[2]


def _unchecked(S: Array, B: Array) -> Array:
    """Returns S^-1 B; values that are not finite, or zero, if S is singular."""
    return (_eliminate if S.shape[-2] <= _ENTRYWISE else _decompose)(S, B)[0]


def recursion(M: Array, drive: Array, first: Array, groups: Groups) -> Array:
    """Returns v[0] = first and v[t+1] = M[t] v[t] + drive[t] of all series (T + 1, n, K)."""
    values = np.empty((len(drive) + 1, *first.shape))
    values[0] = v = first
    for t in range(len(drive)):
        values[t + 1] = v = apply(M[t], v, groups) + drive[t]
    return values


# A singular S gives infinite gains, which density refuses.
@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def forward(model: Model, z: Array, x0: Array, P0: Array, firsts: npt.NDArray[np.intp], groups: Groups) -> Forward:
    """Filters series (Kalman 1960).

    :param z: measurements (T, m, K).
    :param x0: the prior of the first step (n, K).
    :param P0: its covariance (n, n, G).
    :param firsts: a series of each group (G,).
    :param groups: the group of each series (K,); None if each is a group of its own, or all are one.
    """
    F, _, H, R, known = model
    seen = ~np.isnan(z)
    prior_cov, cov, gains = _covariances(model, seen[..., firsts], P0)
    S = symmetric(right(left(H, prior_cov), H) + R)
    S = S if seen.all() else present(S, seen[..., firsts])
    values = np.where(seen, z, 0.0)
    # x[t + 1] = F (I - K H) x[t] + F K z[t] + input.
    moved = left(F, gains[:-1])
    transition = F - product(moved, H[: len(moved)])
    prior = recursion(transition, apply(moved, values[:-1], groups) + known, x0, groups)
    y = np.where(seen, z - apply(H, prior, groups), 0.0)
    likelihood = density(y, S, seen, groups).sum(axis=0)
    return Forward(prior_cov, cov, prior, prior + apply(gains, y, groups), likelihood)


def backward(model: Model, found: Forward, groups: Groups) -> Backward:
    """Smooths filtered series (Rauch, Tung and Striebel 1965).

    The covariance is P[t|T] = (I - C F) P (I - C F)^T + C Q C^T + C P[t+1|T] C^T, which stays positive semi-definite.
    """
    filtered = found.cov[:-1]
    moved = left(model.F, filtered)
    C = np.ascontiguousarray(flipped(solve(found.prior_cov[1:], moved)[0]))
    conditional = symmetric(updated(filtered, C, model.F, model.Q, moved))
    drive = found.mean[:-1] - apply(C, found.prior[1:], groups)
    mean = recursion(C[::-1], drive[::-1], found.mean[-1], groups)[::-1]
    cov = np.empty_like(found.cov)
    cov[-1] = found.cov[-1]
    results, gains, rest = (A[..., 0] if cov.shape[-1] == 1 else A for A in (cov, C, conditional))
    P = results[-1]
    for t in reversed(range(len(C))):
        results[t] = P = right(left(gains[t], P), gains[t]) + rest[t]
    return Backward(C, conditional, mean, symmetric(cov))
