"""Declares the functions of fathom.h to cffi, which compiles the module fathom._native.

FATHOM_INCLUDE and FATHOM_LIBRARY name the folders of fathom.h and of libFathomC.so; by default those of
the package's own checkout.
"""

import os
import re
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = Path(os.environ.get("FATHOM_INCLUDE", ROOT / "Sources/CFathom/include"))
LIBRARY = Path(os.environ.get("FATHOM_LIBRARY", ROOT / ".build/release"))


def declarations(header: str) -> str:
    """Returns the declarations of a header in the part of C that cffi reads."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r'extern "C" \{|^\}$', "", text, flags=re.M)
    return re.sub(r"^#(?!define FATHOM_ABI_VERSION).*$", "", text, flags=re.M)


builder = FFI()
builder.cdef(declarations((INCLUDE / "fathom.h").read_text()))
builder.cdef('extern "Python" int32_t fathom_python_progress(double, void *);')
builder.set_source(
    "fathom._native",
    '#include "fathom.h"',
    include_dirs=[str(INCLUDE)],
    library_dirs=[str(LIBRARY)],
    libraries=["FathomC"],
    runtime_library_dirs=[str(LIBRARY)],
)
