import Fathom
import FathomRecordings

/// What accuracy to expect over a floor plan from a layout of anchors, before it is installed: the
/// ``CramerRaoBound`` at every point, its worst places, what the loss of each anchor costs, and where
/// one more helps most.
///
/// An error that exceeds the diagonal of the area counts as undetermined: it says no more than that the
/// tag is on the plan.
public struct GeometrySurvey: Sendable {
  /// What is asked for; what is nil is chosen from the anchors.
  public struct Settings: Sendable, Equatable {
    /// What every anchor measures, and how well.
    public var measuring = ExpectedMeasurements(.range)
    /// The plan; nil for ``FloorArea/init(around:)``.
    public var area: FloorArea?
    /// The height of the tag, metres; nil for ``GeometrySurvey/plausibleHeight(among:)``.
    public var height: Double?
    /// Whether the height is estimated too, although it was given.
    public var solvesHeight = false
    /// The longest side of a cell of the map, metres; nil for about 10 000 cells.
    public var step: Double?
    /// The height at which one more anchor would hang, metres; nil for the mean of the anchors.
    public var newAnchorHeight: Double?

    /// The defaults.
    public init() {}
  }

  /// What was surveyed in the end.
  public struct Situation: Sendable, Equatable {
    /// What every anchor measures, and how well.
    public var measuring: ExpectedMeasurements
    /// The height of the tag, metres.
    public var height: Double
    /// Whether it is known and only x and y are estimated.
    public var isHeightKnown: Bool
    /// The height at which one more anchor would hang, metres.
    public var newAnchorHeight: Double

    /// How many numbers are estimated: coordinates, and the offset of arrivals.
    public var unknowns: Int {
      (isHeightKnown ? 2 : 3) + (measuring.kinds.contains(.arrival) ? 1 : 0)
    }
  }

  /// Why there is no survey.
  public enum Failure: Error, Sendable, Equatable {
    /// There are no anchors.
    case noAnchors
    /// The area has no width or no depth, or its ends are not finite.
    case areaIsEmpty
    /// The step asks for more cells than ``PlanGrid/limit``.
    case tooManyCells
    /// An anchor, the height or the noise cannot be used.
    case input(TrilaterationError)
  }

  /// The names of the anchors.
  public let names: [String]
  /// The anchors, parallel to ``names``.
  public let anchors: [Anchor]
  /// What was surveyed.
  public let situation: Situation
  /// The cells of the map.
  public let grid: PlanGrid
  /// What is expected in each cell; infinite where it is not determined.
  public let errors: BoundColumns.Errors
  /// The root mean square of the horizontal error over the plan.
  public let horizontal: ErrorSpread
  /// The standard deviation of the height over the plan; nil where the height is known.
  public let vertical: ErrorSpread?
  /// The radius that holds half of all positions over the plan.
  public let median: ErrorSpread
  /// The radius that holds 95 % of all positions over the plan.
  public let radius95: ErrorSpread
  /// Share of the plan with no measurement more than there are unknowns: a wrong one goes unnoticed
  /// there, and two positions may fit.
  public let unchecked: Double
  /// The worst places that are determined, far apart from each other, worst first.
  public let worst: [Place]
  /// A place in the middle of what is not determined; nil where all is.
  public let undetermined: Place?
  /// What the plan is without each of the anchors, in their order.
  public let losses: [Loss]
  /// Where one more anchor helps most, far apart from each other, best first.
  ///
  /// The best place on the border, where walls are, is among them. Empty where none helps.
  public let additions: [Addition]

  /// A place on the plan.
  public struct Place: Sendable, Equatable {
    /// Where it is, metres.
    public var x: Double
    /// Where it is, metres.
    public var y: Double
    /// The cell that it is the middle of.
    public var cell: Int
  }

  /// The plan without one anchor.
  public struct Loss: Sendable, Equatable {
    /// The root mean square of the horizontal error then.
    public var horizontal: ErrorSpread
  }

  /// The plan with one more anchor.
  public struct Addition: Sendable, Equatable {
    /// Where it would be, metres.
    public var position: Vector<3>
    /// Whether it is on the border of the area.
    public var isOnBorder: Bool
    /// The root mean square of the horizontal error then.
    public var horizontal: ErrorSpread
  }

  /// Surveys the plan around `declared`.
  ///
  /// - Parameters:
  ///   - declared: the anchors with their names.
  ///   - settings: noise, area, heights, step.
  /// - Throws: ``Failure``.
  ///
  /// ## Cost
  /// Some ten nanoseconds per cell, anchor and anchor, and as much per cell for each of some 600 places
  /// that are tried for one more anchor on a coarser map: some tenths of a second for 16 anchors.
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

  /// How many cells a map has where no step is given.
  static let cells = 10_000

  /// The height at which a tag is carried, metres: 1.2 above the floor at zero, or the mean height of
  /// the anchors where all of them are lower than that.
  public static func plausibleHeight(among anchors: [Anchor]) -> Double {
    let heights = anchors.map { $0.position[2] }
    let carried = 1.2
    guard let highest = heights.max(), highest < carried else { return carried }
    return heights.reduce(0, +) / Double(heights.count)
  }
}

extension GeometrySurvey {
  /// How many places are named, and how far apart they are, in diagonals of the area.
  static let places = 3
  static let apart = 0.25

  /// The cells of the largest errors that are determined.
  private static func worst(_ errors: [Double], _ grid: PlanGrid) -> [Place] {
    let order = errors.indices.filter { errors[$0].isFinite }
      .sorted { errors[$0] == errors[$1] ? $0 < $1 : errors[$0] > errors[$1] }
    return distinct(order.lazy.map { place($0, grid) }, in: grid.area) { ($0.x, $0.y) }
  }

  /// The cell nearest to the mean of all that are not determined, of these.
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

  /// The first of `candidates`, and those after it that are far from all that were taken before.
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
  /// The middle of the cell; what is not determined, and the vertical error where the height is known,
  /// is an empty field.
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
  /// The reason, for a message.
  public var description: String {
    switch self {
    case .noAnchors: "there are no anchors"
    case .areaIsEmpty: "the area has no width or no depth"
    case .tooManyCells: "the step asks for more than \(PlanGrid.limit) cells"
    case .input(let error): "\(error)"
    }
  }
}

extension GeometrySurvey {
  /// Whether every position has a mirror image that the measurements cannot tell from it: the anchors
  /// lie in a line (in a plane, where the height is estimated), and no angle is measured.
  ///
  /// They lie in one where their root mean square distance from it is less than the error of a range.
  /// The bound is that of either image.
  public var hasMirrorImages: Bool {
    guard situation.measuring.kinds.isDisjoint(with: .angles), let first = anchors.first else {
      return false
    }
    let free = situation.isHeightKnown ? 2 : 3
    let count = Double(anchors.count)
    var mean = Vector<3>.zero
    // From the first anchor: large coordinates would cost digits.
    let offsets = anchors.map { $0.position - first.position }
    for offset in offsets { mean += (1 / count) * offset }
    var scatter = Matrix<3, 3>.zero
    for offset in offsets {
      let own = offset - mean
      for row in 0..<free {
        for column in 0..<free { scatter[row, column] += own[row] * own[column] / count }
      }
    }
    // Below every eigenvalue, so that a known height comes last.
    if free == 2 { scatter[2, 2] = -1 }
    let thickness = max(0, PrincipalAxes(of: scatter).values[free - 1]).squareRoot()
    return thickness < situation.measuring.rangeSigma
  }
}
