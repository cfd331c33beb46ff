"""What is compared: the tasks, and who does them."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """One implementation of a task."""

    label: str
    worker: str  # a key of driver.WORKERS
    method: str  # what the worker calls the task
    items: int  # how many items per round; fewer for slow ones
    note: str = ""
    is_same_estimator: bool = True  # else its results are not compared
    less_likely: float = 0.01  # the share of its positions that may be less likely than the reference's


@dataclass(frozen=True)
class Task:
    """One piece of work; the first entry is the reference, the second Fathom's."""

    name: str
    title: str
    item: str
    description: str
    columns: int
    tolerance: float
    entries: list[Entry] = field(default_factory=list)
    truth: str = ""  # the file of the true values of its first three columns
    loss: str = ""  # "squared" or "cauchy" where results are positions: the likelier of two is right


FILTERPY_RANGES = 50_000
ROBUST = "another, robust estimator"


def tasks(rows: int, ranges: int) -> list[Task]:
    """All tasks, with the number of rows in the CSV file and of ranges in the processed recording."""
    few = min(ranges, FILTERPY_RANGES)
    return [
        Task(
            "trilateration", "Position from eight ranges", "epoch",
            "Eight anchors in the corners of a hall of 20 x 15 x 3 m. The noise is 0.10 m, and 5 % of "
            "the ranges are too long (exponential, mean 0.8 m). Each implementation computes the "
            "maximum-likelihood position in space to 1e-6 m; the others start at the centroid of the "
            "anchors. Fathom chooses its own starts, searches for other solutions, and returns "
            "covariance, dilution of precision and residuals with the position.",
            3, 2e-4,
            [
                Entry("C++ by hand, Gauss-Newton", "floor", "trilateration", 100_000),
                Entry("Fathom, `Trilateration.solve`", "fathom", "trilateration", 10_000),
                Entry("Eigen, Gauss-Newton, LDLT", "eigen", "trilateration-ldlt", 50_000),
                Entry("Eigen, Gauss-Newton, pivoted QR", "eigen", "trilateration-qr", 50_000),
                Entry("NumPy, Gauss-Newton, all epochs at once", "numpy", "trilateration", 20_000),
                Entry("SciPy, `lm`, analytic Jacobian", "scipy", "lm", 500),
                Entry("SciPy, `trf`, analytic Jacobian", "scipy", "trf", 200),
                Entry("SciPy, `trf`, default Jacobian", "scipy", "trf-default", 100),
                Entry("GTSAM, `RangeFactor3`, Levenberg-Marquardt, from Python", "gtsam",
                      "trilateration", 500),
            ], "truth", "squared"),
        Task(
            "robust", "Robust position from eight ranges", "epoch",
            "The same epochs with the Cauchy loss at 2.385 standard deviations of 0.10 m, the default of "
            "Fathom. Eigen runs Levenberg-Marquardt from one start, with an analytic Jacobian and new "
            "weights at every step, to a step of 1e-6 m. Fathom compares both minima, searches for "
            "outliers if ranges contradict each other, and returns covariance, dilution of precision and "
            "the weight of each range.",
            3, 2e-4,
            [
                Entry("Eigen, Levenberg-Marquardt, from the linear solution", "robust",
                      "from-linear", 50_000),
                Entry("Fathom, `Trilateration.solve`", "fathom", "robust", 20_000),
                Entry("Eigen, Levenberg-Marquardt, from the centroid of the anchors", "robust",
                      "from-mean", 50_000, less_likely=0.05),
                Entry("SciPy, `trf`, loss `cauchy`, analytic Jacobian", "scipy", "trf-cauchy", 200,
                      less_likely=0.2),
            ], "truth", "cauchy"),
        Task(
            "robust-clean", "Robust position from eight ranges without outliers", "epoch",
            "As above, with a noise of 0.10 m only.",
            3, 2e-4,
            [
                Entry("Eigen, Levenberg-Marquardt, from the linear solution", "robust",
                      "clean-from-linear", 50_000),
                Entry("Fathom, `Trilateration.solve`", "fathom", "robust-clean", 50_000),
                Entry("Eigen, Levenberg-Marquardt, from the centroid of the anchors", "robust",
                      "clean-from-mean", 50_000),
            ], "truth", "cauchy"),
        Task(
            "robust-batch", "Robust position from eight ranges, all epochs in one call", "epoch",
            "The epochs with outliers and the Cauchy loss. The reference runs re-weighted Gauss-Newton "
            "steps of eight epochs side by side, from the centroid of the anchors. Fathom solves every "
            "epoch as `Trilateration.solve` does, and returns covariance, verdict and other positions.",
            3, 2e-4,
            [
                Entry("C++ vectors of eight, Gauss-Newton", "vectors", "cauchy", 100_000),
                Entry("Fathom, `LikelihoodBatch`, Cauchy loss", "fathom",
                      "likelihood-batch-cauchy", 100_000),
                Entry("Eigen, Levenberg-Marquardt, from the linear solution", "robust",
                      "from-linear", 50_000),
            ], "truth", "cauchy"),
        Task(
            "trilateration-batch", "Position from eight ranges, all epochs in one call", "epoch",
            "The same epochs by least squares. The reference works on eight epochs side by side, from the "
            "centroid of the anchors, in vectors of eight numbers (GCC's extensions; on the baseline of "
            "x86-64 four SSE2 operations each); a second row uses arrays that the compiler vectorises. "
            "Fathom solves every epoch as `Trilateration.solve` does, and returns covariance, verdict "
            "and other positions as well. It reads and writes columns; the conversion from rows is not "
            "measured.",
            3, 2e-4,
            [
                Entry("C++ vectors of eight, Gauss-Newton", "vectors", "squared", 200_000),
                Entry("Fathom, `LikelihoodBatch`, squared loss", "fathom", "likelihood-batch",
                      200_000),
                Entry("C++ arrays of eight, Gauss-Newton", "floor", "trilateration-side-by-side",
                      200_000),
                Entry("Eigen, Gauss-Newton, LDLT, epoch by epoch", "eigen", "trilateration-ldlt",
                      50_000),
                Entry("NumPy, Gauss-Newton, all epochs at once", "numpy", "trilateration", 20_000),
            ], "truth", "squared"),
        Task(
            "linear", "Linear position from eight ranges, epoch by epoch", "epoch",
            "Seven unweighted equations: differences of squared ranges against the first anchor. All rows "
            "factorise the matrix in every epoch, except the one with a precomputed pseudo-inverse. "
            "`leastSquares` adds a condition number, refinement and residuals.",
            3, 1e-6,
            [
                Entry("C, `LAPACKE_dgels`", "lapack", "dgels", 50_000),
                Entry("Fathom, `leastSquares`, dgels", "fathom", "linear-qr", 50_000),
                Entry("Fathom, `leastSquares`, dgelsy", "fathom", "linear-pivoted-qr", 50_000),
                Entry("C, `LAPACKE_dgels_work`, work space reused", "lapack", "dgels-work", 50_000),
                Entry("C, `LAPACKE_dgelsy`", "lapack", "dgelsy", 50_000),
                Entry("C++ by hand, precomputed pseudo-inverse", "floor", "linear", 200_000),
                Entry("Fathom, `Trilateration.linearLeastSquares`", "fathom", "linear-weighted",
                      5_000, "weighted: another, better estimator", False),
                Entry("Eigen, pivoted QR", "eigen", "linear", 100_000),
                Entry("NumPy, `lstsq`", "numpy", "linear-lstsq", 10_000),
            ], "truth"),
        Task(
            "linear-batch", "Linear position from eight ranges, all epochs in one call", "epoch",
            "As above, with one factorisation of the matrix. `LinearBatch` reads and writes columns; the "
            "conversion from rows is not measured.",
            3, 1e-6,
            [
                Entry("C++ by hand, pseudo-inverse", "floor", "linear", 200_000),
                Entry("Fathom, `LinearBatch`", "fathom", "linear-batch", 200_000,
                      "mean of the squares subtracted: another, better estimator", False),
                Entry("Fathom, `leastSquares`, dgels", "fathom", "linear-qr-batch", 100_000),
                Entry("NumPy, `lstsq`", "numpy", "linear-lstsq-one-call", 100_000),
                Entry("NumPy, `pinv`", "numpy", "linear-pinv", 200_000),
            ], "truth"),
        Task(
            "kf2", "Kalman filter, position and velocity", "update and prediction",
            "One series with a scalar measurement of the position and a constant time step.",
            2, 1e-6,
            [
                Entry("C++ by hand", "floor", "kf2", 1_000_000),
                Entry("Fathom, `KalmanFilter<2, 1>`", "fathom", "kf2", 1_000_000),
                Entry("Eigen, fixed-size matrices", "eigen", "kf2", 1_000_000),
                Entry("statsmodels, Cython", "statsmodels", "kf2", 200_000),
                Entry("fast-kalman, `update_many`, C++ and nanobind", "fastkalman", "kf2", 1_000_000,
                      "returns the last state only", False),
                Entry("kalman-py, `filter`", "kalmanpy", "kf2", 10_000),
                Entry("kalbee", "kalbee", "kf2", 10_000),
                Entry("FilterPy", "filterpy", "kf2", 10_000),
                Entry("simdkalman, one series", "simdkalman", "kf2", 5_000),
            ]),
        Task(
            "ekf6", "Extended Kalman filter, position and velocity in space", "range",
            "One range per update, one prediction per eight updates. The update of Fathom uses the Joseph "
            "form if the short form is numerically unsafe, and returns the innovation.",
            6, 1e-6,
            [
                Entry("C++ by hand, symmetric", "floor", "ekf6", 400_000),
                Entry("Fathom, `Gaussian.condition` with `RangeModel`", "fathom", "ekf6",
                      200_000),
                Entry("Fathom, `Tracker`", "fathom", "tracker", 100_000,
                      "start and weights for outliers: another, robust estimator", False),
                Entry("Eigen, fixed-size matrices", "eigen", "ekf6", 400_000),
                Entry("NumPy", "numpy", "ekf6", 8_000),
                Entry("FilterPy", "filterpy", "ekf6", 4_000),
                Entry("Stone Soup", "stonesoup", "ekf6", 400),
            ], "truth"),
        Task(
            "smoother", "The track over a whole recording", "range",
            "The ranges of the extended filter, ten epochs of eight ranges a second; the result is the "
            "position at every epoch. Eigen and FilterPy run the extended filter forwards and the "
            "Rauch-Tung-Striebel smoother backwards, once, with Gaussian errors and the noise of the "
            "simulation. GTSAM optimises all positions and velocities in one factor graph, with Gaussian "
            "errors or with the Cauchy loss at 2.385 standard deviations. Fathom estimates the start, the weights of outliers, the mode of motion, bias, "
            "scale and offsets, and returns a verdict on every range; nothing is calibrated beforehand.",
            3, 1e-6,
            [
                Entry("Eigen, fixed-size matrices", "eigen", "smoother", 200_000),
                Entry("Fathom, `TrackSmoother`", "fathom", "smoother", 1_000_000, ROBUST, False),
                Entry("Fathom, a tenth of the ranges", "fathom", "smoother", 100_000, ROBUST, False),
                Entry("Fathom, a hundredth", "fathom", "smoother", 10_000, ROBUST, False),
                Entry("FilterPy", "filterpy", "smoother", 4_000, "a shorter recording", False),
                Entry("GTSAM, one graph, Levenberg-Marquardt, motion from Python", "gtsam", "smoother",
                      4_000, "a shorter recording", False),
                Entry("GTSAM, one graph, Cauchy loss", "gtsam", "smoother-cauchy", 4_000,
                      "a shorter recording; robust", False),
            ], "truth"),
        Task(
            "smoother-apart", "The track if every range has its own time stamp", "range",
            "One range every 12.5 ms: four times as many states of the track.",
            3, 1e-6,
            [
                Entry("Eigen, fixed-size matrices", "eigen", "smoother-apart", 200_000),
                Entry("Fathom, `TrackSmoother`", "fathom", "smoother-apart", 1_000_000, ROBUST, False),
                Entry("Fathom, a tenth of the ranges", "fathom", "smoother-apart", 100_000, ROBUST,
                      False),
                Entry("Fathom, a hundredth", "fathom", "smoother-apart", 10_000, ROBUST, False),
            ], "walk-truth"),
        Task(
            "bank", "1024 Kalman filters side by side", "update and prediction",
            "The filter of position and velocity over 1024 series of 1000 steps.",
            2, 1e-6,
            [
                Entry("C++ by hand, structure of arrays", "floor", "bank", 1_024_000),
                Entry("Fathom, `KalmanFilterBank`", "fathom", "bank-lanes", 1_024_000),
                Entry("Fathom, array of `KalmanFilter<2, 1>`", "fathom", "bank", 1_024_000),
                Entry("NumPy", "numpy", "bank", 1_024_000),
                Entry("simdkalman", "simdkalman", "bank", 1_024_000),
            ]),
        Task(
            "csv", "Rows of a CSV file into columns", "row",
            f"{rows:} rows of time_s,tag,anchor,distance_m, from the page cache. Fathom checks "
            "every row, numbers tags and anchors, and keeps the line of each range. The sums that "
            "compare the results are not timed for any reader.",
            5, 1e-9,
            [
                Entry("C++ by hand, mapped file", "floor", "csv", rows),
                Entry("Fathom, `RecordingReader`", "fathom", "csv", rows),
                Entry("Fathom, two threads on two cores, wall-clock time", "fathom-wide",
                      "csv-two-wall", rows),
                Entry("pandas, C engine", "pandas", "pandas-c", rows),
                Entry("pandas, pyarrow engine", "pandas", "pandas-pyarrow", rows),
                Entry("polars", "polars", "polars", rows),
                Entry("pyarrow", "pyarrow", "pyarrow", rows),
                Entry("pyarrow, names as dictionaries", "pyarrow", "pyarrow-dictionary", rows),
                Entry("DuckDB, to NumPy columns", "duckdb", "duckdb", rows),
            ]),
        Task(
            "process", "A recording from its file to its results", "range",
            f"{ranges} ranges of four tags to eight anchors, each with its own time stamp. Every range "
            "gives a row of positions and a row of distances, written to files. The time is that of the "
            "whole process. The reference has the same filter with two modes of motion and Student's t, "
            "checks every row, reports the same about links, and writes the same columns with checksums. "
            "It has no calibration and no start, and reads the file once (its source lists what it leaves "
            "out). pandas and FilterPy have one mode, Gaussian errors, and only an exponential mean of "
            "links; the start of Python and its imports are not timed.",
            3, 0,
            [
                Entry("C++ by hand", "process", "floor", ranges),
                Entry("Fathom, `process --method filter --jobs 1`", "process", "fathom", ranges),
                Entry("Fathom, `--jobs 2` on two cores, wall-clock time", "process-wide",
                      "fathom-two-wall", ranges),
                Entry("pandas and FilterPy", "process", "filterpy", few),
            ]),
    ]
