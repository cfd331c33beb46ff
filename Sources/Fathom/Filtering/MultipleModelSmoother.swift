/// The beliefs of a whole run of ``InteractingMultipleModel`` given everything measured in it.
///
/// The smoother of [Kim 1994]: from the model i that held at k + 1 back to each j that may have held at
/// k, a step of ``RauchTungStriebelSmoother`` through the motion of i, weighted by how probable the pair
/// is; then the pairs of each j are merged. With one model it is that smoother. An approximation, as the
/// filter is: of k models, pairs are kept and longer histories merged.
///
/// Count² steps back per instant.
public struct MultipleModelSmoother<let Count: Int, let N: Int>: Sendable {
  /// What is kept of an instant.
  private struct Instant {
    var beliefs: InlineArray<Count, Gaussian<N>>
    var probabilities: Vector<Count>
    /// The switching and the ways back of the prediction that led here; none at the start.
    var switching: Matrix<Count, Count>
    var reversals: [Reversal<N>]
  }

  private var instants: [Instant]

  /// A run that begins with `filter`, after the updates of the first instant.
  public init(start filter: InteractingMultipleModel<Count, N>) {
    instants = [
      Instant(
        beliefs: filter.beliefs, probabilities: filter.probabilities, switching: .identity,
        reversals: [])
    ]
  }

  /// Moves `filter` and adds the instant that begins.
  ///
  /// - Parameters:
  ///   - filter: the filter as the last instant left it.
  ///   - switching: as in ``InteractingMultipleModel/predict(switching:_:)``.
  ///   - move: moves the belief of a model and returns the way back, as `predictReversibly` does.
  public mutating func predict(
    _ filter: inout InteractingMultipleModel<Count, N>, switching: Matrix<Count, Count>,
    _ move: (_ model: Int, _ belief: inout Gaussian<N>) -> Reversal<N>
  ) {
    var reversals: [Reversal<N>] = []
    reversals.reserveCapacity(Count * Count)
    for from in 0..<Count {
      for model in 0..<Count {
        var belief = filter.beliefs[from]
        reversals.append(move(model, &belief))
      }
    }
    filter.predict(switching: switching) { model, belief in _ = move(model, &belief) }
    instants.append(
      Instant(
        beliefs: filter.beliefs, probabilities: filter.probabilities, switching: switching,
        reversals: reversals))
  }

  /// The filter after an update of the present instant.
  public mutating func record(_ filter: InteractingMultipleModel<Count, N>) {
    instants[instants.count - 1].beliefs = filter.beliefs
    instants[instants.count - 1].probabilities = filter.probabilities
  }

  /// The belief and the probabilities of the models at every instant given all measurements.
  public func smoothed() -> [(state: Gaussian<N>, probabilities: Vector<Count>)] {
    guard let last = instants.last else { return [] }
    var (beliefs, probabilities) = (last.beliefs, last.probabilities)
    var result = [
      (InteractingMultipleModel<Count, N>.merged(beliefs, weights: probabilities), probabilities)
    ]
    for index in instants.indices.dropLast().reversed() {
      (beliefs, probabilities) = back(
        to: instants[index], from: instants[index + 1], beliefs, probabilities)
      result.append(
        (InteractingMultipleModel<Count, N>.merged(beliefs, weights: probabilities), probabilities))
    }
    return result.reversed()
  }

  /// One step back.
  private func back(
    to earlier: Instant, from later: Instant, _ beliefs: InlineArray<Count, Gaussian<N>>,
    _ probabilities: Vector<Count>
  ) -> (InlineArray<Count, Gaussian<N>>, Vector<Count>) {
    // Probability of the pair (from j, into i) given everything.
    var pairs = Matrix<Count, Count>.zero
    for model in 0..<Count {
      var sum = 0.0
      for from in 0..<Count { sum += later.switching[from, model] * earlier.probabilities[from] }
      guard sum > 0 else { continue }
      for from in 0..<Count {
        let share = later.switching[from, model] * earlier.probabilities[from] / sum
        pairs[from, model] = probabilities[model] * share
      }
    }
    var merged = earlier.beliefs
    var smoothed = Vector<Count>.zero
    for from in 0..<Count {
      var ends = InlineArray<Count, Gaussian<N>>(repeating: earlier.beliefs[from])
      var weights = Vector<Count>.zero
      for model in 0..<Count {
        weights[model] = pairs[from, model]
        smoothed[from] += weights[model]
        ends[model] = later.reversals[from * Count + model].smoothed(from: beliefs[model])
      }
      guard smoothed[from] > 0 else { continue }
      merged[from] = InteractingMultipleModel<Count, N>.merged(
        ends, weights: (1 / smoothed[from]) * weights)
    }
    return (merged, smoothed)
  }
}
