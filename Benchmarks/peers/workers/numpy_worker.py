"""NumPy by hand: the tasks as array expressions."""

import numpy as np

from worker import (SPACE_COVARIANCE, SPACE_MEAN, STEP, VARIANCE, Workload, acceleration_noise,
                    serve, space_model)


def trilateration_batched(work: Workload, items: int):
    ranges = work.ranges[:items]

    def run():
        position = np.repeat(work.anchors.mean(axis=0)[None], items, axis=0)
        active = np.arange(items)
        for _ in range(50):
            offset = position[active, None, :] - work.anchors
            distance = np.linalg.norm(offset, axis=2)
            jacobian = offset / distance[:, :, None]
            residual = ranges[active] - distance
            information = np.einsum("eia,eib->eab", jacobian, jacobian)
            gradient = np.einsum("eia,ei->ea", jacobian, residual)
            step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
            position[active] += step
            active = active[np.sum(step**2, axis=1) >= 1e-12]
            if not len(active):
                break
        return position

    return run


def linear_lstsq(work: Workload, items: int):
    matrix, offset = work.differences()

    def run():
        result = np.empty((items, 3))
        for epoch in range(items):
            ranges = work.ranges[epoch]
            side = offset - ranges[1:] ** 2 + ranges[0] ** 2
            result[epoch] = np.linalg.lstsq(matrix, side, rcond=None)[0]
        return result

    return run


def linear_lstsq_one_call(work: Workload, items: int):
    matrix, offset = work.differences()

    def run():
        squares = work.ranges[:items] ** 2
        sides = offset - squares[:, 1:] + squares[:, :1]
        return np.linalg.lstsq(matrix, sides.T, rcond=None)[0].T

    return run


def linear_pinv(work: Workload, items: int):
    matrix, offset = work.differences()

    def run():
        squares = work.ranges[:items] ** 2
        sides = offset - squares[:, 1:] + squares[:, :1]
        return sides @ np.linalg.pinv(matrix).T

    return run


def ekf6(work: Workload, items: int):
    transition, noise = space_model()

    def run():
        mean, covariance = SPACE_MEAN.copy(), SPACE_COVARIANCE.copy()
        result = np.empty((items // 8, 6))
        row = np.zeros(6)
        for epoch in range(items // 8):
            mean = transition @ mean
            covariance = transition @ covariance @ transition.T + noise
            covariance = 0.5 * (covariance + covariance.T)
            for anchor, measured in zip(work.anchors, work.ranges[epoch]):
                offset = mean[:3] - anchor
                distance = np.sqrt(offset @ offset)
                row[:3] = offset / distance
                cross = covariance @ row
                gain = cross / (row @ cross + VARIANCE)
                mean = mean + gain * (measured - distance)
                covariance = covariance - np.outer(gain, cross)
            result[epoch] = mean
        return result

    return run


def bank(work: Workload, items: int):
    noise = acceleration_noise()

    def run():
        series = work.bank[: items // 1024]
        m1, m2 = np.zeros(1024), np.zeros(1024)
        p11, p12, p22 = np.full(1024, 100.0), np.zeros(1024), np.full(1024, 10.0)
        for index, measured in enumerate(series):
            if index:
                m1 = m1 + STEP * m2
                p11 = p11 + STEP * (2 * p12 + STEP * p22) + noise[0, 0]
                p12 = p12 + STEP * p22 + noise[0, 1]
                p22 = p22 + noise[1, 1]
            inverse = 1 / (p11 + VARIANCE)
            k1, k2 = p11 * inverse, p12 * inverse
            residual = measured - m1
            m1, m2 = m1 + k1 * residual, m2 + k2 * residual
            p11, p12, p22 = p11 - k1 * p11, p12 - k1 * p12, p22 - k2 * p12
        return np.column_stack([m1, m2])

    return run


serve({
    "trilateration": trilateration_batched,
    "linear-lstsq": linear_lstsq,
    "linear-lstsq-one-call": linear_lstsq_one_call,
    "linear-pinv": linear_pinv,
    "ekf6": ekf6,
    "bank": bank,
})
