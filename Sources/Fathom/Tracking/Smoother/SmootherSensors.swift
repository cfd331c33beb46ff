import RealModule

/// Heights and odometry of a smoothed track, assigned to its states.
struct SmootherSensors: Sendable {
  /// The odometry after each state; nil without any.
  var links: [OdometryLink?] = []
  /// The heights, in order of time.
  var heights: [Height] = []
  /// The number of offsets, and the time between two of them in seconds.
  var offsetCount = 0
  var offsetSpacing = 1.0
  /// Variance of the first offset, and of the change from one to the next, in m².
  var offsetVariance = 0.0
  var driftVariance = 0.0

  /// A height near a state.
  struct Height: Sendable {
    /// The index of the state, and the time since it in seconds.
    var state: Int
    var after: Double
    /// The height in metres.
    var metres: Double
    /// Variance of its white part, in m².
    var variance: Double
    /// The index of the offset before it, and its place between that and the next one, 0 to 1.
    var offset: Int
    var share: Double
  }

  /// The longest time between a height and its state, in seconds.
  private static let reach = 0.5
  /// The least time between two offsets, in seconds: within it the drift is small.
  private static let leastSpacing = 60.0
  /// The largest number of offsets.
  private static let mostOffsets = 64
  /// How many standard deviations the heights may be away from those of the track until the zero of
  /// the sensor counts as unknown.
  private static let likelyOffset = 4.0

  /// Assigns `heights`, in order of time, to the states at `times`.
  ///
  /// `track` returns the height of the start of the search in a state. Returns the start of the
  /// ``offsetCount`` offsets: the median difference of the heights and the start of the search if
  /// that is large, otherwise 0; nil without heights.
  mutating func add(
    _ heights: [HeightMeasurement], times: [Timestamp], errors: HeightErrors,
    track: (Int) -> Double
  ) -> Double? {
    guard let first = times.first, let last = times.last else { return nil }
    let span = last.seconds(since: first)
    offsetSpacing = max(Self.leastSpacing, span / Double(Self.mostOffsets))
    offsetCount = Int(span / offsetSpacing) + 2
    offsetVariance = errors.offsetVariance
    driftVariance = max(1e-12, errors.driftVariance(over: offsetSpacing))
    var state = 0
    var differences: [Double] = []
    for height in heights where height.isUsable {
      while state + 1 < times.count, times[state + 1] <= height.time { state += 1 }
      var nearest = state
      if state + 1 < times.count,
        times[state + 1].seconds(since: height.time) < height.time.seconds(since: times[state])
      {
        nearest = state + 1
      }
      let after = height.time.seconds(since: times[nearest])
      guard after.magnitude <= Self.reach else { continue }
      let place = min(
        max(0, height.time.seconds(since: first) / offsetSpacing), Double(offsetCount - 1) - 1e-9)
      self.heights.append(
        Height(
          state: nearest, after: after, metres: height.height,
          variance: errors.whiteVariance(of: height.sigma), offset: Int(place),
          share: place - Double(Int(place))))
      differences.append(height.height - track(nearest))
    }
    guard !self.heights.isEmpty else { return nil }
    differences.sort()
    let median = differences[differences.count / 2]
    let isFar = median.magnitude > Self.likelyOffset * errors.sigma
    if isFar { offsetVariance = max(offsetVariance, median * median) }
    return isFar ? median : 0
  }

  /// Returns the prior standard deviation of an offset of heights, in metres.
  func priorSigma(ofOffset number: Int) -> Double {
    (offsetVariance + Double(number) * driftVariance).squareRoot()
  }

  /// Whether odometry links state `index` to the next one.
  func isLinked(_ index: Int) -> Bool { links.indices.contains(index) && links[index] != nil }
}

extension SmootherRun {
  /// Adds the measured heights and the prior of their offsets to the equations, and their cost.
  func addHeights(to chain: inout ChainEquations<N>, cost: inout Double) {
    guard Self.axes == 3, let first = layout.heights.first else { return }
    let freedom = density.freedom
    for height in sensors.heights {
      let (state, after) = (height.state, height.after)
      let place = N * state + 2
      let before = first + height.offset
      let offset = (1 - height.share) * common[before] + height.share * common[before + 1]
      let residual = height.metres - states[place] - after * states[place + Self.axes] - offset
      var derivative = InlineArray<N, Double>(repeating: 0)
      derivative[2] = 1
      derivative[Self.axes + 2] = after
      var others = ChainEquations<N>.SharedDerivative()
      others.append(before, 1 - height.share)
      others.append(before + 1, height.share)
      let square = residual * residual / height.variance
      let weight = StudentDensity.weight(square, freedom: freedom)
      cost += StudentDensity.tail(square, freedom: freedom)
      chain.add(
        state, derivative: derivative, common: others, residual: residual,
        weight: weight / height.variance)
    }
    func add(_ row: Int, _ column: Int, _ value: Double) {
      chain.corner[common.count * row + column] += value
    }
    let start = 1 / max(1e-12, sensors.offsetVariance)
    add(first, first, start)
    chain.common[first] -= start * common[first]
    cost += 0.5 * start * common[first] * common[first]
    let walk = 1 / sensors.driftVariance
    for index in first..<first + sensors.offsetCount - 1 {
      let change = common[index + 1] - common[index]
      add(index, index, walk)
      add(index + 1, index + 1, walk)
      add(index, index + 1, -walk)
      add(index + 1, index, -walk)
      chain.common[index] += walk * change
      chain.common[index + 1] -= walk * change
      cost += 0.5 * walk * change * change
    }
  }
}
