import RealModule

/// An interacting multiple model (IMM) estimator: several Gaussian filters of one state, one valid
/// at a time.
///
/// [Blom & Bar-Shalom 1988; Bar-Shalom et al. 2001, Sec. 11.6.6]. Before a prediction the estimates
/// are mixed by the probabilities of switching between models. Every model then predicts and
/// updates by itself, and the likelihoods of the measurement weight them. Prediction and update of
/// a model are closures. Extended, unscented and linear steps and different motions can therefore
/// be combined without existentials and without allocation.
///
/// ```swift
/// var filter = InteractingMultipleModel<2, 6>(state: start, probabilities: Vector([0.9, 0.1]))
/// filter.predict(switching: .dwelling(seconds: Vector([20, 4]), over: 0.1)) { model, estimate in
///   estimate.predict(by: motions[model], over: 0.1)
/// }
/// let update = try filter.update { model, estimate throws(FilteringError) in
///   try estimate.condition(on: range, of: sensor, noise: noise)
/// }
/// ```
public struct InteractingMultipleModel<let Count: Int, let N: Int>: Sendable {
  /// The estimate of each model.
  public var estimates: InlineArray<Count, Gaussian<N>>
  /// The probability of each model; they sum to 1.
  public var probabilities: Vector<Count>

  /// The result of a mixture update.
  @frozen
  public struct Update<let M: Int>: Sendable, Equatable {
    /// The innovation of the mixture: residual and covariance relative to the mixture's
    /// expectation.
    public var innovation: Innovation<M>
    /// Logarithm of the density of the measurement in the mixture.
    public var logLikelihood: Double

    @inlinable
    init(innovation: Innovation<M>, logLikelihood: Double) {
      self.innovation = innovation
      self.logLikelihood = logLikelihood
    }
  }

  /// Creates a mixture in which all models have the prior `state`, with `probabilities` that sum to
  /// 1.
  @inlinable
  public init(state: Gaussian<N>, probabilities: Vector<Count>) {
    estimates = InlineArray(repeating: state)
    self.probabilities = probabilities
  }

  /// The mixture as one normal distribution of the same mean and covariance.
  @inlinable
  public var state: Gaussian<N> { Self.merged(estimates, weights: probabilities) }

  /// Mixes the estimates and predicts each by its model.
  ///
  /// - Parameters:
  ///   - switching: The probability of switching from the model of the row to that of the column
  ///     over the step; rows sum to 1.
  ///   - move: Predicts the estimate of a model, counted from 0.
  @inlinable
  public mutating func predict(
    switching: Matrix<Count, Count>, _ move: (_ model: Int, _ estimate: inout Gaussian<N>) -> Void
  ) {
    mix(switching: switching)
    for model in 0..<Count { move(model, &estimates[model]) }
  }

  /// Mixes the estimates, predicts each, and returns the reversal of the mixture for a smoother.
  ///
  /// The states before and after the step have a joint distribution with one normal component for
  /// every pair of models. The reversal is that of the single normal distribution with the same
  /// moments, computed as a sum of squares. ``RauchTungStriebelSmoother`` and ``FixedLagSmoother``
  /// therefore accept a mixture like any other filter, with ``state`` as the filtered estimate.
  /// ``MixtureSmoother`` also smooths the model probabilities, at Count² times the cost.
  ///
  /// - Parameters:
  ///   - switching: The switching probabilities, as in ``predict(switching:_:)``.
  ///   - move: Predicts the estimate of a model and returns its reversal, like `predictReversibly`;
  ///     called several times for every pair of models.
  /// - Returns: The reversal of ``state``.
  @inlinable
  public mutating func predictReversibly(
    switching: Matrix<Count, Count>,
    _ move: (_ model: Int, _ estimate: inout Gaussian<N>) -> Reversal<N>
  ) -> Reversal<N> {
    let (before, weights, filtered) = (estimates, probabilities, state)
    mix(switching: switching)
    for model in 0..<Count { _ = move(model, &estimates[model]) }

    // The moments of the state after the step, over all pairs.
    var predicted = Vector<N>.zero
    for from in 0..<Count {
      for model in 0..<Count {
        var estimate = before[from]
        _ = move(model, &estimate)
        predicted += (weights[from] * switching[from, model]) * estimate.mean
      }
    }
    var spread = Matrix<N, N>.zero
    var cross = Matrix<N, N>.zero
    for from in 0..<Count {
      for model in 0..<Count {
        let weight = weights[from] * switching[from, model]
        guard weight > 0 else { continue }
        var estimate = before[from]
        let reversal = move(model, &estimate)
        let (earlier, later) = (before[from].mean - filtered.mean, estimate.mean - predicted)
        let pair = reversal.gain * estimate.covariance
        for row in 0..<N {
          for column in 0..<N {
            let square = later[row] * later[column]
            spread[row, column] += weight * (estimate.covariance[row, column] + square)
            cross[row, column] += weight * (pair[row, column] + earlier[row] * later[column])
          }
        }
      }
    }
    // The covariance of the earlier state given the later one.
    let gain = spread.semidefiniteDivide(cross)
    var rest = Matrix<N, N>.zero
    for from in 0..<Count {
      for model in 0..<Count {
        let weight = weights[from] * switching[from, model]
        guard weight > 0 else { continue }
        var estimate = before[from]
        let reversal = move(model, &estimate)
        let away = before[from].mean - filtered.mean - gain * (estimate.mean - predicted)
        let other = estimate.covariance.congruent(through: reversal.gain - gain)
        for row in 0..<N {
          for column in 0..<N {
            let within = reversal.covariance[row, column] + other[row, column]
            rest[row, column] += weight * (within + away[row] * away[column])
          }
        }
      }
    }
    return Reversal(
      gain: gain, filtered: filtered.mean, predicted: predicted, covariance: rest)
  }

  /// Updates the mixture with a measurement.
  ///
  /// - Parameter condition: Conditions the estimate of a model on the measurement.
  /// - Returns: The innovation and the likelihood of the mixture.
  /// - Throws: The errors of `condition`; the mixture is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update<let M: Int>(
    _ condition: (_ model: Int, _ estimate: inout Gaussian<N>) throws(FilteringError) ->
      Innovation<M>
  ) throws(FilteringError) -> Update<M> {
    var updated = estimates
    var logarithms = Vector<Count>.zero
    var residual = Vector<M>.zero
    var single = InlineArray<Count, Innovation<M>>(
      repeating: Innovation(residual: .zero, covariance: .zero, normalizedSquare: 0))
    for model in 0..<Count {
      single[model] = try condition(model, &updated[model])
      logarithms[model] = single[model].logLikelihood
      residual += probabilities[model] * single[model].residual
    }
    var spread = Matrix<M, M>.zero
    for model in 0..<Count {
      let weight = probabilities[model]
      let away = single[model].residual - residual
      for row in 0..<M {
        for column in 0..<M {
          let square = away[row] * away[column]
          spread[row, column] += weight * (single[model].covariance[row, column] + square)
        }
      }
    }
    guard let root = Cholesky(spread) else { throw .indefiniteInnovation }
    let whitened = root.forward(residual)

    // Subtracting the largest exponent prevents underflow of all probabilities.
    var largest = -Double.infinity
    for model in 0..<Count where probabilities[model] > 0 {
      largest = max(largest, logarithms[model])
    }
    guard largest.isFinite else { throw .notFinite }
    var sum = 0.0
    var posterior = Vector<Count>.zero
    for model in 0..<Count {
      posterior[model] = probabilities[model] * .exp(logarithms[model] - largest)
      sum += posterior[model]
    }
    estimates = updated
    probabilities = (1 / sum) * posterior
    var innovation = single[0]
    innovation.residual = residual
    innovation.covariance = spread
    innovation.normalizedSquare = whitened.dot(whitened)
    return Update(innovation: innovation, logLikelihood: largest + .log(sum))
  }

  /// Mixes the estimates: computes the prior of each model and its probability before a
  /// measurement.
  @inlinable
  mutating func mix(switching: Matrix<Count, Count>) {
    let before = estimates
    var after = Vector<Count>.zero
    for model in 0..<Count {
      var weights = Vector<Count>.zero
      var sum = 0.0
      for from in 0..<Count {
        weights[from] = switching[from, model] * probabilities[from]
        sum += weights[from]
      }
      after[model] = sum
      guard sum > 0 else { continue }
      estimates[model] = Self.merged(before, weights: (1 / sum) * weights)
    }
    probabilities = after
  }

  /// Returns the normal distribution with the mean and covariance of a mixture.
  @inlinable
  static func merged(
    _ estimates: InlineArray<Count, Gaussian<N>>, weights: Vector<Count>
  ) -> Gaussian<N> {
    var mean = Vector<N>.zero
    for model in 0..<Count { mean += weights[model] * estimates[model].mean }
    var covariance = Matrix<N, N>.zero
    for model in 0..<Count where weights[model] > 0 {
      let away = estimates[model].mean - mean
      let weight = weights[model]
      for row in 0..<N {
        for column in 0..<N {
          let square = away[row] * away[column]
          covariance[row, column] +=
            weight * (estimates[model].covariance[row, column] + square)
        }
      }
    }
    return Gaussian(mean: mean, covariance: covariance)
  }
}

extension Matrix where Rows == Columns {
  /// Returns the switching probabilities between models over a step, from their mean durations.
  ///
  /// A model is left after `seconds` on average, to each of the others with the same probability.
  /// More than one switch within a step is neglected.
  ///
  /// - Parameters:
  ///   - seconds: The mean duration of every model, above 0.
  ///   - step: The length of the step, seconds, not negative.
  /// - Returns: The matrix for ``InteractingMultipleModel``; its rows sum to 1.
  public static func dwelling(seconds: Vector<Rows>, over step: Double) -> Self {
    var result = Self.identity
    guard Rows > 1 else { return result }
    for row in 0..<Rows {
      let leaving = -Double.expMinusOne(-step / seconds[row])
      for column in 0..<Rows {
        result[row, column] = row == column ? 1 - leaving : leaving / Double(Rows - 1)
      }
    }
    return result
  }
}
