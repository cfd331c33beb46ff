import RealModule

/// The antenna delays of radios, as lengths, from ranges between known places.
///
/// A range between two radios is too long by the delays of both, each half of what transmission and
/// reception take together [Decawave APS014]. Ranges therefore show sums of two delays. Where
/// devices measure each other in an odd circle, such as three anchors, single delays follow; where only
/// tags measure anchors, a constant can be moved from all tags to all anchors.
public struct AntennaDelays: Sendable, Equatable {
  /// The error that ranges between two devices have in common.
  public struct Pair: Sendable, Equatable {
    /// The index of one device.
    public var first: Int
    /// The index of the other device.
    public var second: Int
    /// Measured minus true distance, in metres.
    public var error: Double
    /// Standard deviation of ``error``, in metres.
    public var sigma: Double
    /// The number of ranges.
    public var count: Int

    /// Creates a pair with an error in metres.
    public init(_ first: Int, _ second: Int, error: Double, sigma: Double, count: Int = 1) {
      (self.first, self.second) = (first, second)
      (self.error, self.sigma, self.count) = (error, sigma, count)
    }
  }

  /// The delay of a device.
  public struct Delay: Sendable, Equatable {
    /// The share of a range in metres.
    public var metres: Double
    /// Its standard deviation in metres.
    public var sigma: Double
    /// Whether it is the delay of this device alone; otherwise only sums with devices of the other kind are
    /// determined, and the delays of the reference devices have the mean zero.
    public var isAbsolute: Bool

    /// The delay in seconds.
    public var seconds: Double { metres / AntennaDelays.speedOfLight }
    /// The delay in ticks of the clock of DW1000 and DW3000 radios, 15.65 ps.
    public var ticks: Double { seconds * AntennaDelays.tickRate }
  }

  /// The delays of all devices; nil for those without usable ranges.
  public private(set) var delays: [Delay?]
  /// The pairs that contributed.
  public private(set) var pairs: [Pair]
  /// The root of the mean squared deviation of the pairs from the sums of their delays, in units of their
  /// standard deviations; nil if there are not more pairs than delays.
  ///
  /// Far above 1, there are errors that delays do not explain: reflections, wrong places.
  public private(set) var deviation: Double?

  private static let speedOfLight = 299_792_458.0
  private static let tickRate = 128 * 499.2e6
  /// Standard deviation of the persistent errors at one place, in metres: reflections.
  private static let persistentSigma = 0.03
  /// The largest number of ranges of a pair that count as independent.
  private static let mostIndependent = 30

  /// Returns the pair of two devices from the errors of their ranges, in metres: the median, with a
  /// standard deviation by their scatter and by persistent errors; nil without a finite error.
  public static func pair(_ first: Int, _ second: Int, errors: [Double]) -> Pair? {
    let sorted = errors.filter(\.isFinite).sorted()
    guard !sorted.isEmpty else { return nil }
    let median = sorted[sorted.count / 2]
    let deviations = sorted.map { ($0 - median).magnitude }.sorted()
    // Of normal errors.
    let scatter = 1.4826 * deviations[deviations.count / 2]
    let independent = Double(min(sorted.count, mostIndependent))
    let variance = persistentSigma * persistentSigma + scatter * scatter / independent
    return Pair(
      first, second, error: median, sigma: variance.squareRoot(), count: sorted.count)
  }

  /// Finds the delays by weighted least squares.
  ///
  /// - Parameters:
  ///   - pairs: The pairs of devices; those of a device with itself and those that are no numbers are
  ///     left out.
  ///   - count: The number of devices.
  ///   - references: The devices whose delays have the mean zero where single delays are not
  ///     determined: the tags.
  ///
  /// ## Cost
  /// Cubic in the number of devices.
  public init(_ pairs: [Pair], count: Int, references: Set<Int>) {
    let usable = pairs.filter { pair in
      pair.first != pair.second && (0..<count).contains(pair.first)
        && (0..<count).contains(pair.second) && pair.error.isFinite && pair.sigma > 0
        && pair.sigma.isFinite
    }
    self.pairs = usable
    delays = Array(repeating: nil, count: count)
    var (squares, freedom) = (0.0, 0)
    var found: [(group: Group, sigmas: [Double])] = []
    for group in Group.groups(of: usable, count: count) {
      guard let solution = group.solved(usable, references: references) else { continue }
      for (place, device) in group.devices.enumerated() {
        delays[device] = Delay(
          metres: solution.values[place], sigma: solution.sigmas[place],
          isAbsolute: group.hasOddCircle)
      }
      found.append((group, solution.sigmas))
      let own = usable.filter { group.devices.contains($0.first) }
      freedom += own.count - group.devices.count + (group.hasOddCircle ? 0 : 1)
    }
    for pair in usable {
      guard let first = delays[pair.first], let second = delays[pair.second] else { continue }
      let residual = (pair.error - first.metres - second.metres) / pair.sigma
      squares += residual * residual
    }
    guard freedom > 0 else { return }
    let deviation = (squares / Double(freedom)).squareRoot()
    self.deviation = deviation
    // What the delays do not explain makes them less certain.
    guard deviation > 1 else { return }
    for index in delays.indices { delays[index]?.sigma *= deviation }
  }

  /// Devices that are linked by ranges.
  private struct Group {
    var devices: [Int]
    /// Whether a device is on the second side; each pair links the two sides unless there is an odd
    /// circle.
    var isSecond: [Bool]
    var hasOddCircle: Bool

    static func groups(of pairs: [Pair], count: Int) -> [Group] {
      var neighbours = [[Int]](repeating: [], count: count)
      for pair in pairs {
        neighbours[pair.first].append(pair.second)
        neighbours[pair.second].append(pair.first)
      }
      var side = [Bool?](repeating: nil, count: count)
      var groups: [Group] = []
      for start in 0..<count where side[start] == nil && !neighbours[start].isEmpty {
        side[start] = false
        var devices = [start]
        var next = 0
        var hasOddCircle = false
        while next < devices.count {
          let device = devices[next]
          next += 1
          for other in neighbours[device] {
            if side[other] == nil {
              side[other] = side[device] == false
              devices.append(other)
            } else if side[other] == side[device] {
              hasOddCircle = true
            }
          }
        }
        devices.sort()
        groups.append(
          Group(
            devices: devices, isSecond: devices.map { side[$0] == true },
            hasOddCircle: hasOddCircle))
      }
      return groups
    }

    /// Returns the delays of the devices with their standard deviations; nil if they cannot be computed.
    func solved(
      _ pairs: [Pair], references: Set<Int>
    ) -> (values: [Double], sigmas: [Double])? {
      let places = Dictionary(uniqueKeysWithValues: zip(devices, devices.indices))
      let count = devices.count
      var matrix = [[Double]](repeating: Array(repeating: 0, count: count), count: count)
      var right = [Double](repeating: 0, count: count)
      var greatest = 0.0
      for pair in pairs {
        guard let first = places[pair.first], let second = places[pair.second] else { continue }
        let weight = 1 / (pair.sigma * pair.sigma)
        greatest = max(greatest, weight)
        for row in [first, second] {
          right[row] += weight * pair.error
          for column in [first, second] { matrix[row][column] += weight }
        }
      }
      if !hasOddCircle {
        let known = devices.indices.filter { references.contains(devices[$0]) }
        let side = known.first.map { isSecond[$0] } ?? isSecond[0]
        let zero = devices.indices.filter {
          isSecond[$0] == side && (known.isEmpty || references.contains(devices[$0]))
        }
        // A measurement of their sum that is exact beside the others.
        for row in zero {
          for column in zero { matrix[row][column] += 1e4 * greatest }
        }
      }
      guard let factor = try? DenseCholesky(DenseMatrix(matrix)),
        let inverse = try? factor.solve(
          DenseMatrix(
            (0..<count).map { row in (0..<count).map { $0 == row ? 1 : 0 } }))
      else { return nil }
      var (values, sigmas): ([Double], [Double]) = ([], [])
      for row in 0..<count {
        var value = 0.0
        for column in 0..<count { value += inverse[row, column] * right[column] }
        values.append(value)
        sigmas.append(max(0, inverse[row, row]).squareRoot())
      }
      return (values, sigmas)
    }
  }
}
