"""A node of ROS 2 that tracks a tag from the ranges of a driver.

    python3 ros2_tracker.py --ros-args -p anchors:=anchors.csv -p height:=1.0

Subscribes to ``ranges`` with ``sensor_msgs/Range``, whose ``frame_id`` names the anchor, and publishes ``pose`` with
``geometry_msgs/PoseWithCovarianceStamped``. A driver with messages of its own needs another type in ``subscribe`` and
another line in ``received``. This node has not been run with ROS: the tests of the package have no ROS.
"""

import math

import fathom
import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Range


class TrackerNode(Node):
    def __init__(self) -> None:
        super().__init__("fathom_tracker")
        self.frame = self.declare_parameter("frame", "map").value
        anchors = self.declare_parameter("anchors", "anchors.csv").value
        height = self.declare_parameter("height", math.nan).value
        self.tracker = fathom.Tracker(anchors, **({} if math.isnan(height) else {"height": height}))
        self.publisher = self.create_publisher(PoseWithCovarianceStamped, "pose", 10)
        self.create_subscription(Range, "ranges", self.received, qos_profile_sensor_data)

    def received(self, message: Range) -> None:
        stamp, anchor = message.header.stamp, message.header.frame_id
        time_ns = stamp.sec * 1_000_000_000 + stamp.nanosec
        try:
            outcome = self.tracker.update_ns(time_ns, anchor, message.range)
        except fathom.DataError as error:
            self.get_logger().warning(str(error), throttle_duration_sec=5.0)
            return
        if outcome in ("late", "invalid", "duplicate"):
            return
        estimate = self.tracker.estimate_ns(time_ns)
        if estimate is not None:
            self.publisher.publish(self.pose(stamp, estimate))

    def pose(self, stamp, estimate: fathom.Estimate) -> PoseWithCovarianceStamped:
        found = PoseWithCovarianceStamped()
        found.header.stamp = stamp
        found.header.frame_id = self.frame
        place = found.pose.pose.position
        place.x, place.y, place.z = (0.0 if math.isnan(value) else value for value in estimate.position.tolist())
        found.pose.pose.orientation.w = 1.0
        covariance = [0.0] * 36
        for row in range(3):
            covariance[6 * row : 6 * row + 3] = estimate.covariance[row].tolist()
            covariance[7 * (row + 3)] = math.pi**2  # the attitude is not estimated
        found.pose.covariance = covariance
        return found


def main() -> None:
    rclpy.init()
    rclpy.spin(TrackerNode())


if __name__ == "__main__":
    main()
