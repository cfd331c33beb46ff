import os
import subprocess
from pathlib import Path

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
