"""The conditions of a run: what the figures depend on besides the code."""

import ctypes
import importlib.metadata
import os
import platform
import re
import subprocess
from pathlib import Path

INSTRUCTION_SETS = ["sse4_2", "avx", "fma", "avx2", "avx512f", "neon", "asimd", "sve"]


def first_line(*command: str) -> str:
    """The first line that a command prints, or "unknown"."""
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return output.splitlines()[0].strip() if output.strip() else "unknown"


def processor() -> dict[str, str]:
    """Model, number of cores and instruction sets."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*: (.*)$", text, re.MULTILINE)
    present = set(flags.group(1).split()) if flags else set()
    numbers = [
        found.group(1) for name in ["cpu family", "model", "stepping"]
        if (found := re.search(rf"^{name}\s*: (\d+)$", text, re.MULTILINE))
    ]
    name = model.group(1) if model else platform.processor()
    if len(numbers) == 3:
        name += " (family {}, model {}, stepping {})".format(*numbers)
    return {
        "processor": f"{name}, {os.cpu_count()} cores",
        "instruction sets": " ".join(name for name in INSTRUCTION_SETS if name in present),
    }


def governor() -> str:
    """How the clock is governed, where the kernel tells."""
    file = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return file.read_text().strip() if file.exists() else "not readable"


def core_name(library: ctypes.CDLL) -> str | None:
    """The kernels that an OpenBLAS chose, by any of the names that its builds give the function."""
    for prefix in ["", "scipy_"]:
        for suffix in ["", "64_"]:
            try:
                function = getattr(library, f"{prefix}openblas_get_corename{suffix}")
                config = getattr(library, f"{prefix}openblas_get_config{suffix}")
            except AttributeError:
                continue
            function.restype = config.restype = ctypes.c_char_p
            version = re.search(r"OpenBLAS ([\d.]+)", config().decode())
            number = version.group(1) if version else "version unknown"
            return f"{number}, {function().decode()} kernels"
    return None


def openblas() -> dict[str, str]:
    """Fathom's OpenBLAS is the system's; NumPy and SciPy bring their own."""
    import numpy.linalg  # noqa: F401, loads its OpenBLAS
    import scipy.linalg  # noqa: F401

    found = {}
    try:
        found["OpenBLAS of the system (Fathom)"] = core_name(ctypes.CDLL("libopenblas.so.0"))
    except OSError:
        pass
    for line in Path("/proc/self/maps").read_text().splitlines():
        file = line.split()[-1]
        for owner in ["numpy", "scipy"]:
            if "openblas" in file and f"{owner}.libs" in file:
                found[f"OpenBLAS of {owner}"] = core_name(ctypes.CDLL(file))
    return {key: value or "unknown" for key, value in found.items()}


def eigen() -> str:
    """The version of Eigen, from its headers."""
    macros = Path("/usr/include/eigen3/Eigen/src/Core/util/Macros.h")
    if not macros.exists():
        return "not installed"
    parts = re.findall(r"#define EIGEN_(?:WORLD|MAJOR|MINOR)_VERSION (\d+)", macros.read_text())
    return ".".join(parts)


def conditions(requirements: Path, cxx_flags: str) -> dict[str, str]:
    """Everything, as names and values."""
    libraries = []
    for line in requirements.read_text().splitlines():
        name = line.split("==")[0].strip()
        if name and not name.startswith("#"):
            try:
                libraries.append(f"{name} {importlib.metadata.version(name)}")
            except importlib.metadata.PackageNotFoundError:
                libraries.append(f"{name} not installed")
    root = str(requirements.parent)
    commit = first_line("git", "-C", root, "rev-parse", "--short", "HEAD")
    if first_line("git", "-C", root, "status", "--porcelain", "--untracked-files=no") != "unknown":
        commit += " with changes"
    swift = re.sub(r" \(.*", "", first_line(os.environ.get("SWIFT", "swift"), "--version"))
    return {
        **processor(),
        "governor": governor(),
        "kernel": platform.platform(),
        "pinned to": "core " + ", ".join(map(str, sorted(os.sched_getaffinity(0)))),
        "threads": "one per implementation, OpenBLAS included",
        "swift": f"{swift}, -O, baseline instruction set of the target",
        "c++": f"{first_line('g++', '--version')}, {cxx_flags}, baseline instruction set",
        "python": platform.python_version(),
        **openblas(),
        "eigen": eigen(),
        "libraries": ", ".join(libraries),
        "fathom": commit,
    }
