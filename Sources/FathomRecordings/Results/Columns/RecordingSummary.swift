import Fathom

/// A summary of a processed recording, written as `NAME.summary.json`.
public struct RecordingSummary: Sendable, Codable, Equatable {
  /// The recording's name.
  public var recording: String
  /// The version of Fathom that produced the results.
  public var version: String
  /// The input files.
  public var sources: [Source]
  /// The settings used, completed with values from the recording.
  public var settings: ProcessingSettings
  /// The settings as requested, before completion; nil if the recording was not processed by a
  /// ``RecordingBatch``.
  public var request: RecordingRequest?
  /// Row counts of the ranges file: `read` = `used` + `rejected`.
  public var rows: Rows
  /// The time span of the recording.
  public var time: Time?
  /// The origin of x, y and z if anchors are given by latitude and longitude; nil otherwise.
  public var origin: Origin?
  /// One entry per pair of devices, in order of first appearance.
  public var links: [Link]
  /// The number of ranges by decision.
  public var decisions: [String: Int]
  /// The number of ranges between tags by decision; nil without such ranges.
  public var tagRanges: [String: Int]?
  /// The number of positions by status.
  public var positions: [String: Int]
  /// Number of epochs whose ranges determine no position; only for the method `fix`.
  public var undeterminedEpochs: Int?
  /// The errors of the ranges found from all epochs; only for the method `fix` with anchors, and nil
  /// if too few epochs are redundant.
  public var rangeErrors: RangeErrors?
  /// Consistency of the filter; only for the method `filter` with anchors.
  public var consistency: FilterConsistency?
  /// Estimated motion and range-error parameters of each tag; only for the methods `filter` and
  /// `smooth` with anchors.
  public var calibration: [Calibration]?
  /// Places of standing accessories in the frame of the poses of the device; nil if none was looked
  /// for.
  public var accessories: [Accessory]?
  /// The frame of the poses of the tag among the anchors; nil without such poses.
  public var poseFrame: PoseFrame?
  /// Event counts of the zones on the floor plan; nil if there are no zones.
  public var zones: [ZoneCount]?
  /// Entries into and exits from zones around anchors, in order of time.
  public var zoneEvents: [ZoneEvent]
  /// The remarks in `recording.json`.
  public var remarks: String?
  /// Notes on the input, such as ignored columns.
  public var notes: [String]
  /// What contradicts what in the input; nil in summaries of older versions.
  public var diagnoses: [Diagnosis]?
  /// Problems that the user should look into, first the diagnoses.
  public var warnings: [String]
  /// The other result files, with checksums that detect damage; nil until they are written.
  public var results: [ResultFile]?

  /// An input file.
  public struct Source: Sendable, Codable, Equatable {
    /// The path as given.
    public var path: String
    /// The size, bytes.
    public var bytes: Int
    /// XXH3 of the stored bytes, 16 hexadecimal digits; nil if it was not computed.
    public var xxh3: String?
  }

  /// A result file.
  public struct ResultFile: Sendable, Codable, Equatable {
    /// The name, in the folder of the summary.
    public var name: String
    /// The size, bytes.
    public var bytes: Int
    /// XXH3 of the bytes, 16 hexadecimal digits.
    public var xxh3: String
  }

  /// Row counts.
  public struct Rows: Sendable, Codable, Equatable {
    /// Data rows in the file.
    public var read: Int
    /// Rows whose range or event was used.
    public var used: Int
    /// Number of used rows that are events.
    public var events: Int
    /// Rejected rows, which are listed in `NAME.rejected.csv`.
    public var rejected: Int
    /// The number of rejected rows by reason.
    public var reasons: [String: Int]

    private enum CodingKeys: String, CodingKey {
      case read, used, events, reasons
      case rejected = "setAside"
    }
  }

  /// The span of the time stamps.
  public struct Time: Sendable, Codable, Equatable {
    /// The first time stamp, seconds.
    public var startS: Double
    /// The last time stamp, seconds.
    public var endS: Double
    /// Number of ranges that follow a later one in the file; they were sorted.
    public var outOfOrder: Int
  }

  /// The WGS84 position of the origin of a local frame: x to the east, y to the north, z up.
  public struct Origin: Sendable, Codable, Equatable {
    /// Latitude, degrees.
    public var latitudeDeg: Double
    /// Longitude, degrees.
    public var longitudeDeg: Double
    /// Height above the ellipsoid, metres; nil for anchors without altitudes.
    public var altitudeM: Double?
  }

  /// Statistics of one pair of devices; unknown values are nil.
  public struct Link: Sendable, Codable, Equatable {
    /// Name of the tag.
    public var tag: String
    /// Name of the anchor or accessory.
    public var anchor: String
    /// Number of usable ranges.
    public var ranges: Int
    /// Number of uninterrupted runs of ranges in the session.
    public var segments: Int
    /// Mean rate of ranges, 1/s.
    public var rateHz: Double?
    /// Fraction of ranges missing, mean over windows.
    public var loss: Double?
    /// Robust scatter about a locally constant rate, metres, mean over windows.
    public var spreadM: Double?
    /// Fraction of repeated ranges, mean over windows.
    public var hold: Double?
    /// Share of the ranges that agree with the track, 0 to 1; nil without positions.
    ///
    /// A range agrees if the position method gave it at least half of its weight. Ranges of an
    /// anchor that the diagnosis excludes do not.
    public var consistent: Double?
    /// Score from 0 to 1: the mean over windows, at most ``consistent``; see the article LinkQuality.
    public var score: Double?
  }

  /// Consistency of a filter.
  public struct FilterConsistency: Sendable, Codable, Equatable {
    /// Mean of the normalised innovations squared; 1 for a consistent filter.
    public var meanNormalizedSquare: Double
    /// Median of the normalised innovations squared, to about 3 %; 0.455 for a consistent filter with
    /// normal errors, and hardly changed by outliers.
    ///
    /// `nil` in summaries of older versions.
    public var medianNormalizedSquare: Double?
    /// Factor by which the standard deviation of ranges was scaled up: the root of the mean
    /// `Tracker.noiseFactor`.
    ///
    /// 1 if ranges scatter no more than assumed.
    public var sigmaScale: Double
    /// Number of innovations.
    public var innovations: Int
    /// The mean of the normalised innovations squared over time: at most 512 non-empty bins of
    /// equal width, in order of time.
    ///
    /// `nil` in summaries of older versions.
    public var timeline: [Bin]?

    /// A time interval.
    public struct Bin: Sendable, Codable, Equatable {
      /// Start of the interval, seconds.
      public var startS: Double
      /// End of the interval, seconds.
      public var endS: Double
      /// Number of innovations in the interval, of one degree of freedom each.
      public var count: Int
      /// Mean of their normalised squares.
      public var meanNormalizedSquare: Double
    }
  }

  /// The errors of ranges, found from the consistency of all epochs, see `RangeErrorEstimate`.
  public struct RangeErrors: Sendable, Codable, Equatable {
    /// Standard deviation of an ordinary range, metres.
    public var rangeSigmaM: Double
    /// Standard deviation of all ranges, wrong ones included, metres.
    public var wholeSigmaM: Double
    /// Share of ranges that are wrong because they are too long.
    public var lateShare: Double
    /// Share of ranges that are wrong because they are too short.
    public var earlyShare: Double
    /// Number of redundant epochs that were used.
    public var epochs: Int
    /// The bias common to all ranges, metres; nil if it was not estimated.
    public var biasM: Double?
    /// Standard deviation of the bias, metres.
    public var biasSigmaM: Double?
    /// `corrected`, or why ranges were not corrected for the bias.
    public var biasDecision: String?
    /// The scale common to all ranges, minus 1; nil if it was not estimated.
    public var scale: Double?
    /// Standard deviation of the scale.
    public var scaleSigma: Double?
    /// `corrected`, or why ranges were not corrected for the scale.
    public var scaleDecision: String?
    /// The offsets of the anchors; nil if they were not estimated.
    public var offsets: [Offset]?
    /// `corrected`, or why ranges were not corrected for the offsets.
    public var offsetDecision: String?

    /// What the ranges of an anchor are too long by, in addition to bias and scale.
    public struct Offset: Sendable, Codable, Equatable {
      /// Name of the anchor.
      public var anchor: String
      /// The offset, metres.
      public var offsetM: Double
      /// Its standard deviation, metres.
      public var sigmaM: Double
    }
  }

  /// The motion and range-error parameters estimated from the ranges of a tag.
  public struct Calibration: Sendable, Codable, Equatable {
    /// Name of the tag.
    public var tag: String
    /// Density of the acceleration, geometric mean of both modes of motion, (m/s²)/√Hz.
    public var accelerationDensity: Double
    /// Standard deviation of a range, metres.
    public var rangeSigmaM: Double
    /// Share of the variance that is time-correlated; 0 if no correlation was found.
    public var persistentShare: Double
    /// The bias that was subtracted from all ranges, metres; nil if none was searched for, or if a
    /// scale explains the ranges better.
    public var biasM: Double?
    /// Standard deviation of the bias, metres.
    public var biasSigmaM: Double?
    /// The scale of all ranges, minus 1; nil without evidence of one.
    public var scale: Double?
    /// Standard deviation of the scale.
    public var scaleSigma: Double?
    /// Additional bias of the ranges to single anchors, metres, by anchor name; nil if the biases
    /// do not differ significantly.
    public var offsetsM: [String: Double]?
    /// Standard deviation of the errors of a link that last, metres; nil if it is unknown.
    public var persistentSigmaM: Double?
    /// The errors that ranges may have in common, the evidence for each and the choice; nil without
    /// redundant epochs.
    public var models: [ErrorModel]?
    /// The RSSI-dependent range bias; nil if the ranges show none.
    public var signals: SignalBias?
    /// Estimated positions of anchors with survey errors, by name, see
    /// `SmoothedTrack.anchorPositions`.
    ///
    /// `nil` if no anchor has one, and for methods that do not estimate them.
    public var anchorPositions: [String: AnchorPosition]?
    /// How measured heights agree with the ranges; nil without heights.
    public var heights: Heights?
    /// How odometry agrees with the ranges; nil without odometry.
    public var odometry: Odometry?
    /// How inertial data agree with the ranges; nil without them.
    public var inertial: Inertial?
    /// Factor on the covariance of positions at the end of the recording, for errors that are
    /// correlated over longer times than assumed.
    public var covarianceFactor: Double
  }

  /// An error that ranges may have in common, see `RangeErrorEstimate`.
  public struct ErrorModel: Sendable, Codable, Equatable {
    /// `bias`, `scale` or `offsets`.
    public var model: String
    /// The estimate, in metres or as a share; nil for offsets, of which there are several.
    public var value: Double?
    /// Its standard deviation, with each anchor as one measurement.
    public var sigma: Double?
    /// Mean gain of the prediction in places not used for the estimate, over its standard error.
    public var prediction: Double
    /// `corrected`, or the test that the model did not pass.
    public var decision: String
  }

  /// How odometry agrees with the ranges, see `OdometryAgreement`.
  public struct Odometry: Sendable, Codable, Equatable {
    /// The factor on turns with which it agrees best.
    public var turnFactor: Double
    /// Gain in log-likelihood of the ranges, nats.
    public var gain: Double
    /// Whether positions follow it.
    public var isUsed: Bool
  }

  /// How measured heights agree with the ranges, see `HeightAgreement`.
  public struct Heights: Sendable, Codable, Equatable {
    /// Whether the zero of the sensor is that of the anchors.
    public var isZeroKnown: Bool
    /// The zero of the sensor above that of the anchors according to the ranges, metres.
    public var offsetM: Double
    /// Its standard deviation, metres.
    public var offsetSigmaM: Double
  }

  /// How inertial data agree with the ranges, see `InertialAgreement`.
  public struct Inertial: Sendable, Codable, Equatable {
    /// The factor on the acceleration with which they agree best: -1 if it points down at rest.
    public var accelerationFactor: Double
    /// The noise of the acceleration, (m/s²)/√Hz.
    public var accelerationNoise: Double
    /// Gain in log-likelihood of the ranges, nats.
    public var gain: Double
    /// Whether positions follow them.
    public var isUsed: Bool
  }

  /// The RSSI-dependent range bias, see `RSSIBiasCurve`.
  public struct SignalBias: Sendable, Codable, Equatable {
    /// Signal levels, dBm, in ascending order.
    public var levelsDbm: [Double]
    /// The bias of ranges at each level, metres.
    public var biasM: [Double]
    /// Bias per dB of the difference between the signal level and the first-path level beyond its
    /// usual value, m/dB.
    ///
    /// `nil` if first-path levels are unknown.
    public var slopeMPerDb: Double?
    /// Increase of the log-likelihood of the ranges by the whole curve, nats.
    public var evidence: Double

    /// Creates the bias that `calibration` estimated; nil if it estimated none.
    init?(_ calibration: TrackerCalibration) {
      guard let curve = calibration.rssiBiasCurve else { return nil }
      levelsDbm = curve.levels
      biasM = curve.biases
      slopeMPerDb = curve.usualExcess == nil ? nil : curve.slope
      evidence = calibration.rssiBiasEvidence
    }
  }

  /// The estimated position of an anchor.
  public struct AnchorPosition: Sendable, Codable, Equatable {
    /// x, y and z in the frame of the anchors, metres.
    public var positionM: [Double]
    /// Standard deviations of x, y and z, metres.
    public var sigmaM: [Double]
  }

  /// An entry into or exit from a zone around an anchor.
  public struct ZoneEvent: Sendable, Codable, Equatable {
    /// The instant, seconds.
    public var timeS: Double
    /// Name of the tag.
    public var tag: String
    /// Name of the anchor or accessory.
    public var anchor: String
    /// Radius of the zone, metres.
    public var radiusM: Double
    /// `entered`, `left` or `forgotten`.
    public var kind: String
  }
}

extension RecordingSummary.Calibration {
  /// Creates the summary of `calibration`, whose offsets are those of anchors of the given names.
  init(tag: String, _ calibration: TrackerCalibration, anchorNames: [String], factor: Double) {
    let errors = calibration.errors
    let configuration = calibration.configuration
    self.tag = tag
    accelerationDensity = configuration.modes.motion.horizontalDensity
    rangeSigmaM = configuration.errors.sigma
    persistentShare = configuration.errors.correlatedShare
    if calibration.scale != 0 {
      scale = calibration.scale
      scaleSigma = errors?.scale?.sigma
    } else if let bias = errors?.bias {
      (biasM, biasSigmaM) = (bias.mean, bias.sigma)
    }
    let named = Dictionary(zip(anchorNames, calibration.offsets)) { first, _ in first }
    offsetsM = named.isEmpty ? nil : named
    persistentSigmaM = errors?.persistentSigma
    models = errors.map { errors in
      let common = [("bias", errors.bias), ("scale", errors.scale)].compactMap { name, found in
        found.map {
          RecordingSummary.ErrorModel(
            model: name, value: $0.value, sigma: $0.sigma, prediction: $0.prediction,
            decision: $0.decision.rawValue)
        }
      }
      let offsets = errors.offsets.map {
        RecordingSummary.ErrorModel(
          model: "offsets", prediction: $0.prediction, decision: $0.decision.rawValue)
      }
      return common + [offsets].compactMap { $0 }
    }
    signals = RecordingSummary.SignalBias(calibration)
    odometry = calibration.odometry.map {
      RecordingSummary.Odometry(turnFactor: $0.turnFactor, gain: $0.gain, isUsed: $0.isUsed)
    }
    heights = calibration.heights.map {
      RecordingSummary.Heights(
        isZeroKnown: $0.isZeroKnown, offsetM: $0.offset, offsetSigmaM: $0.sigma)
    }
    inertial = calibration.inertial.map {
      RecordingSummary.Inertial(
        accelerationFactor: $0.accelerationFactor, accelerationNoise: $0.accelerationNoise,
        gain: $0.gain, isUsed: $0.isUsed)
    }
    covarianceFactor = factor
  }
}

extension RecordingSummary {
  /// Event counts of a zone on the floor plan, summed over all tags.
  public struct ZoneCount: Sendable, Codable, Equatable {
    /// Name of the zone.
    public var zone: String
    /// Number of entries.
    public var entered: Int
    /// Number of exits.
    public var left: Int
    /// Number of times that a tag's presence expired for lack of positions.
    public var forgotten: Int
  }
}
