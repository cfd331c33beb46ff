extension TrackMixture {
  /// Number of consecutive heights with a large innovation after which the offset is unknown.
  private static let heightStreakLimit = 10
  /// The normalised innovation squared of an outlier: four standard deviations.
  private static let outlierSquare = 16.0

  /// Updates the state estimates with a measured height in metres.
  ///
  /// A height more than four standard deviations from its prediction is not used: while the height of
  /// the track is uncertain, even a small weight would move it far. Ten of them in a row show that the
  /// sensor's zero is elsewhere. The offset is then estimated anew, so that a barometer with an
  /// arbitrary zero measures changes of the height.
  ///
  /// `own` is the standard deviation of its error in metres, nil without one of its own; `idle` is
  /// the time since the last height in seconds. Returns the reading in metres; nil, without a
  /// change of the track, for an outlier and for a tag at a known height.
  mutating func condition(onHeight height: Double, sigma own: Double?, after idle: Double)
    -> Reading?
  {
    guard state.hasHeightOffset, let errors = heightErrors else { return nil }
    state.addVariance(errors.driftVariance(over: idle), to: state.heightOffset)
    var sum = TrackState.Combination()
    sum.add(2, times: 1)
    sum.add(state.heightOffset, times: 1)
    let variance = Pair(repeating: errors.whiteVariance(of: own))
    let expectation = state.expectation(of: height, as: sum)
    let squares =
      expectation.residual * expectation.residual / (expectation.spread + variance)
    guard squares.min() > Self.outlierSquare else {
      heightStreak = 0
      return condition(on: expectation, variance: variance)
    }
    heightStreak += 1
    if heightStreak == Self.heightStreakLimit {
      heightStreak = 0
      let open = height - moments(of: 2).value
      state.introduce(
        state.heightOffset, value: open, variance: max(errors.offsetVariance, open * open))
    }
    return nil
  }
}
