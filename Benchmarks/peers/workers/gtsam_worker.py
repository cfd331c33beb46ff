"""GTSAM: a factor graph of eight ranges per epoch, Levenberg-Marquardt."""

import gtsam

from worker import Workload, serve


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


serve({"trilateration": trilateration})
