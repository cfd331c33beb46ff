import RealModule

/// The contradictions of time differences in places of a recording: what a displaced track does not
/// explain.
///
/// A tracker gives the positions, so that the motion of the tag is no contradiction. In each of up to 64
/// windows the residuals about its track are reduced to one arrival per anchor, ρ = e less its mean, and
/// to R ρ, where R removes the mean and what a displacement of the track explains. An error e of each anchor
/// that is the same in two windows contributes σ² tr(R₁ R₂) to the product of their residuals; errors
/// that change within seconds contribute nothing.
struct DifferenceResiduals {
  /// The residual of a difference about the track in metres, and the position of the track.
  private struct Residual {
    var time: Timestamp
    var first: Int
    var second: Int
    var metres: Double
    var position: Vector<3>
  }

  /// The residuals of one window.
  private struct Place {
    var time: Timestamp
    /// The indices of the anchors, and the residual of each in metres.
    var anchors: [Int]
    var residuals: [Double]
    /// R, symmetric.
    var projection: DenseMatrix
    /// The variance of an arrival that the single differences show, in m².
    var arrivalVariance: Double
  }

  private var places: [Place] = []

  private static let mostWindows = 64
  /// The longest window in seconds: errors of a link change little within it.
  private static let longestWindow = 0.5
  /// The number of anchors beyond those that determine a position, for contradictions.
  private static let redundancy = 2
  /// The largest number of anchors of a window: its equations are dense.
  private static let mostAnchors = 32
  /// The least time between two windows with independent errors, in seconds: that of ranges.
  private static let leastSeparation = 5.0
  /// Residuals of so many times their usual size are those of wrong arrivals.
  private static let mostSigmas = 4.0
  /// The normal distribution has half of its values within so many standard deviations.
  private static let medianShare = 0.674_49

  /// Creates the residuals of the differences of one tag, in order of time, about the track of a tracker
  /// with `configuration`.
  init(
    of differences: [TimedDifference], anchors: [Anchor], configuration: TrackerConfiguration
  ) {
    let unknowns = configuration.exactHeight == nil ? 3 : 2
    var residuals = Self.residuals(of: differences, anchors: anchors, configuration)
    let sizes = residuals.map(\.metres.magnitude).sorted()
    guard !sizes.isEmpty else { return }
    let usual = sizes[sizes.count / 2] / Self.medianShare
    residuals.removeAll { $0.metres.magnitude > Self.mostSigmas * usual }
    let spacing = max(1, residuals.count / Self.mostWindows)
    var next = 0
    while next < residuals.count {
      let window = Self.window(
        residuals[next...], anchorCount: min(anchors.count, unknowns + 1 + Self.redundancy))
      if let place = Self.place(window, anchors: anchors, unknowns: unknowns) {
        places.append(place)
      }
      next += max(spacing, window.count)
    }
  }

  /// Returns the residuals of the differences about the track after each instant.
  private static func residuals(
    of differences: [TimedDifference], anchors: [Anchor], _ configuration: TrackerConfiguration
  ) -> [Residual] {
    var configuration = configuration
    configuration.usesDifferences = true
    configuration.errors.persistentSigma = 0
    var tracker = Tracker(among: anchors, validated: configuration)
    var residuals: [Residual] = []
    var begin = 0
    while begin < differences.count {
      var end = begin
      while end < differences.count, differences[end].time == differences[begin].time {
        _ = tracker.update(differences[end])
        end += 1
      }
      let time = differences[begin].time
      if let position = tracker.estimate(at: time)?.position {
        for difference in differences[begin..<end] where difference.isUsable(among: anchors) {
          let expected =
            (position - anchors[difference.first].position).length
            - (position - anchors[difference.second].position).length
          residuals.append(
            Residual(
              time: time, first: difference.first, second: difference.second,
              metres: difference.corrected(anchors) - expected, position: position))
        }
      }
      begin = end
    }
    return residuals
  }

  /// The standard deviation of an arrival with all of its error in metres; nil without evidence.
  ///
  /// Between n anchors, m single differences have the mean square 2 σ² f / (n - 1) about the position
  /// that fits them, with f degrees of freedom. Errors that change from one to the next have more of
  /// them; the value is then an upper bound, at most by n / f in the variance.
  var sigma: Double? {
    if places.isEmpty { return nil }
    return (places.reduce(0) { $0 + $1.arrivalVariance } / Double(places.count)).squareRoot()
  }

  /// The standard deviation of the part of the errors that is the same seconds later, per anchor in
  /// metres; 0 without evidence.
  var persistentSigma: Double {
    guard let first = places.first, let last = places.last else { return 0 }
    let separation = min(Self.leastSeparation, last.time.seconds(since: first.time) / 2)
    var (products, shares) = (0.0, 0.0)
    for one in places.indices {
      for other in places[(one + 1)...].indices {
        guard places[other].time.seconds(since: places[one].time) >= separation else { continue }
        let (own, later) = (places[one], places[other])
        let common = own.anchors.indices.compactMap { index in
          later.anchors.firstIndex(of: own.anchors[index]).map { (index, $0) }
        }
        for (row, laterRow) in common {
          products += own.residuals[row] * later.residuals[laterRow]
          for (column, laterColumn) in common {
            shares += own.projection[row, column] * later.projection[laterRow, laterColumn]
          }
        }
      }
    }
    guard shares > 1, products > 0 else { return 0 }
    return (products / shares).squareRoot()
  }

  /// Returns the residuals of the first instants that together hear `anchorCount` anchors.
  private static func window(_ residuals: ArraySlice<Residual>, anchorCount: Int) -> [Residual] {
    var window: [Residual] = []
    var measured: Set<Int> = []
    for residual in residuals {
      if let first = window.first, let last = window.last {
        guard residual.time.seconds(since: first.time) <= longestWindow else { break }
        // A tree of differences contradicts nothing about their arrivals.
        if measured.count >= anchorCount, window.count >= anchorCount - 1, residual.time > last.time
        {
          break
        }
      }
      window.append(residual)
      measured.formUnion([residual.first, residual.second])
    }
    return window
  }

  /// Returns the residuals of a window; nil if its differences do not contradict each other because
  /// they are too few.
  private static func place(
    _ window: [Residual], anchors: [Anchor], unknowns: Int
  ) -> Place? {
    let measured = Set(window.flatMap { [$0.first, $0.second] }).sorted()
    let count = measured.count
    guard let middle = window.dropFirst(window.count / 2).first, count > unknowns + 1,
      count <= mostAnchors
    else { return nil }
    // The arrivals that fit the differences best, with the mean zero.
    var equations = DenseMatrix(rows: count, columns: count)
    var sides = [Double](repeating: 0, count: count)
    for row in 0..<count {
      for column in 0..<count { equations[row, column] = 1 / Double(count) }
    }
    var pairs: [(one: Int, other: Int, metres: Double)] = []
    for residual in window {
      guard let one = measured.firstIndex(of: residual.first),
        let other = measured.firstIndex(of: residual.second)
      else { continue }
      pairs.append((one, other, residual.metres))
      equations[one, one] += 1
      equations[other, other] += 1
      equations[one, other] -= 1
      equations[other, one] -= 1
      sides[one] += residual.metres
      sides[other] -= residual.metres
    }
    // The unit vectors from the anchors, relative to their mean.
    let offsets = measured.map { middle.position - anchors[$0].position }
    guard offsets.allSatisfy({ $0.length > 0 }) else { return nil }
    var slopes = DenseMatrix(rows: count, columns: unknowns)
    for axis in 0..<unknowns {
      let column = offsets.map { $0[axis] / $0.length }
      let mean = column.reduce(0, +) / Double(count)
      for row in 0..<count { slopes[row, axis] = column[row] - mean }
    }
    // Anchors that no chain of differences links have no common arrival time.
    guard let root = try? DenseCholesky(equations),
      let arrivals = (try? root.solve(DenseMatrix(column: sides)))?.column(0),
      let normal = try? DenseCholesky(slopes.transposed() * slopes),
      let solution = try? normal.solve(slopes.transposed())
    else { return nil }
    let hat = slopes * solution
    var projection = DenseMatrix(rows: count, columns: count)
    var moved = [Double](repeating: 0, count: count)
    for row in 0..<count {
      for column in 0..<count {
        projection[row, column] = (row == column ? 1 : 0) - 1 / Double(count) - hat[row, column]
        moved[row] += hat[row, column] * arrivals[column]
      }
    }
    let residuals = zip(arrivals, moved).map { $0 - $1 }
    let freedom = Double(count - 1 - unknowns)
    let squares = pairs.reduce(0.0) { sum, pair in
      let left = pair.metres - (moved[pair.one] - moved[pair.other])
      return sum + left * left
    }
    return Place(
      time: middle.time, anchors: measured, residuals: residuals, projection: projection,
      arrivalVariance: squares / Double(pairs.count) * Double(count - 1) / (2 * freedom))
  }
}
