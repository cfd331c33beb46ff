/// Cramér-Rao bounds at many points of one height, side by side: ``CramerRaoBound`` four at a time.
///
/// Keeps the information of all points, so that one more anchor costs one anchor.
public struct BoundColumns: Sendable {
  private typealias Lanes = FisherInformation.Lanes

  /// The information at the points, four each; the last point fills what is left of the last four.
  private var lanes: [FisherInformation]
  private var x: [Lanes]
  private var y: [Lanes]
  private let z: Lanes
  private let isHeightKnown: Bool
  /// The number of points.
  public let count: Int

  /// What is known at the points.
  public struct Errors: Sendable, Equatable {
    /// Root mean square of the horizontal error, metres; infinite where it is not determined.
    public var horizontal: [Double]
    /// Standard deviation of the height, metres; infinite where it is not determined, zero where it
    /// is given.
    public var vertical: [Double]
    /// Radius of the circle that holds half of all positions, metres; infinite where not
    /// determined.
    public var median: [Double]
    /// Radius of the circle that holds 95 % of all positions, metres; infinite where not
    /// determined.
    public var radius95: [Double]
    /// How many measurements reach the point.
    public var measurements: [Int]
  }

  /// The bounds at the points `x`, `y` (metres, as many) of the height `height`.
  ///
  /// - Parameters:
  ///   - x: coordinates of the points, metres.
  ///   - y: as many.
  ///   - height: of all of them, metres.
  ///   - anchors: the anchors.
  ///   - measured: what each of them measures, and how well.
  ///   - isHeightKnown: whether the height is given and only x and y are estimated.
  /// - Throws: ``TrilaterationError`` as ``CramerRaoBound``; `heightNotFinite`.
  ///
  /// ## Cost
  /// Some ten nanoseconds per point and anchor; allocates for the points.
  public init(
    x: [Double], y: [Double], height: Double, anchors: [Anchor],
    measuring measured: ExpectedMeasurements, isHeightKnown: Bool
  ) throws(TrilaterationError) {
    precondition(x.count == y.count, "points have two coordinates")
    guard height.isFinite else { throw .heightNotFinite }
    count = x.count
    z = Lanes(repeating: height)
    self.isHeightKnown = isHeightKnown
    self.x = Self.fours(x)
    self.y = Self.fours(y)
    lanes = [FisherInformation](repeating: FisherInformation(), count: self.x.count)
    for anchor in anchors { try add(anchor, measuring: measured) }
  }

  /// Takes in one more anchor.
  ///
  /// - Throws: ``TrilaterationError`` as ``CramerRaoBound``.
  public mutating func add(
    _ anchor: Anchor, measuring measured: ExpectedMeasurements
  ) throws(TrilaterationError) {
    for source in try FisherInformation.sources([anchor], [measured]) {
      for index in lanes.indices { lanes[index].add(source, x[index], y[index], z) }
    }
  }

  /// The root mean square of the horizontal error at all points with one more anchor, metres;
  /// infinite where it is not determined.
  ///
  /// - Parameters:
  ///   - anchor: the anchor that is tried.
  ///   - measured: what it measures, and how well.
  ///   - errors: where the result goes; made as long as there are points.
  /// - Throws: ``TrilaterationError`` as ``CramerRaoBound``.
  ///
  /// ## Cost
  /// Some ten nanoseconds per point; allocates one array, and `errors` where it is too short.
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

  /// The root mean square of the horizontal error at all points, metres; infinite where it is not
  /// determined.
  public var horizontalErrors: [Double] {
    var errors: [Double] = []
    resize(&errors)
    for index in lanes.indices {
      store(Self.horizontal(lanes[index].parts(isPlanar: isHeightKnown)), index, &errors)
    }
    return errors
  }

  /// All that is known at the points; several microseconds each.
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

  /// √(σxx + σyy), infinite where not determined.
  @inline(__always)
  private static func horizontal(_ parts: FisherInformation.Parts) -> Lanes {
    (parts.xx + parts.yy).squareRoot()
      .replacing(with: .infinity, where: .!parts.isHorizontal)
  }

  @inline(__always)
  private func store(_ values: Lanes, _ index: Int, _ errors: inout [Double]) {
    for lane in 0..<min(4, count - 4 * index) { errors[4 * index + lane] = values[lane] }
  }

  /// `values` four by four, the last one repeated.
  private static func fours(_ values: [Double]) -> [Lanes] {
    stride(from: 0, to: values.count, by: 4).map { start in
      var four = Lanes.zero
      for lane in 0..<4 { four[lane] = values[min(start + lane, values.count - 1)] }
      return four
    }
  }
}
