/// The columns of the tables of a recording besides its ranges, in the order in which their readers
/// index them.
enum TableColumns {
  /// Names of the column of times in every table, the preferred one first.
  static let timeNames = [
    "time", "timestamp", "t", "timestamp_unix", "unix_time", "time_unix", "unix", "epoch",
    "timestamp_iso", "datetime", "date_time", "time_stamp", "ts", "stamp", "rostime",
    "timestamp_s", "host_time", "elapsed_time", "elapsed", "elapsed_realtime", "uptime",
    "millis", "micros", "nanos", "milliseconds", "microseconds", "tstamp", "unixtime",
    "unix_timestamp", "unix_ts", "epoch_time", "ranging_timestamp", "utc", "utc_time",
    "gps_time", "host_ts", "host_timestamp", "local_time", "system_time", "sys_time", "log_time",
    "sample_time", "record_time", "recv_time", "receive_time", "received_at", "created_at",
    "@timestamp", "time_of_day", "clock_time", "zeit", "zeitstempel", "uhrzeit", "temps",
    "horodatage", "tiempo", "tempo",
  ]
  static let time = ColumnName("time_s", timeNames, .time, isRequired: true)
  private static let tag = ColumnName("tag", ["tag", "tag_id", "tagid"])

  static let differences: [ColumnName] = [
    time, tag,
    ColumnName(
      "anchor_a", ["anchor_a", "anchora", "anchor_1", "anchor1", "first"], isRequired: true),
    ColumnName(
      "anchor_b", ["anchor_b", "anchorb", "anchor_2", "anchor2", "second"], isRequired: true),
    ColumnName(
      "difference_m", ["difference", "tdoa", "distance_difference"], .length, isRequired: true),
  ]

  /// Anchors with local coordinates.
  static let localAnchors: [ColumnName] =
    [
      ColumnName(
        "id",
        [
          "id", "anchor", "anchor_id", "name", "anchorid", "anchor_name", "point_id", "point",
          "node", "node_id", "beacon", "beacon_id", "device_id", "station", "label", "mac",
          "mac_address", "address", "bssid", "ap_mac", "ap_mac_address",
        ], isRequired: true),
      coordinate("x", ["east", "easting"], isRequired: true),
      coordinate("y", ["north", "northing"], isRequired: true),
      coordinate("z", ["up", "height", "elevation"]),
    ] + ofAnchors

  /// Returns the column of the coordinate `axis`, as people and programs name it.
  static func coordinate(
    _ axis: String, _ others: [String] = [], name: String? = nil, isRequired: Bool = false
  ) -> ColumnName {
    ColumnName(
      name ?? axis,
      [
        axis, "\(axis)_local", "local_\(axis)", "pos_\(axis)", "\(axis)_pos", "position_\(axis)",
        "pos\(axis)", "p\(axis)", "coord_\(axis)", "\(axis)_coord", "\(axis)_coordinate",
        "coordinate_\(axis)", "anchor_\(axis)", "filt_\(axis)", "est_\(axis)", "gt_\(axis)",
        "true_\(axis)", "t\(axis)",
      ] + others, .length, isRequired: isRequired)
  }
  /// Anchors with latitudes and longitudes.
  static let geodeticAnchors: [ColumnName] =
    [localAnchors[0]] + geodetic + ofAnchors
  private static let geodetic: [ColumnName] = [
    ColumnName("latitude_deg", ["latitude", "lat"], .angle, isRequired: true),
    ColumnName("longitude_deg", ["longitude", "lon", "lng"], .angle, isRequired: true),
    ColumnName("altitude_m", ["altitude", "alt"], .length),
  ]
  private static let ofAnchors: [ColumnName] = [
    ColumnName("sigma_m", ["sigma"], .length),
    ColumnName("bias_m", ["bias"], .length),
    ColumnName("scale", ["scale"]),
  ]
  /// Both kinds of columns of anchors.
  static let anchors: [ColumnName] = localAnchors + geodetic

  static let heights: [ColumnName] = [
    time, tag,
    ColumnName("height_m", ["height", "altitude", "z"], .length, isRequired: true),
    ColumnName("sigma_m", ["sigma", "height_sigma"], .length),
  ]

  static let odometry: [ColumnName] = [
    time, tag,
    ColumnName(
      "forward_m", ["forward", "delta_distance", "delta_forward", "distance", "dx"], .length),
    ColumnName("left_m", ["left", "delta_left", "dy"], .length),
    ColumnName(
      "turn_rad", ["turn", "delta_heading", "delta_yaw", "delta_theta", "dtheta", "dyaw"], .angle),
    ColumnName(
      "v_forward_mps",
      ["v_forward_mps", "v_forward", "v_x_mps", "v_x", "vx_mps", "vx", "speed_mps", "speed", "v"]),
    ColumnName("v_y_mps", ["v_y_mps", "v_y", "vy_mps", "vy", "v_sideways_mps"]),
    ColumnName(
      "turn_rate_radps",
      [
        "turn_rate_radps", "turn_rate", "yaw_rate_radps", "yaw_rate", "omega_radps", "omega",
        "angular_z", "w_radps", "w",
      ]),
    ColumnName("turn_rate_dps", ["turn_rate_dps", "yaw_rate_dps", "omega_dps"]),
    ColumnName("v_right_mps", ["v_right_mps", "v_right", "right_mps", "vr"]),
    ColumnName("v_left_mps", ["v_left_mps", "v_left", "left_mps", "vl"]),
    ColumnName(
      "wheel_distance_m", ["wheel_distance", "wheelbase", "wheel_base", "track_width"], .length),
  ]

  static let inertial: [ColumnName] =
    [time, tag]
    + ["x", "y", "z"].map { axis in
      ColumnName(
        "acc_\(axis)_mps2",
        [
          "acc_\(axis)", "acc\(axis)", "accel_\(axis)", "acceleration_\(axis)",
          "acceleration\(axis)", "linear_acceleration_\(axis)", "a_\(axis)", "a\(axis)",
        ], .acceleration, isRequired: true)
    }
    + ["x", "y", "z"].map { axis in
      ColumnName(
        "gyro_\(axis)_radps",
        [
          "gyro_\(axis)", "gyro\(axis)", "gyr_\(axis)", "angular_velocity_\(axis)",
          "rotation_rate_\(axis)", "rotationrate\(axis)", "omega_\(axis)", "w_\(axis)",
          "w\(axis)", "g_\(axis)", "g\(axis)",
        ], .rotation, isRequired: true)
    }

  static let poses: [ColumnName] =
    [time]
    + ["qw", "qx", "qy", "qz"].map { ColumnName($0, [$0], isRequired: true) }
    + ["x", "y", "z"].map { ColumnName("\($0)_m", [$0, "t\($0)"], .length) }

  static let truth: [ColumnName] = [
    time,
    coordinate("x", isRequired: true),
    coordinate("y", isRequired: true),
    coordinate("z"),
    ColumnName("tag", ["tag"]),
  ]
}
