"""The installed package needs no Swift toolchain."""

import os
import shutil
from pathlib import Path

import fathom
import pytest

HIDDEN = os.environ.get("FATHOM_HIDDEN")


@pytest.mark.skipif(HIDDEN is None, reason="only for an installed wheel: make test-python")
def test_swift_is_hidden_and_its_runtime_is_the_packages_own():
    assert shutil.which("swift") is None
    package = Path(fathom.__file__).resolve().parent
    fathom.track({"time_s": [0.0, 0.1], "anchor": ["A", "B"], "distance_m": [1.0, 2.0]}, {"A": (0, 0), "B": (3, 0)})
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    ours = {path for path in mapped if "swift" in Path(path).name or "openblas" in Path(path).name.lower()}
    own = [path for path in ours if str(package.parent) in path]
    assert any("libswiftCore" in path for path in own)
    assert any("libopenblas" in path for path in own)
    if HIDDEN:
        assert not [path for path in mapped if path.startswith(HIDDEN)]


def test_types_are_declared():
    assert (Path(fathom.__file__).parent / "py.typed").exists()
