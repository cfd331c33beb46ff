"""The filter of systems that switch between models."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom._errors import UsageError
from fathom.filters import _linear
from fathom.filters._arrays import Array, ArrayLike, Estimates, finite, series
from fathom.filters._kalman import KalmanFilter
from fathom.filters._nonlinear import NonlinearFilter, gaussian


@dataclass(frozen=True)
class MixtureEstimates(Estimates):
    """Results of a mixture for every step of one series.

    :ivar probabilities: the probability of each model after the update of a step (T, N).
    """

    probabilities: Array


class MixtureFilter:
    """Interacting multiple models: filters between which the system switches at random (Blom and Bar-Shalom 1988).

    Before a prediction the states of all filters are mixed by the probabilities of switches. An update weighs each model
    by the likelihood of the measurement. A step costs the steps of the N filters and O(N^2 n^2) for mixing.

    :param filters: at least two filters with states of the same length and meaning and the same measurements. The mixture
        keeps them without a copy: ``predict`` and ``update`` replace their x and P.
    :param transition: probabilities of switches (N, N): from the model of the row to that of the column. Rows sum to 1.
    :param probabilities: initial probabilities of the models (N,), which sum to 1; equal by default.
    :ivar x: the mean of the mixture (n,).
    :ivar P: its covariance (n, n), with the differences between the models.
    :ivar probabilities: the current probabilities of the models (N,).
    :ivar log_likelihood: the log density of the last measurement; 0 if it is missing.
    """

    def __init__(
        self,
        filters: Sequence[KalmanFilter | NonlinearFilter],
        transition: ArrayLike,
        probabilities: ArrayLike | None = None,
    ):
        self.filters = list(filters)
        count = len(self.filters)
        if count < 2:
            raise UsageError(f"a mixture needs at least two filters, not {count}")
        sizes = [(one.n, one.m) for one in self.filters]
        if len(set(sizes)) > 1:
            raise UsageError(f"the filters must have the same lengths (n, m) of state and measurement, not {sizes}")
        if any(one.x0.ndim > 1 or one.P0.ndim > 2 for one in self.filters):
            raise UsageError("the filters of a mixture need x0 and P0 of one series")
        self.transition = finite(transition, "transition")
        if self.transition.shape != (count, count) or not _are_probabilities(self.transition):
            raise UsageError(
                f"transition must have the shape ({count}, {count}) with rows of probabilities that sum to 1,"
                f" not {self.transition.tolist()}"
            )
        self.probabilities = np.full(count, 1 / count) if probabilities is None else finite(probabilities, "probabilities")
        if self.probabilities.shape != (count,) or not _are_probabilities(self.probabilities):
            raise UsageError(f"probabilities must be {count} values that sum to 1, not {self.probabilities.tolist()}")
        self._initial = self.probabilities
        self.log_likelihood = 0.0

    @property
    def x(self) -> Array:
        """The mean of the mixture (n,)."""
        return self._mixed(self.probabilities)[0]

    @property
    def P(self) -> Array:
        """The covariance of the mixture (n, n)."""
        return self._mixed(self.probabilities)[1]

    def _mixed(self, weights: Array) -> tuple[Array, Array]:
        """Returns the mean and the covariance of the states of all filters with weights (N,)."""
        return _moments([one.x for one in self.filters], [one.P for one in self.filters], weights)

    def reset(self) -> None:
        """Sets the filters and the probabilities to their initial values."""
        self.probabilities = self._initial
        for one in self.filters:
            one.reset()

    def predict(self, *args: Any) -> None:
        """Mixes the states and predicts those of the next step.

        :param args: arguments of ``predict`` of all filters.
        """
        joint = self.transition * self.probabilities[:, None]
        following = joint.sum(axis=0)
        # A model that cannot be reached keeps its state.
        weights = np.where(following > 0, joint / np.where(following > 0, following, 1), np.eye(len(following)))
        mixed = [self._mixed(column) for column in weights.T]
        for one, (x, P) in zip(self.filters, mixed):
            one.__dict__["x"], one.__dict__["P"] = x, P
            one.predict(*args)
        self.probabilities = following

    def update(self, z: ArrayLike | None, *args: Any) -> None:
        """Updates the states and the probabilities with a measurement.

        :param z: measurement (m,), or a number if m = 1; None or NaN is missing.
        :param args: further arguments of ``update`` of all filters.
        """
        for one in self.filters:
            one.update(z, *args)
        if np.isnan(self.filters[0].y).all():
            self.log_likelihood = 0.0
            return
        with np.errstate(divide="ignore"):
            joint = np.log(self.probabilities) + [one.log_likelihood for one in self.filters]
        # Likelihoods far below the smallest number still have a ratio.
        weights = np.exp(joint - joint.max())
        self.probabilities = weights / weights.sum()
        self.log_likelihood = float(joint.max() + np.log(weights.sum()))

    def filter(self, z: ArrayLike, *, update_first: bool = True) -> MixtureEstimates:
        """Returns the estimates of every step of one series from the measurements up to it.

        Starts from the initial states and probabilities, and leaves those of the mixture unchanged.

        :param z: measurements (T, m), or (T,) if m = 1; NaN is missing.
        :param update_first: whether the initial states are the prior of the first measurement; see ``KalmanFilter``.
        """
        values, layout = series(z, self.filters[0].m, bank=False)
        run = copy.copy(self)
        run.filters = [copy.copy(one) for one in self.filters]
        run.reset()
        states, priors, observed, weights, total = [], [], [], [], 0.0
        for t, value in enumerate(values[..., 0]):
            if not update_first or t > 0:
                run.predict()
            priors.append(run._mixed(run.probabilities))
            run.update(value)
            states.append(run._mixed(run.probabilities))
            expected = [one._expect((one.x, one.P), ()) for one in run.filters]
            observed.append(_moments([a for a, _ in expected], [b for _, b in expected], run.probabilities))
            weights.append(run.probabilities)
            total += run.log_likelihood
        seen = gaussian(observed, layout.flat)
        return MixtureEstimates(gaussian(states), seen, gaussian(priors), total, np.array(weights))


def _are_probabilities(values: Array) -> bool:
    return bool((values >= 0).all() and (np.abs(values.sum(axis=-1) - 1) < 1e-9).all())


def _moments(means: Sequence[Array], covariances: Sequence[Array], weights: Array) -> tuple[Array, Array]:
    """Returns the mean and the covariance of a mixture."""
    stacked = np.array(means)
    mean = weights @ stacked
    away = stacked - mean
    spread = np.einsum("k,kij->ij", weights, np.array(covariances)) + (away.T * weights) @ away
    return mean, _linear.symmetric(spread)
