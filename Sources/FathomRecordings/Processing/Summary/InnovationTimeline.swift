import Fathom

/// Sums over the innovations of a filter, for the consistency check.
struct InnovationSums: Sendable, Equatable {
  /// Number of innovations.
  var count = 0
  /// Sum of their normalised squares.
  var normalizedSquares = 0.0
  /// Sum of the factors on the variance of ranges.
  var noiseFactors = 0.0
  /// Counts of the normalised squares, for their median.
  var squares = SquareCounts()
  /// Means of the normalised squares over time.
  var timeline = InnovationTimeline()

  static func + (left: Self, right: Self) -> Self {
    Self(
      count: left.count + right.count,
      normalizedSquares: left.normalizedSquares + right.normalizedSquares,
      noiseFactors: left.noiseFactors + right.noiseFactors,
      squares: left.squares + right.squares,
      timeline: left.timeline + right.timeline)
  }
}

/// Means of normalised innovations squared over time, in a bounded number of bins.
///
/// Bins start at multiples of a common width. The width starts at 1 s and doubles, merging
/// neighbours, whenever more than ``mostBins`` bins are non-empty. Memory is independent of the
/// length of the recording. Timelines of several tags can be added.
struct InnovationTimeline: Sendable, Equatable {
  /// The largest number of bins kept.
  static let mostBins = 512

  /// A non-empty bin.
  struct Bin: Sendable, Equatable {
    /// Index of the bin, which spans from `place` to `place + 1` widths.
    var place: Int64
    /// Number of innovations in the bin.
    var count: Int
    /// Sum of their normalised squares.
    var normalizedSquares: Double
  }

  /// The non-empty bins, in order of time.
  private(set) var bins: [Bin] = []
  /// Width of a bin, nanoseconds: 2ⁿ seconds.
  private(set) var width: Int64 = 1_000_000_000

  /// Adds an innovation at `time`.
  ///
  /// Cost: constant for non-decreasing times, otherwise linear in the number of bins.
  mutating func add(_ normalizedSquare: Double, at time: Timestamp) {
    if let last = bins.indices.last, holds(bins[last], time.nanoseconds) {
      bins[last].count += 1
      bins[last].normalizedSquares += normalizedSquare
      return
    }
    insert(
      Bin(
        place: Self.place(of: time.nanoseconds, width), count: 1,
        normalizedSquares: normalizedSquare))
    while bins.count > Self.mostBins { coarsen() }
  }

  /// Returns whether `bin` contains `nanoseconds`, without the division that would compute its
  /// index.
  private func holds(_ bin: Bin, _ nanoseconds: Int64) -> Bool {
    let (begin, isBeyond) = bin.place.multipliedReportingOverflow(by: width)
    return !isBeyond && nanoseconds >= begin
      && UInt64(bitPattern: nanoseconds &- begin) < UInt64(bitPattern: width)
  }

  /// Returns the sum of both timelines, with at least the larger of the two bin widths.
  static func + (left: Self, right: Self) -> Self {
    var (sum, other) = (left, right)
    while sum.width < other.width { sum.coarsen() }
    while other.width < sum.width { other.coarsen() }
    for bin in other.bins { sum.insert(bin) }
    while sum.bins.count > mostBins { sum.coarsen() }
    return sum
  }

  /// Inserts `bin` in order, or adds it to the bin of the same index.
  private mutating func insert(_ bin: Bin) {
    var index = bins.count
    while index > 0, bins[index - 1].place > bin.place { index -= 1 }
    if index > 0, bins[index - 1].place == bin.place {
      bins[index - 1].count += bin.count
      bins[index - 1].normalizedSquares += bin.normalizedSquares
    } else {
      bins.insert(bin, at: index)
    }
  }

  /// Doubles the width and merges bins that now coincide.
  ///
  /// Called at most 33 times, because four bins of 2³³ s contain every possible instant.
  private mutating func coarsen() {
    width *= 2
    var kept = 0
    for index in bins.indices {
      var bin = bins[index]
      bin.place = Self.place(of: bin.place, 2)
      if kept > 0, bins[kept - 1].place == bin.place {
        bins[kept - 1].count += bin.count
        bins[kept - 1].normalizedSquares += bin.normalizedSquares
      } else {
        bins[kept] = bin
        kept += 1
      }
    }
    bins.removeLast(bins.count - kept)
  }

  /// Reserves the memory of all bins, so that later updates do not allocate.
  mutating func reserveCapacity() { bins.reserveCapacity(Self.mostBins + 1) }

  /// Releases the memory of bins that are not used.
  mutating func releaseCapacity() { bins = bins.map { $0 } }

  /// Returns `value / width`, rounded down.
  private static func place(of value: Int64, _ width: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: width)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension InnovationTimeline {
  /// The bins in the form of the summary.
  var summary: [RecordingSummary.FilterConsistency.Bin] {
    let seconds = Double(width) / 1e9
    return bins.map { bin in
      RecordingSummary.FilterConsistency.Bin(
        startS: Double(bin.place) * seconds, endS: Double(bin.place + 1) * seconds,
        count: bin.count, meanNormalizedSquare: bin.normalizedSquares / Double(bin.count))
    }
  }
}

extension RecordingSummary.FilterConsistency {
  /// Creates the consistency of several filters together; nil without innovations.
  init?(_ filters: [InnovationSums]) {
    let sums = filters.reduce(InnovationSums(), +)
    guard sums.count > 0 else { return nil }
    self.init(
      meanNormalizedSquare: sums.normalizedSquares / Double(sums.count),
      medianNormalizedSquare: sums.squares.median,
      sigmaScale: (sums.noiseFactors / Double(sums.count)).squareRoot(),
      innovations: sums.count, timeline: sums.timeline.summary)
  }
}
