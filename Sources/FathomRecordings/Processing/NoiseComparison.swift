import Fathom

/// Acceleration and noise of ranges of one tag, found in two ways.
package struct NoiseComparison: Sendable, Codable, Equatable {
  /// What one way found.
  package struct Found: Sendable, Codable, Equatable {
    /// Density of the acceleration along x and y, (m/s²)/√Hz.
    package var accelerationDensity: Double
    /// Standard deviation of a range, metres.
    package var rangeSigmaM: Double
    /// Logarithm of the likelihood of the ranges under a ``Tracker`` with these settings, nats.
    ///
    /// Those of both ways are about the same ranges, and compare; nil where no track was started.
    package var logLikelihood: Double?
  }

  /// Name of the tag.
  package var tag: String
  /// Found by the search for the greatest likelihood, as `process` does: with a floor under the noise of
  /// ranges, since errors that last make their scatter look too good.
  package var likelihood: Found
  /// Found by expectation and maximisation, for a filter of one mode and independent normal errors; nil
  /// where the ranges never start a track.
  package var em: Found?
  /// Passes of expectation and maximisation; nil without.
  package var passes: Int?
  /// By how much they raised the log-likelihood of their own model, nats; nil without.
  package var gain: Double?
  /// Whether they came to rest; nil without.
  package var isConverged: Bool?
}

extension Recording {
  /// Acceleration and noise of ranges of every tag, by the search of a ``TrackerCalibration`` and by
  /// expectation and maximisation.
  ///
  /// - Parameter settings: of the processing; what the recording says itself is filled in.
  /// - Returns: One comparison per tag; empty for a recording without anchors.
  package func noiseComparisons(
    with settings: ProcessingSettings = ProcessingSettings()
  ) -> [NoiseComparison] {
    guard !anchors.isEmpty else { return [] }
    var settings = settings
    settings.complete(from: RecordingOutline(metadata: self))
    return tagNames.indices.map { tag in
      var ranges = ranges(ofTag: tag)
      let given = settings.tracker(height: settings.heightM)
      var calibration = TrackerCalibration.calibrated(on: ranges, anchors: anchors, from: given)
        .withRSSIBiasCurve(on: ranges, anchors: anchors, from: given)
      if let rssiBiasCurve = calibration.rssiBiasCurve {
        ranges = ranges.map(rssiBiasCurve.corrected)
      }
      calibration = calibration.weighingOffsets(on: ranges, anchors: anchors)
        .withCorrections(on: ranges, anchors: anchors)
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
