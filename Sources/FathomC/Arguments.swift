import CFathom
import Fathom
import FathomRecordings

/// Returns the text of a C string; nil for NULL.
func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

/// Returns the bytes of a C string; none for NULL.
func bytes(_ pointer: UnsafePointer<CChar>?) -> [UInt8] {
  pointer.map { Array(String(cString: $0).utf8) } ?? []
}

/// Returns the number of elements that a caller stated.
func count(_ number: Int64, _ name: String = "count") throws(CallFailure) -> Int {
  // No memory has more elements; products with the size of an element stay within the integers.
  guard number >= 0, number <= 1 << 40 else { throw .usage("\(name) is out of range: \(number)") }
  return Int(number)
}

/// Returns the elements of a column that is required.
func column<Element>(
  _ pointer: UnsafePointer<Element>?, _ count: Int, _ name: String
) throws(CallFailure) -> UnsafeBufferPointer<Element> {
  guard let pointer else {
    guard count == 0 else { throw .usage("\(name) is NULL") }
    return UnsafeBufferPointer(start: nil, count: 0)
  }
  return UnsafeBufferPointer(start: pointer, count: count)
}

/// Returns the elements of a column; nil for NULL.
func optional<Element>(
  _ pointer: UnsafePointer<Element>?, _ count: Int
) -> UnsafeBufferPointer<Element>? {
  pointer.map { UnsafeBufferPointer(start: $0, count: count) }
}

/// Returns a list of names.
func names(
  _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ number: Int64, _ name: String
) throws(CallFailure) -> [String] {
  let count = try FathomC.count(number, "the number of \(name)")
  let list = try column(pointer, count, name)
  var names: [String] = []
  names.reserveCapacity(count)
  for pointer in list {
    guard let pointer else { throw .usage("a name among \(name) is NULL") }
    names.append(String(cString: pointer))
  }
  return names
}

extension DeclaredAnchors {
  /// Creates the list of the anchors in `anchors`; an empty one for NULL.
  ///
  /// With `isNamed`, names are required; otherwise the index is the name. Throws for a column that
  /// is NULL and must not be.
  init(_ anchors: UnsafePointer<fathom_anchors>?, isNamed: Bool = true) throws(CallFailure) {
    self.init()
    guard let given = anchors?.pointee else { return }
    let count = try FathomC.count(given.count, "the number of anchors")
    guard count <= RecordingLimits.mostAnchors else {
      throw .data("there are more than \(RecordingLimits.mostAnchors) anchors")
    }
    names =
      isNamed || given.name != nil
      ? try FathomC.names(given.name, given.count, "anchors") : (0..<count).map(String.init)
    let x = try column(given.x_m, count, "x_m")
    let y = try column(given.y_m, count, "y_m")
    let z = optional(given.z_m, count)
    let sigma = optional(given.sigma_m, count)
    let bias = optional(given.bias_m, count)
    let scale = optional(given.scale, count)
    isPlanar = z == nil && count > 0
    self.anchors = (0..<count).map { index in
      let known = sigma?[index] ?? .nan
      let own = (bias: bias?[index] ?? 0, scale: scale?[index] ?? 1)
      return Anchor(
        position: Vector([x[index], y[index], z?[index] ?? 0]),
        positionSigma: known.isNaN ? nil : known, bias: own.bias.isNaN ? 0 : own.bias,
        scale: own.scale.isNaN ? 1 : own.scale)
    }
  }
}

extension BorrowedRanges {
  /// Creates the table of the rows in `ranges`, which stay those of the caller.
  init(_ ranges: UnsafePointer<fathom_ranges>?) throws(CallFailure) {
    guard let given = ranges?.pointee else { throw .usage("ranges is NULL") }
    let count = try FathomC.count(given.count, "the number of ranges")
    self.init(count: count)
    nanoseconds = optional(given.time_ns, count)
    seconds = optional(given.time_s, count)
    guard hasTimes || count == 0 else { throw .usage("time_ns and time_s are NULL") }
    tag = optional(given.tag, count)
    if tag != nil { tagNames = try FathomC.names(given.tag_name, given.tag_count, "tags") }
    anchor = optional(given.anchor, count)
    if anchor != nil {
      anchorNames = try FathomC.names(given.anchor_name, given.anchor_count, "anchors")
    }
    distance = try column(given.distance_m, count, "distance_m")
    for quantity in RangeQuantity.allCases {
      self[quantity] = optional(given[keyPath: quantity.column], count)
    }
    event = optional(given.event, count)
    line = optional(given.line, count)
    zeroIsDistance = given.zero_is_distance != 0
  }
}

extension RangeQuantity {
  /// The column of C for the quantity, which has its name.
  var column: WritableKeyPath<fathom_ranges, UnsafePointer<Double>?> {
    switch self {
    case .sigma: \.sigma_m
    case .azimuth: \.azimuth_rad
    case .elevation: \.elevation_rad
    case .horizontalAngle: \.horizontal_angle_rad
    case .directionX: \.direction_x
    case .directionY: \.direction_y
    case .directionZ: \.direction_z
    case .verticalEstimate: \.vertical_estimate
    case .rssi: \.rssi_dbm
    case .firstPathRSSI: \.rssi_first_path_dbm
    case .nonLineOfSight: \.nlos
    case .trueDistance: \.truth_distance_m
    case .height: \.height_m
    }
  }
}

/// Calls the progress callback, and throws if it ends the call.
struct Checkpoint {
  let progress: fathom_progress?
  let context: UnsafeMutableRawPointer?

  /// Reports the share of the work that is done.
  func report(_ done: Double) throws(CallFailure) {
    if let progress, progress(done, context) != 0 { throw .cancelled }
  }
}
