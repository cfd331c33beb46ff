"""GTSAM: factor graphs of ranges, of an epoch and of a whole track; Levenberg-Marquardt."""

import gtsam
import numpy as np
from gtsam.symbol_shorthand import A, V, X

from worker import SPACE_COVARIANCE, SPACE_MEAN, STEP, Workload, serve, space_model


def trilateration(work: Workload, items: int):
    noise = gtsam.noiseModel.Isotropic.Sigma(1, 0.10)
    start = work.anchors.mean(axis=0)
    parameters = gtsam.LevenbergMarquardtParams()
    parameters.setRelativeErrorTol(1e-12)
    parameters.setAbsoluteErrorTol(1e-12)

    def run():
        result = []
        for ranges in work.ranges[:items]:
            graph = gtsam.NonlinearFactorGraph()
            values = gtsam.Values()
            values.insert(0, start)
            for index, (anchor, measured) in enumerate(zip(work.anchors, ranges), start=1):
                values.insert(index, anchor)
                graph.add(gtsam.NonlinearEqualityPoint3(index, anchor))
                graph.add(gtsam.RangeFactor3(0, index, measured, noise))
            optimizer = gtsam.LevenbergMarquardtOptimizer(graph, values, parameters)
            result.append(optimizer.optimize().atPoint3(0))
        return result

    return run


def motion_error(factor, values, jacobians):
    """Position and velocity a step later, less those predicted."""
    place, speed, next_place, next_speed = (values.atPoint3(key) for key in factor.keys())
    if jacobians is not None:
        one, zero = np.eye(3), np.zeros((3, 3))
        for index, (top, bottom) in enumerate(
                [(-one, zero), (-STEP * one, -one), (one, zero), (zero, one)]):
            jacobians[index] = np.vstack([top, bottom])
    return np.concatenate([next_place - place - STEP * speed, next_speed - speed])


def track(work: Workload, items: int, is_robust: bool):
    """All positions and velocities of the track as one graph: a smoother over the whole recording."""
    transition, process_noise = space_model()
    before_first = transition @ SPACE_COVARIANCE @ transition.T + process_noise
    motion = gtsam.noiseModel.Gaussian.Covariance(process_noise)
    noise = gtsam.noiseModel.Isotropic.Sigma(1, 0.10)
    if is_robust:
        noise = gtsam.noiseModel.Robust.Create(
            gtsam.noiseModel.mEstimator.Cauchy.Create(2.385), noise)
    epochs = items // 8

    def run():
        graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
        for index, anchor in enumerate(work.anchors):
            values.insert(A(index), anchor)
            graph.add(gtsam.NonlinearEqualityPoint3(A(index), anchor))
        for key, mean, part in [(X(0), SPACE_MEAN[:3], before_first[:3, :3]),
                                (V(0), SPACE_MEAN[3:], before_first[3:, 3:])]:
            graph.add(gtsam.PriorFactorPoint3(key, mean, gtsam.noiseModel.Gaussian.Covariance(part)))
        for epoch in range(epochs):
            values.insert(X(epoch), SPACE_MEAN[:3])
            values.insert(V(epoch), SPACE_MEAN[3:])
            for index, measured in enumerate(work.ranges[epoch]):
                graph.add(gtsam.RangeFactor3(X(epoch), A(index), measured, noise))
            if epoch > 0:
                keys = [X(epoch - 1), V(epoch - 1), X(epoch), V(epoch)]
                graph.add(gtsam.CustomFactor(motion, keys, motion_error))
        result = gtsam.LevenbergMarquardtOptimizer(graph, values).optimize()
        return [result.atPoint3(X(epoch)) for epoch in range(epochs)]

    return run


serve({
    "trilateration": trilateration,
    "smoother": lambda work, items: track(work, items, is_robust=False),
    "smoother-cauchy": lambda work, items: track(work, items, is_robust=True),
})
