import Fathom
import FathomRecordings
import RealModule

/// What `calibrate --imu` tells about the inertial sensor of a tag.
struct InertialSensor: Encodable {
  var tag: String
  var readings: Int
  var rateHz: Double?
  var longestGapS: Double?
  var restS: Double
  var gravityMps2: Double?
  var gyroBiasRadps: [Double]?
  var accNoiseMps2: Double?
  var gyroNoiseRadps: Double?
  var axesAgreement: Double?
  var agreement: RecordingSummary.Inertial?

  init(tag: String, _ report: InertialSensorReport, _ agreement: RecordingSummary.Inertial?) {
    self.tag = tag
    readings = report.count
    rateHz = report.interval.map { 1 / $0 }
    longestGapS = report.longestInterval
    restS = report.restSeconds
    gravityMps2 = report.gravity
    gyroBiasRadps = report.rotationBias.map { [$0[0], $0[1], $0[2]] }
    accNoiseMps2 = report.accelerationNoise
    gyroNoiseRadps = report.rotationNoise
    axesAgreement = report.axesAgreement
    self.agreement = agreement
  }

  /// Whether the axes are right-handed.
  private var axes: String {
    guard let axesAgreement else { return "not shown: turn the sensor by hand" }
    return axesAgreement > 0.5
      ? "right-handed" : "not right-handed, or not those of one sensor: correct them"
  }

  private var use: String {
    guard let agreement else { return "-" }
    guard agreement.isUsed else { return "no: the ranges contradict it" }
    return agreement.accelerationFactor < 0 ? "yes, with the opposite sign" : "yes"
  }

  /// Returns the tables of all tags.
  static func table(_ sensors: [InertialSensor]) -> String {
    sensors.map(\.table).joined(separator: "\n\n")
  }

  private var table: String {
    var table = TextTable(["inertial sensor", tag])
    func add(_ name: String, _ value: Double?, _ decimals: Int, factor: Double = 1) {
      table.append([name, value.map { (factor * $0).text(decimals: decimals) } ?? "-"])
    }
    table.append(["readings", "\(readings)"])
    add("rate, Hz", rateHz, 1)
    add("longest gap, s", longestGapS, 3)
    add("at rest, s", restS, 1)
    add("gravity at rest, m/s²", gravityMps2, 3)
    let degrees = 180 / Double.pi
    table.append([
      "gyroscope bias, deg/s",
      gyroBiasRadps?.map { (degrees * $0).text(decimals: 3) }.joined(separator: " ") ?? "-",
    ])
    add("accelerometer noise, (m/s²)/√Hz", accNoiseMps2, 4)
    add("gyroscope noise, (deg/s)/√Hz", gyroNoiseRadps, 4, factor: degrees)
    table.append(["axes", axes])
    table.append(["used by tracks", use])
    add("noise of the motion beside it, (m/s²)/√Hz", agreement?.accelerationNoise, 3)
    add("gain in log-likelihood, nats", agreement?.gain, 1)
    return table.text
  }
}
