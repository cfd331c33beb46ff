"""Bags of ROS 1 and ROS 2 as recordings and as truth; needs rosbags.

Ranges are recognised by the fields of their messages, not by the names of types: every driver has its own.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fathom import _bag_fields, _bag_tables, _input
from fathom._bag_fields import SONAR
from fathom._bag_tables import IMU, ODOMETRY, POSITIONS, Timed
from fathom._errors import DataError, FathomError, InputError, UsageError, listed, with_candidates
from fathom._recording import Recording, _created
from fathom._types import AnchorTable, Path

#: Tables beside the ranges.
_TABLES = (("imu", IMU, _bag_tables.inertial), ("odometry", ODOMETRY, _bag_tables.increments))
#: The commands that complete a recording that was cut off.
_REPAIRS = {".bag": "rosbag reindex", ".mcap": "mcap recover"}
#: Packages whose messages have no ranges of UWB, but for sonars.
_STANDARD = {
    "geometry_msgs", "nav_msgs", "sensor_msgs", "tf2_msgs", "tf", "visualization_msgs", "rosgraph_msgs", "rcl_interfaces",
}  # fmt: skip
#: Words in names of topics whose positions are not measured by the device itself.
_TRUTH = {"truth", "groundtruth", "gt", "vicon", "mocap", "optitrack", "leica"}


def is_bag(path: Path) -> bool:
    """Returns whether a path is that of a bag, by its ending or by the metadata in a folder without files of ranges."""
    place = pathlib.Path(path)
    is_folder = (place / "metadata.yaml").exists() and not any(place.glob("ranges.*"))
    return place.suffix in (".bag", ".db3", ".mcap") or is_folder


class _Topic:
    """A topic of a bag: its connections, and the fields of its messages."""

    def __init__(self, name: str, connections: Sequence[Any], types: Mapping[str, Any]):
        self.name = name
        self.connections = list(connections)
        self.type: str = connections[0].msgtype
        #: A type that its messages need and that is not defined.
        self.undefined = _bag_fields.undefined(types, self.type)
        self.fields = _bag_fields.fields_of(types, self.type)
        self.count = sum(connection.msgcount for connection in connections)
        self.layout = _bag_fields.layout_of(self.type, self.fields)
        words = set(re.split(r"[/_]", name.lower()))
        self.is_truth = bool(words & _TRUTH)
        self.is_standard = self.type.split("/")[0] in _STANDARD

    @property
    def is_defined(self) -> bool:
        return self.undefined is None

    @property
    def has_ranges(self) -> bool:
        return _bag_fields.has_ranges(self.layout)

    def __str__(self) -> str:
        content = listed([field.path for field in self.fields], 40) if self.is_defined else "without a definition"
        return f"{self.name} ({self.type}, {self.count} messages): {content}"


class _Bag:
    """An open bag."""

    def __init__(self, path: pathlib.Path, reader: Any):
        self.path = path
        self._reader = reader
        by_name: dict[str, list[Any]] = {}
        for connection in reader.connections:
            by_name.setdefault(connection.topic, []).append(connection)
        types = reader.typestore.fielddefs
        self.topics = {name: _Topic(name, found, types) for name, found in sorted(by_name.items())}
        if not any(topic.count for topic in self.topics.values()):
            raise DataError("the bag has no messages")

    def messages(self, topic: _Topic) -> Iterator[Timed]:
        """Returns the messages of a topic, with the times in nanoseconds at which they were recorded."""
        if (missing := topic.undefined) is not None:
            raise DataError(
                f"the messages of {topic.name} need {missing}, which the bag does not define;"
                f' definitions={{"{missing}": "{missing.split("/")[-1]}.msg"}} gives the file'
            )
        decode = self._reader.deserialize
        found = self._reader.messages(topic.connections)
        return ((time, decode(content, connection.msgtype)) for connection, time, content in found)

    def topic(self, name: str) -> _Topic:
        """Returns a topic by its name, with or without the slash before it."""
        if (known := self.topics.get(name) or self.topics.get(f"/{name}")) is None:
            raise DataError(with_candidates(f"there is no topic {name}", name, self.topics, "topics"))
        return known

    def listing(self) -> str:
        """The topics for a message, one a line."""
        return "".join(f"\n- {topic}" for topic in self.topics.values())


@contextmanager
def _opened(path: Path, definitions: Mapping[str, Path] | None = None) -> Iterator[_Bag]:
    """Opens a bag; errors of the library that reads it become ``DataError``."""
    place = pathlib.Path(path)
    if not place.exists():
        raise InputError(f"{place}: No such file or directory")
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore
    except ImportError:
        raise UsageError(f'{place}: bags need rosbags: pip install "fathom-positioning[ros]"') from None
    # Bags of ROS 2 before Iron do not define their types: those of ROS are known, others are given.
    types = get_typestore(Stores.ROS2_HUMBLE)
    for name, given in (definitions or {}).items():
        content = str(given) if "\n" in str(given) else _text(given)
        full = name if "/msg/" in name else name.replace("/", "/msg/")
        try:
            types.register(get_types_from_msg(content, full))
        except TypesysError as error:
            raise DataError(f"{place}: the definition of {full} is invalid: {error}") from None
    try:
        with AnyReader([place], default_typestore=types) as reader:
            known = reader.typestore.fielddefs
            reader.typestore.register({name: given for name, given in types.fielddefs.items() if name not in known})
            yield _Bag(place, reader)
    except DataError as error:
        raise DataError(f"{place}: {error}") from None
    except FathomError:
        raise
    except Exception as error:
        # A damaged file can fail anywhere in the library, with errors of any type.
        repair = _REPAIRS.get(place.suffix, "ros2 bag reindex")
        reason = str(error).rstrip(".")
        raise DataError(f"{place}: the bag cannot be read: {reason}; {repair} repairs one that was cut off") from error


def _text(path: Path) -> str:
    try:
        return pathlib.Path(path).read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def read(
    path: Path,
    anchors: AnchorTable | _input.Anchors | None = None,
    *,
    topic: str | Sequence[str] | None = None,
    fields: Mapping[str, str] | None = None,
    definitions: Mapping[str, Path] | None = None,
    distance_unit: str | None = None,
    time_unit: str | None = None,
    zero_is_distance: bool | None = None,
    **others: Any,
) -> Recording:
    """Reads a bag without warnings; see ``fathom.read``.

    :param path: a bag of ROS 1, a file or a folder of ROS 2.
    :param anchors: as for ``fathom.recording``; by default ``anchors.csv`` beside the bag or in its folder.
    :param topic: the topic with the ranges, or all topics that are read.
    :param fields: names of fields, by the keys of ``COLUMNS``.
    :param definitions: files or texts of ``.msg`` by type, for bags without them.
    :param distance_unit: the unit of distances whose name has none.
    :param time_unit: the unit of a field of numbers that ``fields`` names as the time.
    :param zero_is_distance: whether a distance of exactly 0 is a measurement.
    :param others: parameters for other files, which are refused.
    """
    for name, value in others.items():
        if value is not None:
            raise UsageError(f"{name} is for files of text, and {path} is a bag; fields names the fields of its messages")
    place = pathlib.Path(path)
    if anchors is None:
        nearby = [folder / "anchors.csv" for folder in (place, place.parent)]
        anchors = next((file for file in nearby if file.exists()), None)
    declared = _input.anchors(anchors)
    with _opened(place, definitions) as bag:
        names = [topic] if isinstance(topic, str) else topic
        chosen = None if names is None else [bag.topic(name) for name in names]
        ranges = _bag_tables.Ranges(distance_unit, time_unit, bool(zero_is_distance))
        for each in _range_topics(bag, chosen, fields):
            ranges.add(each.name, each.layout, bag.messages(each))
        if chosen is None:
            ranges.check_links()
        table, is_recorded = ranges.table()
        remarks = []
        if is_recorded:
            remarks.append("the ranges have no time stamps: their times are those at which they were recorded")
        beside: dict[str, Any] = {}
        candidates = list(bag.topics.values()) if chosen is None or isinstance(topic, str) else chosen
        # Without anchors there is no track that could use them.
        tables = _TABLES if declared is not None and declared.names else ()
        for name, kind, tabulated in tables:
            found = [each for each in candidates if each.type == kind and each.count and not each.is_truth]
            if len(found) > 1:
                several = listed([each.name for each in found])
                remarks.append(f"several topics have the table {name}, and none is used: {several}; topic=[...] chooses")
            elif found and (columns := tabulated(list(bag.messages(found[0])), is_recorded)) is not None:
                beside[name] = columns
            elif found:
                remarks.append(
                    f"{found[0].name} is not used: its messages state that they have no acceleration or rotation"
                )
    recording = _created(table, declared, place.stem, None, None, bool(zero_is_distance)).beside(**beside)
    recording._remarks = remarks
    return recording


def _range_topics(bag: _Bag, chosen: list[_Topic] | None, fields: Mapping[str, str] | None) -> list[_Topic]:
    """Returns the topics with ranges: those that are chosen, or all of one type."""
    candidates = list(bag.topics.values())
    if chosen is not None:
        candidates = [topic for topic in chosen if topic.type not in (IMU, ODOMETRY)] or chosen
        for topic in candidates:
            if not topic.count:
                raise DataError(f"{topic.name} has no messages")
    if fields:
        _name_fields(candidates, fields, is_chosen=chosen is not None)
    found = [topic for topic in candidates if topic.count and topic.has_ranges]
    if chosen is None and any(topic.type != SONAR for topic in found):
        # Sonars and lasers have the message of a range too.
        found = [topic for topic in found if topic.type != SONAR]
    if chosen is not None:
        unrecognised = [topic for topic in candidates if topic.is_defined and not topic.has_ranges]
        if unrecognised:
            raise _unrecognised(bag, unrecognised[0])
    if not found:
        # Messages of a type without a definition may be the ranges: reading them says what is missing.
        found = [topic for topic in candidates if topic.count and not topic.is_defined][:1]
    if not found:
        raise _unrecognised(bag, None)
    if len({topic.type for topic in found}) > 1:
        raise DataError(f'several topics have ranges; topic="{found[0].name}" chooses one. The topics are{bag.listing()}')
    return found


def _name_fields(topics: Sequence[_Topic], fields: Mapping[str, str], is_chosen: bool) -> None:
    """Puts the fields that the caller names into the layouts of topics that have them."""
    refused: list[tuple[bool, DataError]] = []
    fitting = 0
    for topic in topics:
        if not topic.is_defined:
            continue
        try:
            topic.layout = {**topic.layout, **_bag_fields.named(fields, topic.fields, topic.name)}
            fitting += 1
        except DataError as error:
            refused.append((topic.is_standard, error))
            topic.layout = {}
    if refused and (is_chosen or not fitting):
        # The ranges are probably in the messages of a driver.
        raise min(refused, key=lambda each: each[0])[1]


def _unrecognised(bag: _Bag, topic: _Topic | None) -> DataError:
    """Returns the error of a bag or topic without ranges, with the call to try."""
    where = f"the messages of {topic.name}" if topic else "any topic"
    others = [each for each in bag.topics.values() if each.fields and not each.is_standard]
    probable = topic or next((each for each in others if each.layout), others[0] if others else None)
    call = ""
    if probable is not None and probable.fields:
        proposal = _bag_fields.proposal(probable.fields, probable.layout)
        names = ", ".join(f'"{meaning}": "{path}"' for meaning, path in proposal.items())
        call = f'\nTry fathom.read("{bag.path}", topic="{probable.name}", fields={{{names}}})'
    return DataError(f"a distance and an anchor are not recognised in {where}. The topics are{bag.listing()}{call}")


def truth_table(path: Path, topic: str | None = None) -> dict[str, Any]:
    """Returns the positions of a topic of a bag as a table for ``fathom.truth``.

    :param path: the bag.
    :param topic: the topic; by default the only one with poses, or the only one whose name says that it is the truth.
    """
    with _opened(path) as bag:
        if topic is not None:
            found = [bag.topic(topic)]
            if found[0].type not in POSITIONS:
                kinds = ", ".join(sorted(POSITIONS))
                raise DataError(f"{topic} has {found[0].type}, which is no position; messages with positions are {kinds}")
        else:
            found = [each for each in bag.topics.values() if each.type in POSITIONS and each.count]
            named = [each for each in found if each.is_truth]
            found = named or [each for each in found if each.type != ODOMETRY]
        if len(found) != 1:
            problem = "several topics have positions" if found else "no topic has true positions"
            raise DataError(f"{problem}; topic= chooses one. The topics are{bag.listing()}")
        messages = list(bag.messages(found[0]))
        if not messages:
            raise DataError(f"{found[0].name} has no messages")
        return _bag_tables.positions(found[0].type, messages)
