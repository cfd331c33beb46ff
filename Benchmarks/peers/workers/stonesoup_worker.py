"""Stone Soup: extended Kalman predictor and updater with a range model."""

from datetime import datetime, timedelta

import numpy as np
from stonesoup.base import Property
from stonesoup.models.measurement.nonlinear import NonLinearGaussianMeasurement
from stonesoup.models.transition.linear import (CombinedLinearGaussianTransitionModel,
                                                ConstantVelocity)
from stonesoup.predictor.kalman import KalmanPredictor
from stonesoup.types.array import StateVector
from stonesoup.types.detection import Detection
from stonesoup.types.hypothesis import SingleHypothesis
from stonesoup.types.prediction import GaussianStatePrediction
from stonesoup.types.state import GaussianState
from stonesoup.updater.kalman import ExtendedKalmanUpdater

from worker import POWER, SPACE_COVARIANCE, SPACE_MEAN, STEP, VARIANCE, Workload, serve

# Stone Soup's states are position and velocity of one axis after the other.
ORDER = [0, 3, 1, 4, 2, 5]
POSITIONS = [0, 2, 4]


class Range(NonLinearGaussianMeasurement):
    """The distance to an anchor."""

    anchor: StateVector = Property(doc="Where the anchor is, metres.")

    @property
    def ndim_meas(self):
        return 1

    def function(self, state, noise=False, **kwargs):
        offset = state.state_vector[self.mapping, :] - self.anchor
        return StateVector([np.sqrt(np.sum(offset**2))])

    def jacobian(self, state, **kwargs):
        offset = np.asarray(state.state_vector[self.mapping, :] - self.anchor, dtype=float)
        row = np.zeros((1, 6))
        row[0, POSITIONS] = offset[:, 0] / np.linalg.norm(offset)
        return row


def ekf6(work: Workload, items: int):
    predictor = KalmanPredictor(
        CombinedLinearGaussianTransitionModel([ConstantVelocity(POWER) for _ in range(3)]))
    updater = ExtendedKalmanUpdater(None)
    models = [
        Range(ndim_state=6, mapping=POSITIONS, noise_covar=np.array([[VARIANCE]]),
              anchor=StateVector(anchor))
        for anchor in work.anchors
    ]

    def run():
        time = datetime(2000, 1, 1)
        state = GaussianState(SPACE_MEAN[ORDER], SPACE_COVARIANCE[np.ix_(ORDER, ORDER)], time)
        result = np.empty((items // 8, 6))
        for epoch in range(items // 8):
            time += timedelta(seconds=STEP)
            prediction = predictor.predict(state, timestamp=time)
            for model, measured in zip(models, work.ranges[epoch]):
                detection = Detection([measured], timestamp=time, measurement_model=model)
                state = updater.update(SingleHypothesis(prediction, detection))
                prediction = GaussianStatePrediction(
                    state.state_vector, state.covar, timestamp=time)
            result[epoch, ORDER] = np.asarray(state.state_vector, dtype=float)[:, 0]
        return result

    return run


serve({"ekf6": ekf6})
