"""Distances and positions from ultra-wideband ranges, with their uncertainty.

>>> import fathom
>>> result = fathom.track("Datasets/robot-2d", method="smooth")
>>> frame = result.positions.to_pandas()
"""

from typing import TYPE_CHECKING

from fathom import filters
from fathom._columns import Columns
from fathom._errors import DataError, FathomError, FathomWarning, InputError, UsageError
from fathom.filters import ExtendedKalmanFilter, KalmanFilter, MixtureFilter, UnscentedKalmanFilter

try:
    from fathom._core import version
    from fathom._epochs import locate, smooth
    from fathom._evaluation import Truth, evaluate, geometry, simulate, truth
    from fathom._recording import Recording, read, recording
    from fathom._tracker import Estimate, Tracker
    from fathom._tracking import Result, calibrate, track

    __version__ = version
except ModuleNotFoundError as missing:
    # A source tree whose native module is not compiled has the filters alone.
    if missing.name != "fathom._native":
        raise
    if not TYPE_CHECKING:

        def __getattr__(name: str) -> object:
            if name in __all__ or name == "__version__":
                raise ImportError(f"fathom.{name} needs the native module fathom._native, which is not compiled")
            raise AttributeError(f"module 'fathom' has no attribute {name!r}")


__all__ = [
    "Columns", "DataError", "Estimate", "ExtendedKalmanFilter", "FathomError", "FathomWarning", "InputError",
    "KalmanFilter", "MixtureFilter", "Recording", "Result", "Tracker", "Truth", "UnscentedKalmanFilter", "UsageError",
    "calibrate", "evaluate", "filters", "geometry", "locate", "read", "recording", "simulate", "smooth",
    "track", "truth", "version",
]  # fmt: skip
