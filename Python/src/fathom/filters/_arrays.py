"""Arguments of the filters as arrays of checked shapes, and their results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fathom._arrays import floats
from fathom._errors import UsageError

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
ArrayLike = npt.ArrayLike


@dataclass(frozen=True)
class Gaussian:
    """Normal distributions: ``mean`` and ``cov``.

    A ``cov`` that several series share is a read-only view, which repeats one array without a copy.
    """

    mean: Array
    cov: Array


@dataclass(frozen=True)
class Estimates:
    """Results for every step of one series of T values, or of a bank of K series.

    :ivar states: distributions of the state: mean (T, n) or (K, T, n), cov (T, n, n) or (K, T, n, n).
    :ivar observations: distributions of a measurement with noise R of these states. The mean has the shape of z.
        The covariance has one more axis of length m if z has an axis of components, otherwise the shape of z.
    :ivar priors: the states before the update of their step, in the shapes of ``states``. After ``forecast`` they
        are ``states``.
    :ivar log_likelihood: the logarithm of the probability density of all present values: a number, or (K,).
    """

    states: Gaussian
    observations: Gaussian
    priors: Gaussian
    log_likelihood: float | Array


def finite(value: ArrayLike, name: str) -> Array:
    """Returns a copy of a value as an array; refuses values that are not finite."""
    # floats makes an axis for a number.
    array: Array = np.array(floats(value, name)).reshape(np.shape(value))
    if not np.isfinite(array).all():
        raise UsageError(f"{name} has values that are not finite")
    return array


def vector(value: ArrayLike, name: str, size: int, bank: bool = False) -> Array:
    """Returns a vector (size,), or one of each series (K, size) if ``bank``; a column (size, 1) is a vector."""
    array = finite(value, name)
    if array.shape == (size, 1) and size > 1:
        array = array[:, 0]
    array = array.reshape(1) if array.ndim == 0 else array
    if not 1 <= array.ndim <= 1 + bank or array.shape[-1] != size or array.size == 0:
        raise UsageError(f"{name} must have the shape ({size},){f' or (K, {size})' if bank else ''}, not {array.shape}")
    return array


def matrix(value: ArrayLike, name: str, rows: int, columns: int, most: int = 4) -> Array:
    """Returns a matrix, one for each step, or one for each series and step.

    A number is that number times the identity matrix. A vector is a matrix of one row.
    """
    array = finite(value, name)
    if array.ndim == 0 and rows == columns:
        array = array * np.eye(rows)
    if array.ndim == 1 and rows == 1:
        array = array[None]
    if not 2 <= array.ndim <= most or array.shape[-2:] != (rows, columns) or array.size == 0:
        axes = ("", "K, ") if name == "P0" else ("", "T, ", "K, T, ")
        shapes = [f"({before}{rows}, {columns})" for before in axes[: most - 1]]
        raise UsageError(f"{name} must have the shape {' or '.join(shapes)}, not {array.shape}")
    return array


def covariance(value: ArrayLike, name: str, size: int, most: int = 4) -> Array:
    """Returns a matrix that is symmetric and positive semi-definite, with the same choices of shape as ``matrix``."""
    array = matrix(value, name, size, size, most)
    scale = np.abs(array).max(axis=(-2, -1))
    if (np.abs(array - array.swapaxes(-1, -2)).max(axis=(-2, -1)) > 1e-9 * scale).any():
        raise UsageError(f"{name} is not symmetric")
    array = 0.5 * (array + array.swapaxes(-1, -2))
    least = np.linalg.eigvalsh(array)[..., 0]
    # Rounding leaves negative eigenvalues of about 1e-16 of the largest value.
    if (least < -1e-9 * scale).any():
        raise UsageError(f"{name} is not positive semi-definite: its smallest eigenvalue is {least.min():g}")
    return array


@dataclass(frozen=True)
class Layout:
    """The axes of the caller's z: whether it is one series, and whether it lacks the axis of components."""

    single: bool
    flat: bool

    def outer(self, values: Array) -> Array:
        """Returns values (T, ..., K) in the order of the caller: (K, T, ...), or (T, ...) of one series."""
        return values[..., 0] if self.single else np.moveaxis(values, -1, 0)

    def observed(self, mean: Array, cov: Array) -> Gaussian:
        """Returns observations, mean (T, m, K) and cov (T, m, m, K), with the axes of z."""
        mean, cov = self.outer(mean), self.outer(cov)
        return Gaussian(mean[..., 0], cov[..., 0, 0]) if self.flat else Gaussian(mean, cov)


def series(z: ArrayLike, size: int, bank: bool = True) -> tuple[Array, Layout]:
    """Returns measurements as (T, m, K), and the axes they came with.

    :param size: m, the number of components.
    :param bank: whether several series are possible.
    """
    array: Array = floats(z, "z")
    if size == 1 and array.ndim == 2 and array.shape[1] == 1 and bank and len(array) > 1:
        raise UsageError(
            f"z of shape {array.shape} is ambiguous: pass z[:, 0] for one series, or z[:, :, None] for"
            f" {len(array)} series of one value"
        )
    # With one component a table has a series in each row; without banks its rows are steps.
    flat = array.ndim == 1 or (array.ndim == 2 and size == 1 and bank)
    axes = array[..., None] if flat else array
    single = axes.ndim == 2
    axes = axes[None] if single else axes
    if axes.ndim != 3 or axes.shape[2] != size or axes.size == 0 or (not bank and not single):
        one = f"(T, {size})" if size > 1 or not bank else "(T,)"
        many = (f" or (K, T, {size})" if size > 1 else " or (K, T)") if bank else ""
        raise UsageError(f"z must have the shape {one}{many} with at least one value, not {array.shape}")
    if np.isinf(axes).any():
        raise UsageError("z has infinite values; NaN marks missing ones")
    return np.ascontiguousarray(np.moveaxis(axes, 0, -1)), Layout(single, flat)
