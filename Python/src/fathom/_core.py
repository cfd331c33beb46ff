"""Calls of the library: errors, texts, columns, progress and interrupts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from fathom._errors import DataError, error
from fathom._native import ffi, lib

if lib.fathom_abi_version() != lib.FATHOM_ABI_VERSION:
    raise ImportError("libFathomC has another version of the interface than this package")

#: The version of Fathom.
version: str = ffi.string(lib.fathom_version()).decode()

#: Called with the share of the work that is done, from 0 to 1.
Progress = Callable[[float], Any]


def check(status: int) -> None:
    """Raises the last error of this thread if ``status`` is not 0."""
    if status:
        raise error(status, ffi.string(lib.fathom_last_error()).decode())


class _Run:
    """A call in progress: what its callback reports to, and whether it is to end."""

    def __init__(self, progress: Progress | None):
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


@ffi.def_extern(onerror=lambda *_: 1)
def fathom_python_progress(done: float, context: Any) -> int:
    return ffi.from_handle(context).report(done)


def run(call: Callable[[Any, Any], int], progress: Progress | None = None, keep: Any = None) -> None:
    """Makes a call that may take long: ``call(callback, context)`` returns its status.

    ``keep`` are the owners of the memory that the call reads, which must outlive it after an interrupt.

    In the main thread, the call runs in another one, so that an interrupt ends it at once. An error of
    ``progress`` ends the call too.
    """
    state = _Run(progress)
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
        return ffi.string(place[0]).decode()
    finally:
        lib.fathom_text_free(place[0])


#: Keys of settings by their names as parameters, which are those of the tool's options.
_KEYS: dict[str, dict[str, str]] = {
    kind: {row["option"].replace("-", "_"): row["key"] for row in rows}
    for kind, rows in json.loads(text(lib.fathom_settings)).items()
}


def keyed(settings: Mapping[str, Any], kind: str = "processing") -> dict[str, Any]:
    """Returns settings under the keys of the library; unknown names are passed on and refused."""
    keys = _KEYS[kind]
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


class Coded:
    """A column of codes with their words."""

    __slots__ = ("codes", "words")

    def __init__(self, codes: np.ndarray, words: list[str]):
        self.codes = codes
        self.words = words

    def decoded(self) -> np.ndarray:
        """Returns the words of all rows as an array of objects."""
        names = np.array([*self.words, None], dtype=object)
        codes = self.codes
        return names[np.where((codes >= 0) & (codes < len(self.words)), codes, len(self.words))]


class Columns(Mapping[str, np.ndarray]):
    """A table in columns: NumPy arrays by name.

    Numbers are views of the library's memory, without a copy; names and words are arrays of strings,
    made when they are asked for. ``codes`` and ``categories`` give them without strings.
    """

    def __init__(self, columns: Mapping[str, np.ndarray | Coded], arrow: Callable[[], Any] | None = None):
        self._columns = dict(columns)
        self._arrow = arrow
        self._decoded: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time_s" and "time_s" not in self._columns and "time_ns" in self._columns:
            if name not in self._decoded:
                self._decoded[name] = self._columns["time_ns"] / 1e9
            return self._decoded[name]
        column = self._columns[name]
        if not isinstance(column, Coded):
            return column
        if name not in self._decoded:
            self._decoded[name] = column.decoded()
        return self._decoded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of columns; ``rows`` is that of rows."""
        return len(self._columns)

    @property
    def rows(self) -> int:
        """The number of rows."""
        for column in self._columns.values():
            return len(column.codes if isinstance(column, Coded) else column)
        return 0

    def codes(self, name: str) -> np.ndarray:
        """Returns the codes of a column of names or words."""
        return self._coded(name).codes

    def categories(self, name: str) -> list[str]:
        """Returns the names or words that the codes of a column stand for."""
        return self._coded(name).words

    def _coded(self, name: str) -> Coded:
        column = self._columns[name]
        if not isinstance(column, Coded):
            raise KeyError(f"{name} is a column of numbers")
        return column

    def to_pandas(self) -> Any:
        """Returns a DataFrame with ``time_s`` in seconds; names and words are categories.

        Numbers are not copied.
        """
        import pandas as pd

        frame: dict[str, Any] = {}
        for name, column in self._columns.items():
            if name == "time_ns":
                frame["time_s"] = self["time_s"]
            elif isinstance(column, Coded):
                frame[name] = pd.Categorical.from_codes(
                    np.where(column.codes < len(column.words), column.codes, -1).astype(np.int32),
                    column.words,
                )
            else:
                frame[name] = column
        return pd.DataFrame(frame, copy=False)

    def to_arrow(self) -> Any:
        """Returns a ``pyarrow.RecordBatch`` with ``time_ns`` in nanoseconds.

        Results of ``track`` are not copied: the batch refers to the library's memory.
        """
        if self._arrow is not None:
            return self._arrow()
        import pyarrow as pa

        arrays = []
        for column in self._columns.values():
            if isinstance(column, Coded):
                arrays.append(
                    pa.DictionaryArray.from_arrays(
                        pa.array(column.codes, mask=column.codes < 0), pa.array(column.words, pa.string())
                    )
                )
            else:
                arrays.append(pa.array(column))
        return pa.RecordBatch.from_arrays(arrays, names=list(self._columns))

    def __repr__(self) -> str:
        return f"<Columns of {self.rows} rows: {', '.join(self._columns)}>"
