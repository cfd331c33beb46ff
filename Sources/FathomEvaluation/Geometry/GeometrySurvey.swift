import Fathom
import FathomRecordings

/// The positioning accuracy that an anchor layout can give over a floor plan, before installation.
///
/// Computes the `CramerRaoBound` at every point, the positions with the largest errors, the cost
/// of losing each anchor, and the positions where one more anchor helps most.
///
/// An error above the diagonal of the area counts as undetermined: it states only that the tag is
/// on the plan.
public struct GeometrySurvey: Sendable {
  /// The parameters of a survey; those that are nil follow from the anchors.
  public struct Settings: Sendable, Equatable {
    /// The measurements of every anchor and their noise.
    public var measuring = ExpectedMeasurements(.range)
    /// The surveyed area; nil for ``FloorArea/init(around:)``.
    public var area: FloorArea?
    /// Height of the tag, metres; nil for ``GeometrySurvey/plausibleHeight(among:)``.
    public var height: Double?
    /// Whether the height is estimated although it is given.
    public var solvesHeight = false
    /// Side of the anchors on which the tag is; nil if unknown.
    public var side: AnchorSide?
    /// Longest side of a map cell, metres; nil for about 10 000 cells.
    public var step: Double?
    /// Height of an additional anchor, metres; nil for the mean height of the anchors.
    public var newAnchorHeight: Double?

    /// Creates the default settings.
    public init() {}
  }

  /// The resolved parameters of a survey.
  public struct Situation: Sendable, Equatable {
    /// The measurements of every anchor and their noise.
    public var measuring: ExpectedMeasurements
    /// Height of the tag, metres.
    public var height: Double
    /// Whether the height is known and only x and y are estimated.
    public var isHeightKnown: Bool
    /// Side of the anchors on which the tag is; nil if unknown.
    public var side: AnchorSide?
    /// Height of an additional anchor, metres.
    public var newAnchorHeight: Double

    /// Number of estimated parameters: coordinates, and the clock offset of arrivals.
    public var unknowns: Int {
      (isHeightKnown ? 2 : 3) + (measuring.kinds.contains(.arrival) ? 1 : 0)
    }
  }

  /// The reason why a survey is impossible.
  public enum Failure: Error, Sendable, Equatable {
    /// There are no anchors.
    case noAnchors
    /// The area has no width or no depth, or its ends are not finite.
    case areaIsEmpty
    /// The step gives more cells than ``PlanGrid/limit``.
    case tooManyCells
    /// An anchor, the height or the noise is invalid.
    case input(TrilaterationError)
  }

  /// Names of the anchors.
  public let names: [String]
  /// The anchors, parallel to ``names``.
  public let anchors: [Anchor]
  /// The resolved parameters.
  public let situation: Situation
  /// The cells of the map.
  public let grid: PlanGrid
  /// Expected errors in each cell; infinite when undetermined.
  public let errors: BoundColumns.Errors
  /// Root mean square of the horizontal error, over the plan.
  public let horizontal: ErrorSpread
  /// Standard deviation of the height, over the plan; nil when the height is known.
  public let vertical: ErrorSpread?
  /// Radius that contains half of all positions, over the plan.
  public let median: ErrorSpread
  /// Radius that contains 95 % of all positions, over the plan.
  public let radius95: ErrorSpread
  /// Share of the plan with no more measurements than unknowns.
  ///
  /// There, a wrong measurement cannot be detected, and two positions may fit equally well.
  public let unchecked: Double
  /// Positions with the largest determined errors, far apart from each other, worst first.
  public let worst: [Place]
  /// A position in the middle of the undetermined cells; nil when every cell is determined.
  public let undetermined: Place?
  /// Errors of the plan without each of the anchors, in their order.
  public let losses: [Loss]
  /// Positions where one more anchor helps most, far apart from each other, best first.
  ///
  /// The best position on the border, where walls are, is included. Empty when no position helps.
  public let additions: [Addition]

  /// A position on the plan.
  public struct Place: Sendable, Equatable {
    /// x coordinate, metres.
    public var x: Double
    /// y coordinate, metres.
    public var y: Double
    /// Index of the cell whose centre this is.
    public var cell: Int
  }

  /// The plan without one anchor.
  public struct Loss: Sendable, Equatable {
    /// Root mean square of the horizontal error, over the plan.
    public var horizontal: ErrorSpread
  }

  /// The plan with one more anchor.
  public struct Addition: Sendable, Equatable {
    /// Position of the additional anchor, metres.
    public var position: Vector<3>
    /// Whether the position is on the border of the area.
    public var isOnBorder: Bool
    /// Root mean square of the horizontal error, over the plan.
    public var horizontal: ErrorSpread
  }

  /// Surveys the plan around `declared`.
  ///
  /// - Parameters:
  ///   - declared: the anchors with their names.
  ///   - settings: noise, area, heights and step.
  /// - Throws: ``Failure``.
  ///
  /// ## Cost
  /// About ten nanoseconds per cell and pair of anchors. In addition, about as much per cell of a
  /// coarser map for each of some 600 candidate positions. With 16 anchors this takes some tenths
  /// of a second.
  public init(_ declared: DeclaredAnchors, _ settings: Settings = Settings()) throws(Failure) {
    names = declared.names
    anchors = declared.anchors
    guard let area = settings.area ?? FloorArea(around: anchors), !anchors.isEmpty else {
      throw .noAnchors
    }
    guard area.width > 0, area.depth > 0, area.diagonal.isFinite else { throw .areaIsEmpty }
    let grid =
      settings.step.map { PlanGrid(area, step: $0) } ?? PlanGrid(area, about: Self.cells)
    guard let grid else { throw .tooManyCells }
    let heights = anchors.map { $0.position[2] }
    let situation = Situation(
      measuring: settings.measuring,
      height: settings.height ?? Self.plausibleHeight(among: anchors),
      isHeightKnown: settings.height != nil && !settings.solvesHeight,
      side: settings.side,
      newAnchorHeight: settings.newAnchorHeight
        ?? heights.reduce(0, +) / Double(heights.count))
    self.grid = grid
    self.situation = situation

    do throws(TrilaterationError) {
      let limit = area.diagonal
      var errors = try grid.bounds(anchors, situation).errors
      for cell in 0..<grid.count {
        if !(errors.vertical[cell] <= limit) { errors.vertical[cell] = .infinity }
        guard !(errors.horizontal[cell] <= limit) else { continue }
        errors.horizontal[cell] = .infinity
        errors.median[cell] = .infinity
        errors.radius95[cell] = .infinity
      }
      self.errors = errors
      horizontal = ErrorSpread(errors.horizontal, limit: limit)
      vertical = situation.isHeightKnown ? nil : ErrorSpread(errors.vertical, limit: limit)
      median = ErrorSpread(errors.median, limit: .greatestFiniteMagnitude)
      radius95 = ErrorSpread(errors.radius95, limit: .greatestFiniteMagnitude)
      let few = errors.measurements.count { $0 <= situation.unknowns }
      unchecked = Double(few) / Double(grid.count)
      worst = Self.worst(errors.horizontal, grid)
      undetermined = Self.middle(ofUndetermined: errors.horizontal, grid)
      losses = try Self.losses(of: anchors, situation, grid)
      additions = try Self.additions(to: anchors, situation, grid, now: horizontal)
    } catch {
      throw .input(error)
    }
  }

  /// Number of map cells when no step is given.
  static let cells = 10_000

  /// Returns a plausible height of a carried tag, metres: 1.2 above a floor at zero.
  ///
  /// When all anchors are lower than 1.2 m, returns their mean height.
  public static func plausibleHeight(among anchors: [Anchor]) -> Double {
    let heights = anchors.map { $0.position[2] }
    let carried = 1.2
    guard let highest = heights.max(), highest < carried else { return carried }
    return heights.reduce(0, +) / Double(heights.count)
  }
}

extension GeometrySurvey {
  /// Number of reported positions, and their minimum separation in diagonals of the area.
  static let places = 3
  static let apart = 0.25

  /// Returns the cells with the largest determined errors.
  private static func worst(_ errors: [Double], _ grid: PlanGrid) -> [Place] {
    let order = errors.indices.filter { errors[$0].isFinite }
      .sorted { errors[$0] == errors[$1] ? $0 < $1 : errors[$0] > errors[$1] }
    return distinct(order.lazy.map { place($0, grid) }, in: grid.area) { ($0.x, $0.y) }
  }

  /// Returns the undetermined cell that is nearest to the mean of all undetermined cells.
  private static func middle(ofUndetermined errors: [Double], _ grid: PlanGrid) -> Place? {
    let places = errors.indices.filter { !errors[$0].isFinite }.map { place($0, grid) }
    let count = Double(places.count)
    let (x, y) = (places.reduce(0) { $0 + $1.x } / count, places.reduce(0) { $0 + $1.y } / count)
    func square(_ place: Place) -> Double {
      (place.x - x) * (place.x - x) + (place.y - y) * (place.y - y)
    }
    return places.min { square($0) < square($1) }
  }

  private static func place(_ cell: Int, _ grid: PlanGrid) -> Place {
    let centre = grid.centre(cell)
    return Place(x: centre.x, y: centre.y, cell: cell)
  }

  /// Returns up to ``places`` candidates, in order, each far from all those before it.
  static func distinct<Candidate>(
    _ candidates: some Sequence<Candidate>, in area: FloorArea,
    at place: (Candidate) -> (x: Double, y: Double)
  ) -> [Candidate] {
    let least = apart * area.diagonal
    var taken: [Candidate] = []
    for candidate in candidates {
      let (x, y) = place(candidate)
      let isFar = taken.allSatisfy {
        let (otherX, otherY) = place($0)
        return (otherX - x) * (otherX - x) + (otherY - y) * (otherY - y) >= least * least
      }
      if isFar { taken.append(candidate) }
      if taken.count == places { break }
    }
    return taken
  }
}

extension GeometrySurvey {
  /// The cells as a CSV file: `x_m,y_m,horizontal_m,vertical_m,cep_m,radius_95_m,measurements`.
  ///
  /// Coordinates are those of the centre of a cell. A field is empty when its value is
  /// undetermined. The vertical error is also empty when the height is known.
  public var map: [UInt8] {
    var rows = CSVBuffer(
      header: "x_m,y_m,horizontal_m,vertical_m,cep_m,radius_95_m,measurements", rows: grid.count)
    for cell in 0..<grid.count {
      let (x, y) = grid.centre(cell)
      rows.append(x, decimals: 4)
      rows.append(y, decimals: 4)
      rows.append(errors.horizontal[cell], decimals: 4)
      rows.append(situation.isHeightKnown ? .nan : errors.vertical[cell], decimals: 4)
      rows.append(errors.median[cell], decimals: 4)
      rows.append(errors.radius95[cell], decimals: 4)
      rows.append(errors.measurements[cell])
      rows.endRow()
    }
    return rows.bytes
  }
}

extension GeometrySurvey.Failure: CustomStringConvertible {
  /// The reason as text, for a message.
  public var description: String {
    switch self {
    case .noAnchors: "there are no anchors"
    case .areaIsEmpty: "the area has no width or no depth"
    case .tooManyCells: "the step gives more than \(PlanGrid.limit) cells: use a larger step"
    case .input(let error): "\(error)"
    }
  }
}

extension GeometrySurvey {
  /// Whether every position has an indistinguishable mirror image.
  ///
  /// This is the case when no angle is measured and the anchors lie on a line, or in a plane when
  /// the height is estimated. They do if their root mean square distance from the line or plane is
  /// less than the error of a range. The bound is the same for both images.
  ///
  /// A known side distinguishes the images if one is above the plane and the other below it.
  public var hasMirrorImages: Bool {
    guard let mirror else { return false }
    return !(mirror.isSided && situation.side != nil)
  }

  /// The side of the anchors that ``Situation/height`` is on, where naming a side would distinguish
  /// the mirror images; nil where it would not, or without mirror images.
  public var helpfulSide: AnchorSide? {
    guard hasMirrorImages, let mirror, mirror.isSided else { return nil }
    return situation.height > mirror.height ? .above : .below
  }

  /// The mirror of all positions: its mean height in metres, and whether it has an upper and a lower
  /// side; nil without a mirror.
  private var mirror: (height: Double, isSided: Bool)? {
    guard situation.measuring.kinds.isDisjoint(with: .angles), let first = anchors.first else {
      return nil
    }
    let free = situation.isHeightKnown ? 2 : 3
    let count = Double(anchors.count)
    var mean = Vector<3>.zero
    // Relative to the first anchor, because large coordinates would cost digits.
    let offsets = anchors.map { $0.position - first.position }
    for offset in offsets { mean += (1 / count) * offset }
    var scatter = Matrix<3, 3>.zero
    for offset in offsets {
      let own = offset - mean
      for row in 0..<free {
        for column in 0..<free { scatter[row, column] += own[row] * own[column] / count }
      }
    }
    // Less than every eigenvalue, so that the axis of a known height comes last.
    if free == 2 { scatter[2, 2] = -1 }
    let principal = PrincipalAxes(of: scatter)
    func extent(_ axis: Int) -> Double { max(0, principal.values[axis]).squareRoot() }
    let error = situation.measuring.rangeSigma
    guard extent(free - 1) < error else { return nil }
    // The anchors determine the slope of the plane up to the error over their extent; those on a
    // line determine none.
    let slope = principal.axes[2, 2].magnitude
    return (first.position[2] + mean[2], free == 3 && slope * extent(1) > error)
  }
}

extension GeometrySurvey.Settings: TabulatedSettings {
  /// The settings with limits.
  package static let table: [Setting<GeometrySurvey.Settings>] = [
    .number("height_m", "height", RecordingLimits.coordinates) { $0.height },
    .number("step_m", "step", 1e-6...1e7) { $0.step },
    .number("noise_m", "noise", RecordingLimits.sigmas) { $0.measuring.rangeSigma },
    .number("noise_per_metre", "noise-per-metre", 0...10) { $0.measuring.rangeSigmaPerMetre },
    .number("angle_noise_rad", "angle-noise", RecordingLimits.angleSigmas, isAngle: true) {
      $0.measuring.azimuthSigma.radians
    },
    .number("maximum_range_m", "max-range", 1e-3...1e7) { $0.measuring.maximumRange },
    .number("new_anchor_height_m", "new-anchor-height", RecordingLimits.coordinates) {
      $0.newAnchorHeight
    },
  ]
}
