extension TrackMixture {
  /// Number of consecutive heights with a large innovation after which the offset is unknown.
  private static let heightStreakLimit = 10

  /// Updates the state estimates with a measured height.
  ///
  /// Ten outliers in a row show that the sensor's zero is elsewhere. The offset is then estimated
  /// anew, so that a barometer with an arbitrary zero measures changes of the height.
  ///
  /// - Parameters:
  ///   - height: The height in metres.
  ///   - own: The standard deviation of its error in metres; nil without one of its own.
  ///   - idle: The time since the last height in seconds.
  /// - Returns: The reading in metres; nil, without a change, for a tag at a known height or if the
  ///   update cannot be computed.
  mutating func condition(onHeight height: Double, sigma own: Double?, after idle: Double)
    -> Reading?
  {
    guard state.hasHeightOffset, let errors = heightErrors else { return nil }
    state.addVariance(errors.driftVariance(over: idle), to: state.heightOffset)
    var sum = TrackState.Combination()
    sum.add(2, times: 1)
    sum.add(state.heightOffset, times: 1)
    let reading = condition(
      on: state.expectation(of: height, as: sum),
      variance: Pair(repeating: errors.whiteVariance(of: own)))
    guard let reading else { return nil }
    heightStreak = reading.normalizedSquare > 16 ? heightStreak + 1 : 0
    if heightStreak == Self.heightStreakLimit {
      heightStreak = 0
      let open = height - moments(of: 2).value
      state.introduce(
        state.heightOffset, value: open, variance: max(errors.offsetVariance, open * open))
    }
    return reading
  }
}
