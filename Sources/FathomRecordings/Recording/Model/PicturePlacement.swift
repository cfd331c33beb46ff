/// Where a picture of the floor plan is, and what it shows: the key `floor_plan` of `recording.json`.
public struct PicturePlacement: Sendable, Equatable, Decodable {
  /// The path of the picture, PNG or JPEG, relative to the folder of the recording.
  public var picture: String
  /// The side of a pixel, in metres: 1e-6 to 1000.
  public var metresPerPixel: Double
  /// The position of the lower left corner of the picture, x and y in metres, each within ±10⁹ m.
  public var originM: [Double]

  /// Creates a placement.
  public init(picture: String, metresPerPixel: Double, originM: [Double]) {
    (self.picture, self.metresPerPixel, self.originM) = (picture, metresPerPixel, originM)
  }

  /// Why a value is invalid; nil when all are valid.
  var fault: String? {
    let (scales, limits) = (1e-6...1e3, RecordingLimits.coordinates)
    if picture.isEmpty { return "floor_plan.picture is empty" }
    if !scales.contains(metresPerPixel) {
      return scales.violation(by: "floor_plan.metres_per_pixel")
    }
    if originM.count != 2 { return "floor_plan.origin_m must be two numbers: x, y" }
    return originM.allSatisfy(limits.contains)
      ? nil : limits.violation(by: "floor_plan.origin_m")
  }
}
