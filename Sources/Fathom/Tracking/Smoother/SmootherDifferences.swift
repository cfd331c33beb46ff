import RealModule

/// Time differences of arrival in a smoothed track.
///
/// The differences of one transmission have the error of the arrival at its reference in common. Every
/// arrival errs as a range does, so that differences r to a reference with the error e₀ are as probable
/// as ranges with the residuals r - e₀. The most probable e₀ is eliminated from each linearisation: what
/// remains is the information of the single differences less that of their weighted mean, and the result
/// does not depend on which anchor is the reference [Foy 1976; Sayed et al. 2005].
extension SmootherRun {
  /// A linearised difference of a transmission.
  struct Arrival {
    /// Measured minus expected difference, in metres.
    var residual: Double
    var derivative: InlineArray<N, Double>
    var others: ChainEquations<N>.SharedDerivative
    /// Variance of an arrival, and that of an independent error with the same effect, in m².
    var single: Double
    var effective: Double
    /// The information of the arrival, 1/m², once its weight is known.
    var information = 0.0
  }

  /// Storage for the differences of one transmission.
  struct Transmission {
    var arrivals: [Arrival] = []
    /// Variances of the arrival at the reference.
    var single = 0.0
    var effective = 0.0
    /// The error of the arrival at the reference, in metres, and its information.
    var error = 0.0
    var information = 0.0
    fileprivate var sorted: [Double] = []
    fileprivate var shares: [Double] = []
  }

  /// Calls `body` with the linearised differences of each transmission, its state and time.
  func forEachTransmission(
    _ body: (_ transmission: inout Transmission, _ indices: Range<Int>, _ state: Int) -> Void
  ) {
    var transmission = Transmission()
    var begin = 0
    while begin < differences.count {
      let (time, reference) = (differences[begin].time, differences[begin].first)
      var end = begin + 1
      while end < differences.count, differences[end].time == time,
        differences[end].first == reference
      {
        end += 1
      }
      let state = Int(knots.differenceStates[begin])
      transmission.arrivals.removeAll(keepingCapacity: true)
      for index in begin..<end { transmission.arrivals.append(arrival(index, state: state)) }
      let sigma = configuration.errors.sigma
      transmission.single = sigma * sigma
      transmission.effective = knots.arrivalVariances[reference]
      settle(&transmission)
      body(&transmission, begin..<end, state)
      begin = end
    }
  }

  /// Returns the residual of a difference and its derivatives.
  private func arrival(_ index: Int, state: Int) -> Arrival {
    let difference = differences[index]
    let after = difference.time.seconds(since: knots.times[state])
    let (first, second) = (difference.first, difference.second)
    let (near, far) = (
      offset(from: first, state: state, after: after),
      offset(from: second, state: state, after: after)
    )
    let (metres, other) = (near.length, far.length)
    let slope = metres > 0 ? ((1 + scale) / metres) * near : .zero
    let otherSlope = other > 0 ? ((1 + scale) / other) * far : .zero
    var derivative = InlineArray<N, Double>(repeating: 0)
    for axis in 0..<Self.axes {
      derivative[axis] = slope[axis] - otherSlope[axis]
      derivative[Self.axes + axis] = after * derivative[axis]
    }
    var expected = (1 + scale) * (metres - other)
    var others = ChainEquations<N>.SharedDerivative()
    if hasBias, configuration.errors.scaleSigma > 0 { others.append(1, metres - other) }
    if let offsets = layout.offsets {
      expected += common[offsets + first] - common[offsets + second]
      others.append(offsets + first, 1)
      others.append(offsets + second, -1)
    }
    for (anchor, slopes) in [(first, -1 * slope), (second, otherSlope)] {
      guard let place = layout.surveys[anchor] else { continue }
      for axis in 0..<3 { others.append(place + axis, slopes[axis]) }
    }
    let sigma = configuration.errors.sigma
    return Arrival(
      residual: difference.corrected(anchors) - expected, derivative: derivative, others: others,
      single: sigma * sigma, effective: knots.arrivalVariances[second])
  }

  /// Finds the error of the arrival at the reference and the weights of all arrivals.
  ///
  /// Starts from the median of the errors that the arrivals imply, so that a wrong arrival at the
  /// reference is recognised by all others.
  private func settle(_ transmission: inout Transmission) {
    transmission.sorted.removeAll(keepingCapacity: true)
    transmission.sorted.append(0)
    for arrival in transmission.arrivals { transmission.sorted.append(arrival.residual) }
    transmission.sorted.sort()
    transmission.error = transmission.sorted[(transmission.sorted.count - 1) / 2]
    let enough = 1e-6 * transmission.single.squareRoot()
    for _ in 0..<Self.mostWeightings {
      let own = transmission.error
      transmission.information =
        weight(own * own / transmission.single) / transmission.effective
      var (sum, total) = (0.0, transmission.information)
      for index in transmission.arrivals.indices {
        let arrival = transmission.arrivals[index]
        let miss = arrival.residual - own
        let information = weight(miss * miss / arrival.single) / arrival.effective
        transmission.arrivals[index].information = information
        sum += information * arrival.residual
        total += information
      }
      transmission.error = sum / total
      if (transmission.error - own).magnitude <= enough { break }
    }
  }

  private static var mostWeightings: Int { 30 }

  /// Returns the weight of an error with the normalised square `square`: that of its likelihood.
  private func weight(_ square: Double) -> Double {
    StudentDensity.weight(square, freedom: density.freedom)
  }

  private func cost(_ error: Double, single: Double, effective: Double) -> Double {
    density.tail(error * error / single) * single / effective
  }

  /// Adds the time differences to the equations, and their cost.
  func addDifferences(to chain: inout ChainEquations<N>, cost: inout Double) {
    guard !differences.isEmpty else { return }
    forEachTransmission { transmission, _, state in
      let error = transmission.error
      cost += self.cost(
        error, single: transmission.single, effective: transmission.effective)
      var mean = InlineArray<N, Double>(repeating: 0)
      var (sum, total) = (0.0, transmission.information)
      transmission.shares.removeAll(keepingCapacity: true)
      for _ in common.indices { transmission.shares.append(0) }
      for arrival in transmission.arrivals {
        let information = arrival.information
        cost += self.cost(
          arrival.residual - error, single: arrival.single, effective: arrival.effective)
        chain.add(
          state, derivative: arrival.derivative, common: arrival.others,
          residual: arrival.residual, weight: information)
        for row in 0..<N { mean[row] += information * arrival.derivative[row] }
        for place in 0..<arrival.others.count {
          transmission.shares[arrival.others.columns[place]] +=
            information * arrival.others.values[place]
        }
        sum += information * arrival.residual
        total += information
      }
      chain.add(
        state, derivative: mean, dense: transmission.shares, residual: sum, weight: -1 / total)
    }
  }

  /// Adds the residuals of the arrivals to those of the ranges; each in proportion to the error that it
  /// shows, because the error at the reference is fitted to them.
  func addDifferences(to stretches: inout ResidualVarianceEstimator) {
    guard !differences.isEmpty else { return }
    forEachTransmission { transmission, indices, _ in
      let count = Double(transmission.arrivals.count)
      let shown = ((count + 1) / count).squareRoot()
      let time = differences[indices.lowerBound].time
      func add(_ error: Double, single: Double, effective: Double, anchor: Int) {
        guard density.weight(error * error / single) >= 0.5 else { return }
        stretches.add(shown * error, single: single, effective: effective, anchor: anchor, at: time)
      }
      add(
        -transmission.error, single: transmission.single, effective: transmission.effective,
        anchor: differences[indices.lowerBound].first)
      for (index, arrival) in zip(indices, transmission.arrivals) {
        add(
          arrival.residual - transmission.error, single: arrival.single,
          effective: arrival.effective, anchor: differences[index].second)
      }
    }
  }
}

extension ChainEquations {
  /// Adds a measurement of state `index` that depends on all common unknowns.
  ///
  /// `derivative` is by the state, `others` by the common unknowns. `residual` is measured minus
  /// expected value, `weight` the inverse of the variance; negative to take information away.
  mutating func add(
    _ index: Int, derivative: InlineArray<N, Double>, dense others: [Double], residual: Double,
    weight: Double
  ) {
    add(
      index, derivative: derivative, common: SharedDerivative(), residual: residual, weight: weight)
    for (row, value) in others.enumerated() where value != 0 {
      let scaled = weight * value
      for place in 0..<N {
        border[stride * (N * index + place) + row] += scaled * derivative[place]
      }
      for (column, other) in others.enumerated() { corner[shared * row + column] += scaled * other }
      common[row] += scaled * residual
    }
  }
}

/// The ranges and time differences of a tag as one series in order of time; of one instant, ranges come
/// first.
struct MeasurementOrder {
  let ranges: [RangeMeasurement]
  let differences: [TimedDifference]

  /// A measurement: the index of a range or of a difference.
  enum Place {
    case range(Int)
    case difference(Int)
  }

  /// The number of measurements.
  var count: Int { ranges.count + differences.count }

  /// Calls `body` with each measurement and its number in the series, from the first to the last.
  func forEach(_ body: (_ number: Int, _ place: Place) -> Void) {
    var (range, difference) = (0, 0)
    while range + difference < count {
      let number = range + difference
      if range < ranges.count,
        difference >= differences.count || ranges[range].time <= differences[difference].time
      {
        body(number, .range(range))
        range += 1
      } else {
        body(number, .difference(difference))
        difference += 1
      }
    }
  }

  /// Calls `body` as ``forEach(_:)`` does, from the last measurement to the first.
  func forEachReversed(_ body: (_ number: Int, _ place: Place) -> Void) {
    var (range, difference) = (ranges.count - 1, differences.count - 1)
    while range + difference + 2 > 0 {
      let number = range + difference + 1
      if difference >= 0,
        range < 0 || ranges[range].time <= differences[difference].time
      {
        body(number, .difference(difference))
        difference -= 1
      } else {
        body(number, .range(range))
        range -= 1
      }
    }
  }
}
