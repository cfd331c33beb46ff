"""Messages of drivers are recognised by their fields."""

import pytest

pytest.importorskip("rosbags", reason="bags need rosbags")

from fathom._bag_fields import fields_of, has_ranges, layout_of
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

HEADER = "std_msgs/Header header\n"
NODE = "uint8 role\nuint8 id\nfloat32 dis\nfloat32 fp_rssi\nfloat32 rx_rssi\n"
MESSAGES = {
    "requester and responder": (
        HEADER + "uint8 requester_id\nuint8 requester_idx\nuint8 responder_id\nuint8 responder_idx\nfloat32 distance\n"
        "float32 distance_err\nfloat32 distance_dot\nuint32 uwb_time\ngeometry_msgs/Point responder_location\n",
        {"distance": "distance", "anchor": "responder_id", "tag": "requester_id", "time": "header.stamp"},
    ),
    "names in capitals": (
        "int32 anchorId\nint32 tagId\nint32 range\nint32 seq\nfloat64 errorEstimation\n",
        {"distance": "range", "anchor": "anchorId", "tag": "tagId"},
    ),
    "beacon and hedge": (
        "uint8 address_hedge\nuint8 address_beacon\nfloat64 distance_m\n",
        {"distance": "distance_m", "anchor": "address_beacon", "tag": "address_hedge"},
    ),
    "an anchor alone": (
        HEADER + "string id\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 distanceFromTag\n",
        {"distance": "distanceFromTag", "anchor": "id", "time": "header.stamp"},
    ),
    "parallel arrays with times": (
        "int64[] destination_id\nbuiltin_interfaces/Time[] stamp\nint32[] distance\n",
        {"distance": "distance[]", "anchor": "destination_id[]", "time": "stamp[]"},
    ),
    "parallel arrays": (
        HEADER + "int32 tag\nuint8[] ids\nfloat32[] range_raw\nfloat32[] range_filtered\n",
        {"distance": "range_raw[]", "anchor": "ids[]", "tag": "tag", "time": "header.stamp"},
    ),
    "nodes of a frame": (
        "uint8 role\nuint8 id\nuint32 local_time\nfloat32[3] pos_3d\nfloat32[4] quaternion\nt/Node[] nodes\n",
        {
            "distance": "nodes[].dis",
            "anchor": "nodes[].id",
            "tag": "id",
            "rssi": "nodes[].rx_rssi",
            "rssi_first_path": "nodes[].fp_rssi",
        },  # fmt: skip
    ),
    "an array by anchor": ("uint8 id\nfloat32[8] dis_arr\n", {"distance": "dis_arr[]", "tag": "id"}),
    "devices inside a message": (
        HEADER + "t/Device anchor\nt/Device tag\nfloat64 measured_distance\n",
        {"distance": "measured_distance", "anchor": "anchor.name", "tag": "tag.name", "time": "header.stamp"},
    ),
    "stamps in an array": (
        HEADER + "t/Stamped[] ranges\n",
        {"distance": "ranges[].range", "anchor": "ranges[].anchor", "time": "ranges[].header.stamp"},
    ),
    "from and to": (
        HEADER + "uint8 from_id\nuint8 to_id\nfloat32 range\nfloat32 range_raw\nfloat32 min_range\nfloat32 std\n",
        {"distance": "range", "anchor": "to_id", "tag": "from_id", "time": "header.stamp"},
    ),
    "numbered nodes": (
        HEADER + "uint8 node1_id\nuint8 node2_id\nfloat32 distance_mm\nfloat32 sigma\n",
        {
            "distance": "distance_mm",
            "anchor": "node2_id",
            "tag": "node1_id",
            "time": "header.stamp",
            "sigma": "sigma",
        },  # fmt: skip
    ),
}


@pytest.mark.parametrize("store", [Stores.ROS1_NOETIC, Stores.ROS2_HUMBLE])
@pytest.mark.parametrize("name", MESSAGES)
def test_messages_of_drivers(name, store):
    definition, expected = MESSAGES[name]
    types = get_typestore(store)
    parts = {"Node": NODE, "Device": "string name\nuint64 address\n", "Stamped": HEADER + "string anchor\nfloat32 range\n"}
    for part, text in {**parts, "Message": definition}.items():
        types.register(get_types_from_msg(text, f"t/msg/{part}"))
    found = layout_of("t/msg/Message", fields_of(types.fielddefs, "t/msg/Message"))
    assert {meaning: field.path for meaning, field in found.items()} == expected and has_ranges(found)


@pytest.mark.parametrize("store", [Stores.ROS1_NOETIC, Stores.LATEST])
def test_no_other_message_of_ros_has_ranges(store):
    types = get_typestore(store).fielddefs
    assert [name for name in types if has_ranges(layout_of(name, fields_of(types, name)))] == ["sensor_msgs/msg/Range"]
