import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(os.environ.get("FATHOM_ROOT", Path(__file__).resolve().parents[2]))
REFERENCE = Path(os.environ["FATHOM_REFERENCE"]) if "FATHOM_REFERENCE" in os.environ else None


@pytest.fixture(scope="session")
def datasets() -> Path:
    return ROOT / "Datasets"


@pytest.fixture(scope="session")
def robot(datasets) -> Path:
    return datasets / "robot-2d"


def tool() -> str | None:
    """The command-line tool that results are compared with; None without one."""
    path = Path(os.environ.get("FATHOM_TOOL", ROOT / ".build/release/fathom"))
    return str(path) if path.exists() else None


def run_tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the tool, which may need Swift's libraries in a folder of their own."""
    libraries = os.environ.get("FATHOM_TOOL_LIBRARIES")
    environment = {**os.environ, **({"LD_LIBRARY_PATH": libraries} if libraries else {})}
    return subprocess.run([tool() or "", *arguments], capture_output=True, text=True, env=environment)


def recordings() -> list[Path]:
    """The recordings of Datasets, and those of the reference material if it is there."""
    found = [folder.parent for folder in sorted((ROOT / "Datasets").glob("*/ranges.csv"))]
    if REFERENCE is not None:
        found += [folder.parent for folder in sorted((REFERENCE / "datasets").glob("*/ranges.csv*"))]
    return found


def example(count=200, seed=1):
    """Returns ranges of a tag on a straight path, anchors by name, and true positions."""
    generator = np.random.default_rng(seed)
    places = {"A": (0, 0, 2.4), "B": (8, 0, 2.1), "C": (8, 6, 2.4), "D": (0, 6, 2.1)}
    names = np.array(list(places))[np.arange(count) % 4]
    times = np.arange(count) * 0.05
    position = np.column_stack([2 + 0.2 * times, 2 + 0.1 * times, np.full(count, 1.0)])
    anchor = np.array([places[name] for name in names])
    distance = np.linalg.norm(position - anchor, axis=1) + generator.normal(0, 0.05, count)
    return {"time_s": times, "anchor": names, "distance_m": distance}, places, position
