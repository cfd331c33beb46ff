import Fathom

/// The acceleration density and range noise of one tag, estimated by two methods.
package struct NoiseComparison: Sendable, Codable, Equatable {
  /// The estimates of one method.
  package struct Found: Sendable, Codable, Equatable {
    /// Density of the acceleration along x and y, (m/s²)/√Hz.
    package var accelerationDensity: Double
    /// Standard deviation of a range, metres.
    package var rangeSigmaM: Double
    /// Log-likelihood of the ranges under a `Tracker` with these settings, nats.
    ///
    /// Both methods use the same ranges, so their values are comparable. nil if no track was
    /// started.
    package var logLikelihood: Double?
  }

  /// Name of the tag.
  package var tag: String
  /// The maximum-likelihood estimate, as in `process`.
  ///
  /// The range noise has a lower limit, because time-correlated errors make the scatter look too
  /// small.
  package var likelihood: Found
  /// The estimate by expectation-maximisation, for a filter with one motion mode and independent
  /// normal errors.
  ///
  /// `nil` if the ranges never start a track.
  package var em: Found?
  /// Number of expectation-maximisation passes; nil without ``em``.
  package var passes: Int?
  /// Increase of the log-likelihood of the EM model by these passes, nats; nil without ``em``.
  package var gain: Double?
  /// Whether the passes converged; nil without ``em``.
  package var isConverged: Bool?
}

extension Recording {
  /// Estimates the acceleration density and range noise of every tag, by the search of a
  /// `TrackerCalibration` and by expectation-maximisation.
  ///
  /// The settings are completed from the recording. Empty for a recording without anchors.
  package func noiseComparisons(
    with settings: ProcessingSettings = ProcessingSettings()
  ) -> [NoiseComparison] {
    guard !anchors.isEmpty else { return [] }
    let timeline = Timeline(self)
    let settings = settings.completed(for: self, timeline: timeline)
    var outline = RecordingOutline(self)
    outline.diagnose(rangeSample(timeline), settings)
    let rangesByTag = rangesByTag().map(outline.usable)
    let common = outline.commonCalibration(settings, tags: rangesByTag.count) { rangesByTag[$0] }
    return rangesByTag.enumerated().map { tag, ranges in
      var ranges = ranges
      let given = settings.tracker(height: settings.heightM)
      let isSigmaKnown = settings.rangeSigmaIsGiven == true
      let calibration = common.calibration(on: ranges).withRSSIBiasCurve(
        on: ranges, anchors: anchors, from: given, isSigmaKnown: isSigmaKnown)
      if let rssiBiasCurve = calibration.rssiBiasCurve {
        ranges = ranges.map(rssiBiasCurve.corrected)
      }
      let sites = calibration.corrected(anchors)
      func found(_ configuration: Tracker.Configuration) -> NoiseComparison.Found {
        let sum = TrackerCalibration.logLikelihood(of: configuration, on: ranges, anchors: sites)
        return NoiseComparison.Found(
          accelerationDensity: configuration.modes.motion.horizontalDensity,
          rangeSigmaM: configuration.errors.sigma, logLikelihood: sum.isFinite ? sum : nil)
      }
      var comparison = NoiseComparison(
        tag: tagNames[tag], likelihood: found(calibration.configuration))
      if let maximized = calibration.maximumLikelihoodNoise(on: ranges, anchors: anchors) {
        comparison.em = found(maximized.configuration)
        comparison.passes = maximized.logLikelihoods.count - 1
        comparison.isConverged = maximized.isConverged
        if let first = maximized.logLikelihoods.first, let last = maximized.logLikelihoods.last {
          comparison.gain = last - first
        }
      }
      return comparison
    }
  }
}
