"""Shows the positions of a stream in Foxglove as they arrive.

    fathom stream udp://:4810 --anchors anchors.csv | foxglove_live.py anchors.csv [PORT]

Open the address that is printed as a Foxglove WebSocket, and add the panels 3D and Log. A recording can be replayed:

    fathom stream Datasets/robot-2d --speed 1 | foxglove_live.py Datasets/robot-2d/anchors.csv
"""

import csv
import sys

import fathom.foxglove
import foxglove
import numpy as np


def main(anchors: str, port: str = "8765") -> int:
    server = foxglove.start_server(name="fathom", port=int(port))
    print(f"ws://127.0.0.1:{server.port}", file=sys.stderr, flush=True)
    scene = fathom.foxglove.Scene(anchors)
    statuses: dict[str, str] = {}
    for row in csv.DictReader(sys.stdin):
        tag, status = row["tag"], row["status"]
        time_ns = round(float(row["time_s"]) * 1e9)
        if statuses.get(tag, status) != status:
            level = "warning" if status == "coasting" else "info"
            scene.log(time_ns, f"{tag}: {statuses[tag]}, then {status}", level)
        statuses[tag] = status
        if not row["x_m"]:
            continue
        position = [float(row[name] or "nan") for name in ("x_m", "y_m", "z_m")]
        xx, xy, yy = (float(row[name] or "nan") for name in ("sxx", "sxy", "syy"))
        scene.update(time_ns, tag, position, np.array([[xx, xy], [xy, yy]]), status=status)
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
