import RealModule

/// A smoother of an ``InteractingMultipleModel``: the state under each model and the model
/// probabilities, given all measurements of the run.
///
/// Expectation correction [Barber 2006]. At a turn the filtered mixture has only past measurements
/// and detects the turn some instants late; the smoother detects it at the right time. Every pair
/// of an earlier and a later model is reversed as in ``RauchTungStriebelSmoother``. The probability
/// of the earlier model given the later one follows from the predictive density of the state
/// smoothed under the later model. The mixture over all later models is approximated by one normal
/// distribution per model.
///
/// ```swift
/// var smoother = MixtureSmoother(start: filter)
/// for (seconds, range) in ranges {
///   let switching = Matrix.dwelling(seconds: durations, over: seconds)
///   filter.predict(switching: switching) { ... }
///   try filter.update { ... }
///   smoother.append(filter, switching: switching) { model, estimate in ... }
/// }
/// let run = smoother.smoothed()
/// ```
public struct MixtureSmoother<let Count: Int, let N: Int>: Sendable {
  /// The mixture type being smoothed.
  public typealias Mixture = InteractingMultipleModel<Count, N>

  /// The filtered mixture at every instant, after its updates, in order.
  public private(set) var filtered: [Mixture]
  private var steps: [Step] = []

  private struct Step {
    var switching: Matrix<Count, Count>
    /// From each model of the previous instant to each model of this one, row by row.
    var branches: [Branch]
  }

  /// The transition of one model's estimate to the next instant by another model.
  private struct Branch {
    var reversal: Reversal<N>
    /// The predicted covariance at the next instant.
    var covariance: Matrix<N, N>
  }

  /// Creates a smoother of a run that begins with `start`, the mixture after the updates of the
  /// first instant.
  public init(start: Mixture) {
    filtered = [start]
  }

  /// Adds an instant.
  ///
  /// - Parameters:
  ///   - filtered: The mixture after the updates of the instant.
  ///   - switching: The probability of switching from the model of the row to that of the column
  ///     since the previous instant; rows sum to 1.
  ///   - move: Predicts an estimate of the previous instant by a model and returns the reversal,
  ///     like `predictReversibly`; called once for every pair of models.
  public mutating func append(
    _ filtered: Mixture, switching: Matrix<Count, Count>,
    _ move: (_ model: Int, _ estimate: inout Gaussian<N>) -> Reversal<N>
  ) {
    var branches: [Branch] = []
    branches.reserveCapacity(Count * Count)
    for from in 0..<Count {
      for model in 0..<Count {
        var estimate = self.filtered[self.filtered.count - 1].estimates[from]
        let reversal = move(model, &estimate)
        branches.append(Branch(reversal: reversal, covariance: estimate.covariance))
      }
    }
    self.filtered.append(filtered)
    steps.append(Step(switching: switching, branches: branches))
  }

  /// Returns the mixture at every instant given all measurements.
  ///
  /// Linear in the number of instants, with Count² backward steps for each; allocates the result.
  public func smoothed() -> [Mixture] {
    var result = filtered
    for index in steps.indices.reversed() {
      result[index] = Self.before(result[index + 1], steps[index], filtered[index])
    }
    return result
  }

  /// Performs one backward step.
  private static func before(_ later: Mixture, _ step: Step, _ filtered: Mixture) -> Mixture {
    var weights = Matrix<Count, Count>.zero
    for model in 0..<Count {
      let conditional = conditionalProbabilities(
        of: model, at: later.estimates[model].mean, step, filtered)
      for from in 0..<Count {
        weights[from, model] = later.probabilities[model] * conditional[from]
      }
    }
    var result = filtered
    for from in 0..<Count {
      var sum = 0.0
      for model in 0..<Count { sum += weights[from, model] }
      result.probabilities[from] = sum
      // A model of probability zero is not updated.
      guard sum > 0 else { continue }
      var pieces = later.estimates
      var parts = Vector<Count>.zero
      for model in 0..<Count {
        let branch = step.branches[Count * from + model]
        pieces[model] = branch.reversal.smoothed(from: later.estimates[model])
        parts[model] = weights[from, model] / sum
      }
      result.estimates[from] = Mixture.merged(pieces, weights: parts)
    }
    return result
  }

  /// Returns the probability of each earlier model, given that `model` holds now and the state is
  /// `state`; zero when no model can lead to it.
  private static func conditionalProbabilities(
    of model: Int, at state: Vector<N>, _ step: Step, _ filtered: Mixture
  ) -> Vector<Count> {
    var logarithms = Vector<Count>(repeating: -.infinity)
    var largest = -Double.infinity
    for from in 0..<Count {
      let weight = filtered.probabilities[from] * step.switching[from, model]
      guard weight > 0 else { continue }
      let branch = step.branches[Count * from + model]
      let away = state - branch.reversal.predicted
      logarithms[from] = .log(weight) + branch.covariance.semidefiniteLogDensity(of: away)
      largest = max(largest, logarithms[from])
    }
    guard largest.isFinite else { return .zero }
    var conditional = Vector<Count>.zero
    var sum = 0.0
    for from in 0..<Count {
      conditional[from] = .exp(logarithms[from] - largest)
      sum += conditional[from]
    }
    return (1 / sum) * conditional
  }
}

extension Matrix where Rows == Columns {
  /// Returns the logarithm of the normal density of this covariance at `deviation`, up to a
  /// constant; directions without variance are omitted.
  func semidefiniteLogDensity(of deviation: Vector<Rows>) -> Double {
    let root = semidefiniteRoot()
    var whitened = deviation
    var logarithm = 0.0
    for row in 0..<Rows {
      let pivot = root[row, row]
      guard pivot > 0 else {
        whitened[row] = 0
        continue
      }
      for inner in 0..<row { whitened[row] -= root[row, inner] * whitened[inner] }
      whitened[row] /= pivot
      logarithm -= .log(pivot) + 0.5 * whitened[row] * whitened[row]
    }
    return logarithm
  }
}
