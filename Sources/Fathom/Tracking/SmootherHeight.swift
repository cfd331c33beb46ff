/// A height that is known with an error, in a smoothed track.
extension SmootherRun {
  /// Writes down what the height says about every state, and adds what that costs.
  ///
  /// A state stands for half of the time to its neighbours; see ``HeightInformation``.
  func addHeight(to chain: inout SmootherChain<N>, cost: inout Double) {
    guard Self.axes == 3, let known = configuration.uncertainHeight else { return }
    let usual = configuration.modes.motion.verticalDensity
    var derivative = InlineArray<N, Double>(repeating: 0)
    derivative[2] = 1
    var before = 0.0
    for state in knots.times.indices {
      var after = 0.0
      if state < steps.count {
        let density = max(Self.leastDensity, usual * (steps[state].liveliness ?? 1))
        let information = HeightInformation(
          known, acceleration: density, knowledge: .pastAndFuture)
        after = 0.5 * steps[state].seconds / information.density
      }
      // A track of a single state knows the height once.
      let isAlone = knots.times.count == 1
      let most = 1 / (known.sigma * known.sigma)
      let weight = isAlone ? most : min(most, before + after)
      let residual = known.value - states[N * state + 2]
      chain.add(
        state, derivative: derivative, common: SmootherChain<N>.SharedDerivative(),
        residual: residual, weight: weight)
      cost += 0.5 * weight * residual * residual
      before = after
    }
  }
}
