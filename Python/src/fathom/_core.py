"""Calls of the library: errors, texts, columns, progress and interrupts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from fathom._errors import RENAMED, DataError, check_settings, error
from fathom._native import ffi as ffi, lib as lib
from fathom._progress import Bar, Progress as Progress

if lib.fathom_abi_version() != lib.FATHOM_ABI_VERSION:
    raise ImportError("libFathomC has another version of the interface than this package")

#: The version of Fathom.
version: str = ffi.string(lib.fathom_version()).decode()


def check(status: int) -> None:
    """Raises the last error of this thread if ``status`` is not 0."""
    if status:
        raise error(status, ffi.string(lib.fathom_last_error()).decode())


class Owner:
    """An owner of memory of the library, which another process does not have."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled: it is memory of the library;"
            " pickle the path or the table that it is made of, or a Result or Columns"
        )


class _Run:
    """A call in progress: what its callback reports to, and whether it is to end."""

    def __init__(self, progress: Callable[[float], Any] | None):
        self.progress = progress
        self.is_cancelled = False
        self.error: BaseException | None = None

    def report(self, done: float) -> int:
        if self.is_cancelled:
            return 1
        if self.progress is not None:
            try:
                self.progress(done)
            except BaseException as failure:
                self.error = failure
                return 1
        return 0


def _progressed(done: float, context: Any) -> int:
    state: _Run = ffi.from_handle(context)
    return state.report(done)


ffi.def_extern(name="fathom_python_progress", onerror=lambda *_: 1)(_progressed)


def run(call: Callable[[Any, Any], int], progress: Progress | None = None, keep: Any = None, name: str = "") -> None:
    """Makes a call that may take long: ``call(callback, context)`` returns its status.

    ``name`` is the word before a bar, which is shown if ``progress`` is True.

    ``keep`` are the owners of the memory that the call reads, which must outlive it after an interrupt.

    In the main thread, the call runs in another one, so that an interrupt ends it at once. An error of
    ``progress`` ends the call too.
    """
    if progress is True:
        bar = Bar(name)
        try:
            run(call, bar, keep)
            return bar(1)
        finally:
            bar.close()
    state = _Run(progress or None)
    context = ffi.new_handle(state)
    outcome: list[tuple[int, str]] = []

    def body(keep: Any = keep) -> None:
        # The message belongs to the thread of the call.
        status = call(lib.fathom_python_progress, context)
        outcome.append((status, ffi.string(lib.fathom_last_error()).decode() if status else ""))

    if threading.current_thread() is threading.main_thread():
        worker = threading.Thread(target=body, daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(0.5)
        except BaseException:
            state.is_cancelled = True
            raise
    else:
        body()
    if state.error is not None:
        raise state.error
    status, message = outcome[0]
    if status:
        raise error(status, message)


def text(function: Callable[..., int], *arguments: Any) -> str:
    """Returns the text that a function gives through its last parameter."""
    place = ffi.new("char **")
    check(function(*arguments, place))
    try:
        return str(ffi.string(place[0]).decode())
    finally:
        lib.fathom_text_free(place[0])


#: Keys of settings by their names as parameters, which are those of the tool's options.
_KEYS: dict[str, dict[str, str]] = {
    kind: {RENAMED.get(row["option"], row["option"].replace("-", "_")): row["key"] for row in rows}
    for kind, rows in json.loads(text(lib.fathom_settings)).items()
}


def keyed(
    settings: Mapping[str, Any], function: str = "track", names: Iterable[str] | None = None, kind: str = "processing"
) -> dict[str, Any]:
    """Returns settings under the keys of the library.

    :param names: the settings that ``function`` has; others are refused. By default all of ``kind``.
    """
    keys = _KEYS[kind]
    known = list(keys if names is None else names)
    check_settings(settings, function, known, [keys.get(name, name) for name in known])
    return {keys.get(name, name): value for name, value in settings.items() if value is not None}


def encoded(settings: Mapping[str, Any] | None) -> Any:
    """Returns settings as JSON for the library; NULL for none."""
    given = {key: value for key, value in (settings or {}).items() if value is not None}
    if not given:
        return ffi.NULL
    return json.dumps(given, default=_plain).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be a setting")


def optional_bytes(value: Any) -> Any:
    """Returns a path or text for the library; NULL for None."""
    return ffi.NULL if value is None else str(value).encode()


def name_texts(names: Iterable[str]) -> list[Any]:
    """Returns names as texts of C, which cannot hold the character NUL."""
    for name in names:
        if "\0" in name:
            raise DataError(f"a name has the character NUL: {name!r}")
    return [ffi.new("char[]", name.encode()) for name in names]


_TYPES = {np.dtype("f8"): "double[]", np.dtype("i8"): "int64_t[]", np.dtype("i4"): "int32_t[]"}


def pointer(array: np.ndarray | None) -> Any:
    """Returns the address of a contiguous array; NULL for None."""
    if array is None or array.size == 0:
        return ffi.NULL
    return ffi.from_buffer(_TYPES[array.dtype], array)


def output(array: np.ndarray, kind: str) -> Any:
    """Returns the address of an array that the library fills."""
    return ffi.cast(kind, ffi.from_buffer(array))


def view(address: Any, count: int, dtype: str, owner: Any) -> np.ndarray | None:
    """Returns a read-only array of memory that belongs to ``owner``, without a copy."""
    if address == ffi.NULL:
        return None
    if count == 0:
        return np.empty(0, dtype)
    size = count * np.dtype(dtype).itemsize
    # The array refers to the buffer, and the buffer through its pointer to the owner.
    kept = ffi.gc(ffi.cast("char *", address), lambda _, owner=owner: None)
    array = np.frombuffer(ffi.buffer(kept, size), dtype)
    array.flags.writeable = False
    return array


def words(kind: int) -> list[str]:
    """Returns the words of a kind of code, in their order."""
    found: list[str] = []
    while (word := lib.fathom_word(kind, len(found))) != ffi.NULL:
        found.append(ffi.string(word).decode())
    return found
