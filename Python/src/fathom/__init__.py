"""Distances and positions from ultra-wideband ranges, with their uncertainty.

>>> import fathom
>>> result = fathom.track("Datasets/robot-2d", method="smooth")
>>> frame = result.positions.to_pandas()
"""

from fathom import filters
from fathom._bag_writing import write_bag
from fathom._columns import Columns
from fathom._core import version
from fathom._epochs import locate
from fathom._errors import DataError, FathomError, FathomWarning, InputError, UsageError
from fathom._evaluation import Truth, evaluate, geometry, simulate, truth
from fathom._groups import track_each
from fathom._links import smooth
from fathom._recording import Recording, read, recording
from fathom._tracker import Estimate, Tracker
from fathom._tracking import Result, calibrate, track
from fathom.filters import ExtendedKalmanFilter, KalmanFilter, MixtureFilter, UnscentedKalmanFilter

__version__ = version

__all__ = [
    "Columns", "DataError", "Estimate", "ExtendedKalmanFilter", "FathomError", "FathomWarning", "InputError",
    "KalmanFilter", "MixtureFilter", "Recording", "Result", "Tracker", "Truth", "UnscentedKalmanFilter", "UsageError",
    "calibrate", "evaluate", "filters", "geometry", "locate", "read", "recording", "simulate", "smooth",
    "track", "track_each", "truth", "version", "write_bag",
]  # fmt: skip
