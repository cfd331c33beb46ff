from typing import Any

# cffi compiles the module; its functions and types are those of fathom.h.
ffi: Any
lib: Any
