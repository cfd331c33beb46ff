import Fathom

extension ScenarioReader {
  /// Keys of the sensors in a scenario.
  static let sensorKeys = ["imu", "barometer", "odometry"]

  /// Reads the sensors that every tag carries.
  static func sensors(
    _ root: ScenarioSection, duration: Double, tags: Int
  ) throws(ScenarioError) -> SensorModels {
    var models = SensorModels()
    if root.has("imu") {
      let section = try root.section(
        "imu",
        keys: [
          "rate_hz", "acc_noise_mps2", "acc_bias_mps2", "gyro_noise_radps", "gyro_bias_radps",
          "vibration_mps2",
        ])
      models.inertial = InertialModel(
        rate: try section.number("rate_hz", .positive),
        accelerationNoise: try section.number("acc_noise_mps2", .notNegative, absent: 0.002),
        accelerationBias: try section.number("acc_bias_mps2", .notNegative, absent: 0.05),
        rotationNoise: try section.number("gyro_noise_radps", .notNegative, absent: 0.0001),
        rotationBias: try section.number("gyro_bias_radps", .notNegative, absent: 0.005),
        vibration: try section.number("vibration_mps2", .notNegative, absent: 0))
    }
    if root.has("barometer") {
      let section = try root.section(
        "barometer", keys: ["rate_hz", "sigma_m", "offset_m", "drift_m"])
      models.barometer = BarometerModel(
        rate: try section.number("rate_hz", .positive),
        sigma: try section.number("sigma_m", .notNegative, absent: 0.1),
        offset: try section.number("offset_m", .notNegative, absent: 1),
        drift: try section.number("drift_m", .notNegative, absent: 0.02))
    }
    if root.has("odometry") {
      let section = try root.section(
        "odometry",
        keys: ["rate_hz", "noise_m", "scale_share", "drift_radps", "slip_per_s", "slip_s"])
      models.odometry = OdometryModel(
        rate: try section.number("rate_hz", .positive),
        noise: try section.number("noise_m", .notNegative, absent: 0.02),
        scale: try section.number("scale_share", .share, absent: 0.02),
        drift: try section.number("drift_radps", .notNegative, absent: 0.005),
        slipRate: try section.number("slip_per_s", .notNegative, absent: 0),
        slipTime: try section.number("slip_s", .positive, absent: 2))
    }
    guard duration * models.rate * Double(tags) <= mostRows else {
      throw root.impossible("duration_s", "is too long: more than 10 million rows of sensors")
    }
    for key in sensorKeys where root.has(key) && root.has("phone") {
      throw root.impossible(key, "cannot be combined with phone")
    }
    for key in sensorKeys where root.has(key) && (root.has("clock") || root.has("delivery")) {
      throw root.impossible(key, "cannot be combined with clock or delivery")
    }
    return models
  }
}
