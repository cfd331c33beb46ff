"""Files and servers for Foxglove show the result."""

import base64
import json
import os
import socket
import subprocess
import sys

import fathom
import numpy as np
import pytest
from conftest import ROOT, example

pytest.importorskip("foxglove", reason="needs foxglove-sdk")

import fathom.foxglove


def decoded(path, topic=None):
    """Returns the messages of a file whose checksums are right, by the library of MCAP."""
    pytest.importorskip("mcap_protobuf", reason="needs mcap-protobuf-support")
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        found = reader.iter_decoded_messages(topics=None if topic is None else [topic])
        return [(schema.name, channel.topic, message.log_time, content) for schema, channel, message, content in found]


def test_a_file_has_the_result(robot, tmp_path):
    result = fathom.track(robot)
    path = fathom.foxglove.write(result, tmp_path / "new" / "robot.mcap", trail=5.0)
    positions = result.positions
    known = np.flatnonzero(np.isfinite(positions["x_m"]))
    poses = decoded(path, "/fathom/robot/pose")
    assert {schema for schema, *_ in poses} == {"foxglove.PoseInFrame"}
    assert [time for _, _, time, _ in poses] == positions["time_ns"][known].tolist()
    for (_, _, time, message), row in zip(poses, known):
        place = message.pose.position
        assert (place.x, place.y, place.z) == tuple(positions[f"{axis}_m"][row] for axis in "xyz")
        assert message.timestamp.seconds * 10**9 + message.timestamp.nanos == time and message.frame_id == "map"
    scenes = decoded(path, "/fathom/robot/scene")
    assert len(scenes) == len(known) and scenes[0][0] == "foxglove.SceneUpdate"
    for (_, _, _, message), row in list(zip(scenes, known))[::50]:
        tag = message.entities[0]
        assert tag.id == "robot" and tag.texts[0].text == "robot"
        # All points of the ellipse are at the same distance of 95 % in the metric of the covariance.
        plane = np.array([[positions["sxx"][row], positions["sxy"][row]], [positions["sxy"][row], positions["syy"][row]]])
        center = np.array([positions["x_m"][row], positions["y_m"][row]])
        points = np.array([[point.x, point.y] for point in tag.lines[0].points]) - center
        squares = np.einsum("ij,jk,ik->i", points, np.linalg.inv(plane), points)
        np.testing.assert_allclose(1 - np.exp(-squares / 2), 0.95, atol=1e-4)
    trails = [entity for *_, message in scenes for entity in message.entities if entity.id == "robot trail"]
    points = trails[-1].lines[0].points
    inside = (positions["time_ns"] >= scenes[-1][2] - 5 * 10**9) & np.isfinite(positions["x_m"])
    assert abs(len(points) - inside.sum()) <= 10 and len(trails) < len(scenes) / 3
    anchors = decoded(path, "/fathom/anchors")
    assert {entity.id for entity in anchors[0][3].entities} == {f"anchor {name}" for name in result.anchors}
    place = anchors[0][3].entities[1].cubes[0].pose.position
    assert (place.x, place.y, place.z) == result.anchors["B"] and anchors[0][2] == poses[0][2]


def test_warnings_and_diagnoses_are_messages(tmp_path):
    ranges, anchors, _ = example(2000)
    wrong = {**anchors, "B": (9.5, 0, 2.1)}
    result = fathom.track(ranges, wrong, height=1.0)
    assert result.warnings and result.diagnoses
    path = fathom.foxglove.write(result, tmp_path / "walk.mcap")
    found = [(message.name, message.message) for *_, message in decoded(path, "/fathom/log")]
    assert [text for name, text in found if name == "fathom"] == result.warnings
    (diagnosis, *_) = result.diagnoses
    assert (f"fathom.{diagnosis['code']}", f"{diagnosis['message']}; {diagnosis['suggestion']}") in found
    assert {message.level for *_, message in decoded(path, "/fathom/log")} == {3}


def test_the_other_position_is_pale(tmp_path):
    import foxglove

    context = foxglove.Context()
    with foxglove.open_mcap(tmp_path / "live.mcap", context=context):
        scene = fathom.foxglove.Scene(example()[1], context=context)
        covariance = np.diag([0.01, 0.04, 1.0])
        scene.update(10**9, "t", (1, 2, 3), covariance, status="ambiguous", alternative=(1, -2, 3))
        scene.update(2 * 10**9, "t", (1, 2, np.nan), np.full((3, 3), np.nan), alternative=np.full(3, np.nan))
        scene.update(10**9, "t", (1, 2, 3))  # the clock was set back
        scene.log(10**9, "joined", "info")
        tracker = fathom.Tracker(example()[1], height=1.0)
        for index, distance in enumerate([3.16, 6.38, 7.15, 4.63] * 3):
            tracker.update_ns(index * 10**8, "ABCD"[index % 4], distance)
        now = tracker.estimate_ns(11 * 10**8)
        scene.update(now.time_ns, "cart", now.position, now.covariance, status=now.status, alternative=now.alternative)
    tags = [message.entities[0] for *_, message in decoded(tmp_path / "live.mcap", "/fathom/t/scene")]
    by_count = sorted(tags, key=lambda tag: (len(tag.spheres), len(tag.lines)))
    assert [(len(tag.spheres), len(tag.lines)) for tag in by_count] == [(1, 0), (1, 0), (2, 1)]
    assert by_count[2].spheres[1].pose.position.y == -2 and by_count[2].spheres[1].color.a < 0.5
    assert {tag.spheres[0].pose.position.z for tag in by_count[:2]} == {0, 3}
    ((*_, time, content),) = decoded(tmp_path / "live.mcap", "/fathom/cart/scene")
    assert time == now.time_ns and content.entities[0].spheres[0].pose.position.x == now.position[0]


def test_what_cannot_be_written(tmp_path):
    ranges, anchors, _ = example()
    result = fathom.track(ranges, anchors, height=1.0, name="walk")
    path = fathom.foxglove.write(result, tmp_path / "walk.mcap")
    with pytest.raises(fathom.UsageError) as found:
        fathom.foxglove.write(result, path)
    assert str(found.value) == f"{path} exists: remove it, or choose another path"
    early = fathom.track({**ranges, "time_s": ranges["time_s"] - 100}, anchors, height=1.0)
    with pytest.raises(fathom.DataError, match="Foxglove has no times before 1970"):
        fathom.foxglove.write(early, tmp_path / "early.mcap")
    alone = {name: values[:2] for name, values in ranges.items()}
    with pytest.raises(fathom.DataError, match="walk has no positions to write"):
        fathom.foxglove.write(fathom.track(alone, anchors, height=1.0, name="walk"), tmp_path / "none.mcap")
    assert [each.name for each in tmp_path.iterdir()] == ["walk.mcap"]


def test_a_missing_library_is_named():
    code = "import sys; sys.modules['foxglove'] = None; import fathom.foxglove"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert done.stderr.strip().endswith(
        'ImportError: fathom.foxglove needs foxglove-sdk: pip install "fathom-positioning[foxglove]"'
    )


def texts(connection, content):
    """Gives the text frames of a WebSocket, from what was received already."""
    while True:
        while len(content) < 4:
            content += connection.recv(65536)
        size, begin = content[1] & 127, 2
        if size == 126:
            size, begin = int.from_bytes(content[2:4], "big"), 4
        elif size == 127:
            size, begin = int.from_bytes(content[2:10], "big"), 10
        while len(content) < begin + size:
            content += connection.recv(65536)
        if content[0] & 15 == 1:
            yield json.loads(content[begin : begin + size])
        content = content[begin + size :]


def test_the_live_example_serves_a_stream(robot):
    lines = fathom.track(robot).file("positions").splitlines(keepends=True)
    command = [sys.executable, str(ROOT / "Python/examples/foxglove_live.py"), str(robot / "anchors.csv"), "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        port = int(server.stderr.readline().split(b":")[-1])
        server.stdin.write(b"".join(lines[:200]))
        server.stdin.flush()
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            key = base64.b64encode(os.urandom(16)).decode()
            connection.sendall(
                f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n".encode()
            )
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 101")
            topics = set()
            for message in texts(connection, answer.partition(b"\r\n\r\n")[2]):
                topics |= {channel["topic"] for channel in message.get("channels", ())}
                if "/fathom/robot/scene" in topics:
                    break
        assert topics >= {"/fathom/anchors", "/fathom/log", "/fathom/robot/scene"}
        _, errors = server.communicate(timeout=60)
    assert server.returncode == 0, errors
