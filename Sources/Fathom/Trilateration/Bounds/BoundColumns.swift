/// Cramér-Rao bounds at many points of one height, stored in columns.
///
/// It computes ``CramerRaoBound`` for four points at a time. It keeps the information of all
/// points, so that adding an anchor costs only the contribution of that anchor.
public struct BoundColumns: Sendable {
  private typealias Lanes = FisherInformation.Lanes

  /// The information at the points, four per element; the last point pads the last element.
  private var lanes: [FisherInformation]
  private var x: [Lanes]
  private var y: [Lanes]
  private let z: Lanes
  private let isHeightKnown: Bool
  /// The number of points.
  public let count: Int

  /// The bounds at the points.
  public struct Errors: Sendable, Equatable {
    /// Root mean square of the horizontal error, metres; infinite if not determined.
    public var horizontal: [Double]
    /// Standard deviation of the height, metres; infinite if not determined, zero if known.
    public var vertical: [Double]
    /// Radius of the circle that contains half of all positions, metres; infinite if not
    /// determined.
    public var median: [Double]
    /// Radius of the circle that contains 95 % of all positions, metres; infinite if not
    /// determined.
    public var radius95: [Double]
    /// Number of measurements that reach the point.
    public var measurements: [Int]
  }

  /// Computes the bounds at the points (`x`, `y`) at the height `height`.
  ///
  /// - Parameters:
  ///   - x: x coordinates of the points, metres.
  ///   - y: y coordinates of the points, metres, the same number.
  ///   - height: the height of all points, metres.
  ///   - anchors: the anchors.
  ///   - measured: the kinds and errors of the measurements of each anchor.
  ///   - isHeightKnown: whether the height is known and only x and y are estimated.
  /// - Throws: ``TrilaterationError`` as ``CramerRaoBound``; `heightNotFinite`.
  ///
  /// ## Cost
  /// Some ten nanoseconds per point and anchor. Allocates for the points.
  public init(
    x: [Double], y: [Double], height: Double, anchors: [Anchor],
    measuring measured: ExpectedMeasurements, isHeightKnown: Bool
  ) throws(TrilaterationError) {
    precondition(x.count == y.count, "x and y must have the same number of elements")
    guard height.isFinite else { throw .heightNotFinite }
    count = x.count
    z = Lanes(repeating: height)
    self.isHeightKnown = isHeightKnown
    self.x = Self.fours(x)
    self.y = Self.fours(y)
    lanes = [FisherInformation](repeating: FisherInformation(), count: self.x.count)
    for anchor in anchors { try add(anchor, measuring: measured) }
  }

  /// Adds an anchor.
  ///
  /// - Throws: ``TrilaterationError`` as ``CramerRaoBound``.
  public mutating func add(
    _ anchor: Anchor, measuring measured: ExpectedMeasurements
  ) throws(TrilaterationError) {
    for source in try FisherInformation.sources([anchor], [measured]) {
      for index in lanes.indices { lanes[index].add(source, x[index], y[index], z) }
    }
  }

  /// Computes the root mean square of the horizontal error at all points with one more anchor,
  /// metres; infinite if not determined.
  ///
  /// - Parameters:
  ///   - anchor: the anchor to try.
  ///   - measured: the kinds and errors of its measurements.
  ///   - errors: the result; resized to the number of points.
  /// - Throws: ``TrilaterationError`` as ``CramerRaoBound``.
  ///
  /// ## Cost
  /// Some ten nanoseconds per point. Allocates one array, and `errors` if its size differs.
  public func horizontalErrors(
    with anchor: Anchor, measuring measured: ExpectedMeasurements, into errors: inout [Double]
  ) throws(TrilaterationError) {
    let sources = try FisherInformation.sources([anchor], [measured])
    resize(&errors)
    for index in lanes.indices {
      var information = lanes[index]
      for source in sources { information.add(source, x[index], y[index], z) }
      store(Self.horizontal(information.parts(isPlanar: isHeightKnown)), index, &errors)
    }
  }

  /// The root mean square of the horizontal error at all points, metres; infinite if not
  /// determined.
  public var horizontalErrors: [Double] {
    var errors: [Double] = []
    resize(&errors)
    for index in lanes.indices {
      store(Self.horizontal(lanes[index].parts(isPlanar: isHeightKnown)), index, &errors)
    }
    return errors
  }

  /// All bounds at the points; several microseconds per point.
  public var errors: Errors {
    var errors = Errors(
      horizontal: horizontalErrors, vertical: [], median: [], radius95: [], measurements: [])
    errors.vertical.reserveCapacity(count)
    errors.median.reserveCapacity(count)
    errors.radius95.reserveCapacity(count)
    errors.measurements.reserveCapacity(count)
    for point in 0..<count {
      let (index, lane) = (point / 4, point % 4)
      let parts = lanes[index].parts(isPlanar: isHeightKnown)
      func radius(_ share: Double) -> Double {
        guard parts.isHorizontal[lane] else { return .infinity }
        return CircularError.radius(
          holding: share, xx: parts.xx[lane], xy: parts.xy[lane], yy: parts.yy[lane])
      }
      errors.median.append(radius(0.5))
      errors.radius95.append(radius(0.95))
      errors.vertical.append(
        isHeightKnown ? 0 : parts.isVertical[lane] ? parts.zz[lane].squareRoot() : .infinity)
      errors.measurements.append(Int(lanes[index].count[lane]))
    }
    return errors
  }

  private func resize(_ errors: inout [Double]) {
    if errors.count != count { errors = [Double](repeating: 0, count: count) }
  }

  /// Returns √(σxx + σyy), infinite if not determined.
  @inline(__always)
  private static func horizontal(_ parts: FisherInformation.Parts) -> Lanes {
    (parts.xx + parts.yy).squareRoot()
      .replacing(with: .infinity, where: .!parts.isHorizontal)
  }

  @inline(__always)
  private func store(_ values: Lanes, _ index: Int, _ errors: inout [Double]) {
    for lane in 0..<min(4, count - 4 * index) { errors[4 * index + lane] = values[lane] }
  }

  /// Returns `values` in groups of four, with the last value repeated as padding.
  private static func fours(_ values: [Double]) -> [Lanes] {
    stride(from: 0, to: values.count, by: 4).map { start in
      var four = Lanes.zero
      for lane in 0..<4 { four[lane] = values[min(start + lane, values.count - 1)] }
      return four
    }
  }
}
