"""Fields of messages: which one is the distance, the anchor, the tag or the time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from fathom._errors import DataError, closest, with_candidates

#: What ``fields`` of ``read`` can name, and the column of ranges that it becomes.
COLUMNS = {
    "time": "time_ns", "tag": "tag", "anchor": "anchor", "distance": "distance_m", "sigma": "sigma_m",
    "rssi": "rssi_dbm", "rssi_first_path": "rssi_first_path_dbm",
}  # fmt: skip

_STAMP = "builtin_interfaces/msg/Time"
_INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"byte"}
_FLOATS = {"float32", "float64"}

#: Parts of a metre per unit, by the last word of a name.
LENGTHS = {
    "m": 1, "meter": 1, "metre": 1, "cm": 100, "centimeter": 100, "centimetre": 100, "mm": 1000, "millimeter": 1000,
    "millimetre": 1000,
}  # fmt: skip
#: Nanoseconds per unit, by the last word of a name.
DURATIONS = {"ns": 1, "nsec": 1, "us": 1000, "usec": 1000, "ms": 1_000_000, "msec": 1_000_000, "s": 1_000_000_000}

#: Words of names, the best first. A name is recognised if nothing but one of them and qualifiers is left.
_DISTANCES = ("distance", "range", "dist", "dis", "ranging", "observed")
_ANCHORS = (
    "anchor", "responder", "beacon", "destination", "dest", "dst", "peer", "remote", "target", "accessory", "bssid", "to",
    "2",
)  # fmt: skip
_TAGS = ("tag", "requester", "initiator", "hedge", "mobile", "source", "src", "origin", "from", "1")
_QUALIFIERS = {"uwb", "raw", "measured", "measurement", "value", "data", "arr", "array", "twr", "rtt", "tof", "to"}
#: Words that say how a device is named: an identifier before a name, a name before an index.
_IDENTIFIERS = ("id", "name", "address", "addr", "mac", "number", "index", "idx")
_SIGNALS = {
    "sigma": ({"sigma"}, {"distance", "sigma"}, {"range", "sigma"}),
    "rssi": ({"rssi"}, {"rx", "rssi"}, {"rssi", "dbm"}),
    "rssi_first_path": ({"fp", "rssi"}, {"rssi", "first", "path"}, {"first", "path", "rssi"}),
}

#: Messages with ranges that are not distances to anchors.
_OTHERS = {"sensor_msgs/msg/LaserScan", "sensor_msgs/msg/MultiEchoLaserScan"}
SONAR = "sensor_msgs/msg/Range"


class Field(NamedTuple):
    """A number, name or time in a message, such as ``header.stamp`` or ``nodes[].dis``."""

    path: str
    #: The type of ROS: ``float32``, ``string``, ``builtin_interfaces/msg/Time`` and so on.
    kind: str

    @property
    def array(self) -> str:
        """The array that the field is in, or is; empty without one."""
        return self.path.partition("[]")[0] if "[]" in self.path else ""

    @property
    def words(self) -> list[str]:
        """The words of the name in the singular, with those of the owner if the name alone says little."""
        *owners, name = self.path.replace("[]", "").split(".")
        found = _words(name)
        if owners and found[-1] in {*_IDENTIFIERS, "value", "data"} and len(found) == 1:
            found = _words(owners[-1]) + found
        return found

    @property
    def is_stamp(self) -> bool:
        return self.kind == _STAMP

    @property
    def is_integer(self) -> bool:
        return self.kind in _INTEGERS

    @property
    def is_number(self) -> bool:
        return self.kind in _FLOATS or self.is_integer

    @property
    def is_name(self) -> bool:
        return self.kind == "string" or self.is_integer

    def unit(self, units: Mapping[str, Any]) -> Any:
        """Returns the unit at the end of the name; None without one."""
        words = self.words
        return units.get(words[-1]) if len(words) > 1 else None

    @property
    def reader(self) -> Callable[[Any], Any]:
        """A function that returns the value in a message, or the list of those of an array."""
        before, is_array, after = self.path.partition("[]")
        owner = attrgetter(before)
        if not is_array:
            return owner
        if after:
            element = attrgetter(after[1:])
            return lambda message: [element(each) for each in owner(message)]
        return lambda message: getattr(found := owner(message), "tolist", lambda: list(found))()


#: The field of each meaning, by the keys of ``COLUMNS``.
Layout = dict[str, Field]


def _words(name: str) -> list[str]:
    """Returns the words of ``anchorId`` or ``anchor_ids`` in the singular; ``dis``, ``ms`` and ``us`` are no plurals."""
    found = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
    return [re.sub(r"(?<=\w\w[^s])s$|(?<=^id)s$", "", word) for word in found] or [name.lower()]


def fields_of(types: Mapping[str, Any], message_type: str, prefix: str = "", depth: int = 0) -> list[Field]:
    """Returns the fields of a type of message, also of messages inside it and in its arrays.

    :param types: the definitions of types, as of a typestore of rosbags.
    :param message_type: the name of the type.
    :param prefix: the path of a message inside another one, with a dot.
    :param depth: the number of messages around it; those of a fourth level are left out.
    """
    found: list[Field] = []
    for name, (node, description) in types[message_type][1] if message_type in types else ():
        path, is_array = prefix + name, node.name in ("ARRAY", "SEQUENCE")
        if is_array:
            node, description = description[0]
            path += "[]"
        if is_array and "[]" in prefix:
            continue
        kind = description if node.name == "NAME" else description[0]
        if kind == _STAMP or node.name == "BASE":
            found.append(Field(path, kind))
        elif depth < 3:
            found += fields_of(types, kind, f"{path}.", depth + 1)
    return found


def undefined(types: Mapping[str, Any], message_type: str) -> str | None:
    """Returns a type that a message needs and that is not defined; None if all are.

    :param types: as for ``fields_of``.
    :param message_type: the name of the type of the message.
    """
    if message_type not in types:
        return message_type
    for _, (node, description) in types[message_type][1]:
        if node.name in ("ARRAY", "SEQUENCE"):
            node, description = description[0]
        missing = undefined(types, description) if node.name == "NAME" else None
        if missing is not None:
            return missing
    return None


def layout_of(message_type: str, fields: Sequence[Field]) -> Layout:
    """Returns the fields whose meaning is recognised; a message with ranges has a distance and an anchor."""
    found: Layout = {}
    if message_type in _OTHERS:
        return found
    distance = _best(fields, _rank_of_distance)
    if distance is None:
        return found
    found["distance"] = distance
    array = distance.array
    near = [field for field in fields if field.array == array or "." not in field.path.partition("[]")[2]]
    anchor = _best(near, lambda field: _rank_of_device(field, _ANCHORS, array))
    if anchor is None:
        anchor = _best(near, lambda field: _rank_of_bare_identifier(field, distance))
    if message_type == SONAR:
        anchor = next(field for field in fields if field.path == "header.frame_id")
    if anchor is not None:
        found["anchor"] = anchor
    tag = _best(near, lambda field: _rank_of_device(field, _TAGS, array))
    if tag is None and array:
        # The device that lists its ranges to others is the tag.
        tag = next((field for field in fields if not field.array and field.is_name and field.words == ["id"]), None)
    if tag is not None:
        found["tag"] = tag
    for name, words in _SIGNALS.items():
        signal = next((field for field in near if field.kind in _FLOATS and set(field.words) in words), None)
        if signal is not None:
            found[name] = signal
    stamp = _best(fields, lambda field: _rank_of_stamp(field, distance))
    if stamp is not None:
        found["time"] = stamp
    return found


def _best(fields: Iterable[Field], rank: Callable[[Field], tuple[int, ...] | None]) -> Field | None:
    """Returns the first field of the lowest rank; None if no field has one."""
    ranked = [(order, index, field) for index, field in enumerate(fields) if (order := rank(field)) is not None]
    return min(ranked)[2] if ranked else None


def _rank_of_distance(field: Field) -> tuple[int, ...] | None:
    words = [word for word in field.words if word not in _QUALIFIERS and word not in LENGTHS]
    # "distance_from_tag" and "anchor_distance" say between whom.
    core = [word for word in words if word not in ("from", "tag", "anchor")]
    if not field.is_number or len(core) != 1 or core[0] not in _DISTANCES:
        return None
    return len(field.words) - 1, _DISTANCES.index(core[0])


def _rank_of_device(field: Field, names: Sequence[str], array: str) -> tuple[int, ...] | None:
    words = [word for word in field.words if word not in (*_IDENTIFIERS, "node", "device")]
    words = [word for word in words if word not in _QUALIFIERS] or words
    if not field.is_name or len(words) != 1 or words[0] not in names:
        return None
    identifier = min((_IDENTIFIERS.index(word) for word in field.words if word in _IDENTIFIERS), default=2)
    return int(field.array != array), identifier, names.index(words[0])


def _rank_of_bare_identifier(field: Field, distance: Field) -> tuple[int, ...] | None:
    """``id`` beside the distance in one element of an array, or in a message; ``ids`` beside an array of distances."""
    owner, _, name = field.path.rpartition(".")
    words = _words(name)
    is_beside = owner == distance.path.rpartition(".")[0] and name.endswith("[]") == distance.path.endswith("[]")
    if not is_beside or not field.is_name or len(words) != 1 or words[0] not in _IDENTIFIERS:
        return None
    return (_IDENTIFIERS.index(words[0]),)


def _rank_of_stamp(field: Field, distance: Field) -> tuple[int, ...] | None:
    """The time of an element before that of the message, and a header's before others."""
    is_beside = field.path.endswith("[]") and distance.path.endswith("[]")
    if not field.is_stamp or not (is_beside or field.array in ("", distance.array)):
        return None
    return int(field.array == "" != distance.array), int(not field.path.endswith("header.stamp"))


def named(given: Mapping[str, str], fields: Sequence[Field], where: str) -> Layout:
    """Returns the fields that the caller names, by the whole path or by its unique end.

    :param given: names of fields by the keys of ``COLUMNS``; ``[]`` may be left out.
    :param fields: the fields of the message.
    :param where: the topic, for messages.
    """
    found: Layout = {}
    for meaning, name in given.items():
        if meaning not in COLUMNS:
            raise DataError(with_candidates(f'fields: "{meaning}" is not a known field', meaning, COLUMNS, "fields"))
        plain = name.replace("[]", "")
        fitting = [field for field in fields if field.path.replace("[]", "") == plain]
        fitting = fitting or [field for field in fields if field.path.replace("[]", "").endswith(f".{plain}")]
        if len(fitting) != 1:
            paths = [field.path for field in fitting or fields]
            reason = f"has several fields {name}" if fitting else f"has no field {name}"
            raise DataError(with_candidates(f"{where} {reason}", name, paths, "fields"))
        found[meaning] = fitting[0]
    return found


def has_ranges(layout: Layout) -> bool:
    """Returns whether a layout has what ranges need; an array of plain distances has one for each anchor, by index."""
    return "distance" in layout and ("anchor" in layout or layout["distance"].path.endswith("[]"))


def proposal(fields: Sequence[Field], layout: Layout) -> dict[str, str]:
    """Returns what ``fields`` of a call could be: what is recognised, and probable names of the rest."""
    numbers = [field.path for field in fields if field.kind in _FLOATS] or [f.path for f in fields if f.is_number]
    names = [field.path for field in fields if field.is_name and field.path not in numbers]
    names.sort(key=lambda path: path.startswith("header."))
    guesses = {"distance": (numbers, "distance"), "anchor": (names, "anchor")}
    return {
        meaning: layout[meaning].path if meaning in layout else closest(word, paths) or (paths or ["..."])[0]
        for meaning, (paths, word) in guesses.items()
    }
