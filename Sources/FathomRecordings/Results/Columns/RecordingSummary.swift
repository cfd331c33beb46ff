import Fathom

/// What is to be said about a processed recording; written as `NAME.summary.json`.
public struct RecordingSummary: Sendable, Codable, Equatable {
  /// The recording's name.
  public var recording: String
  /// The version of Fathom.
  public var version: String
  /// The files read.
  public var sources: [Source]
  /// The settings used, with what was taken from the recording filled in.
  public var settings: ProcessingSettings
  /// What was asked for, before that; nil where it was not asked of a ``RecordingBatch``.
  public var request: RecordingRequest?
  /// Rows of the ranges file: read = used + set aside.
  public var rows: Rows
  /// What the time stamps span.
  public var time: Time?
  /// One entry per pair of devices, in order of first appearance.
  public var links: [Link]
  /// How many ranges met which decision.
  public var decisions: [String: Int]
  /// How many positions have which status.
  public var positions: [String: Int]
  /// Epochs whose ranges determine no position; only for the method `fix`.
  public var undeterminedEpochs: Int?
  /// Consistency of the filter; only for the method `filter` with anchors.
  public var consistency: Consistency?
  /// What was found out about each tag's motion and ranges; only for the methods `filter` and
  /// `smooth` with anchors.
  public var calibration: [Calibration]?
  /// What happened to the zones on the floor plan; nil where there are none.
  public var zones: [ZoneCount]?
  /// Zones around anchors entered and left, in order of time.
  public var zoneEvents: [ZoneEvent]
  /// What `recording.json` says about the recording in words.
  public var remarks: String?
  /// Notes on what was read, such as columns that were ignored.
  public var notes: [String]
  /// What the user should do something about.
  public var warnings: [String]
  /// The other results, by which damage is found; nil until they are written.
  public var results: [ResultFile]?

  /// A file that was read.
  public struct Source: Sendable, Codable, Equatable {
    /// Its path as given.
    public var path: String
    /// Its size, bytes.
    public var bytes: Int
    /// XXH3 of its bytes as they are stored, 16 hexadecimal digits; nil where it was not taken.
    public var xxh3: String?
  }

  /// A file that was written.
  public struct ResultFile: Sendable, Codable, Equatable {
    /// Its name, in the folder of the summary.
    public var name: String
    /// Its size, bytes.
    public var bytes: Int
    /// XXH3 of its bytes, 16 hexadecimal digits.
    public var xxh3: String
  }

  /// Counts of rows.
  public struct Rows: Sendable, Codable, Equatable {
    /// Rows of data in the file.
    public var read: Int
    /// Rows whose range or event was used.
    public var used: Int
    /// Of the used rows those that are events.
    public var events: Int
    /// Rows set aside, listed in `NAME.rejected.csv`.
    public var setAside: Int
    /// The rows set aside by reason.
    public var reasons: [String: Int]
  }

  /// The span of the time stamps.
  public struct Time: Sendable, Codable, Equatable {
    /// The first, seconds.
    public var startS: Double
    /// The last, seconds.
    public var endS: Double
    /// Ranges that stand behind a later one in the file; they were sorted.
    public var outOfOrder: Int
  }

  /// Statistics of one pair of devices; nil where not known.
  public struct Link: Sendable, Codable, Equatable {
    /// Name of the tag.
    public var tag: String
    /// Name of the anchor or accessory.
    public var anchor: String
    /// Usable ranges.
    public var ranges: Int
    /// Runs of ranges between interruptions of the session.
    public var segments: Int
    /// Mean ranges per second.
    public var rateHz: Double?
    /// Share of ranges missing, mean over windows.
    public var loss: Double?
    /// Robust scatter about a locally constant rate, metres, mean over windows.
    public var spreadM: Double?
    /// Share of repeated ranges, mean over windows.
    public var hold: Double?
    /// Score from 0 to 1, mean over windows; see the article LinkQuality.
    public var score: Double?
  }

  /// Consistency of a filter.
  public struct Consistency: Sendable, Codable, Equatable {
    /// Mean of the normalised innovations squared; 1 for a consistent filter.
    public var meanNormalizedSquare: Double
    /// By how much the standard deviation of ranges was scaled up (root of the mean
    /// ``Tracker/noiseFactor``); 1 where they scatter no more than assumed.
    public var sigmaScale: Double
    /// Innovations counted.
    public var innovations: Int
    /// The same mean over time: at most 512 bins of equal width that hold something, in order of
    /// time; nil in a summary of an older version.
    public var timeline: [Bin]?

    /// A stretch of time.
    public struct Bin: Sendable, Codable, Equatable {
      /// Its beginning, seconds.
      public var startS: Double
      /// Its end, seconds.
      public var endS: Double
      /// Innovations in it, of one degree of freedom each.
      public var count: Int
      /// Mean of their normalised squares.
      public var meanNormalizedSquare: Double
    }
  }

  /// What the ranges of a tag said about its motion and their errors.
  public struct Calibration: Sendable, Codable, Equatable {
    /// Name of the tag.
    public var tag: String
    /// Density of the acceleration, geometric mean of both modes of motion, (m/s²)/√Hz.
    public var accelerationDensity: Double
    /// Standard deviation of a range, metres.
    public var rangeSigmaM: Double
    /// The share of its variance that is taken to last from range to range; 0 where it was found that
    /// nothing of it does.
    public var lastingShare: Double
    /// By how much a bias and scale common to all ranges raise the log-likelihood, nats.
    public var biasEvidence: Double
    /// The bias common to all ranges, metres; nil where there is no strong evidence of one.
    public var biasM: Double?
    /// Its standard deviation, metres.
    public var biasSigmaM: Double?
    /// The scale common to all ranges less 1; nil where there is no strong evidence of one.
    public var scale: Double?
    /// Its standard deviation.
    public var scaleSigma: Double?
    /// What ranges to single anchors read too much beyond that, metres, by the anchor's name; nil where
    /// they do not differ beyond doubt.
    public var offsetsM: [String: Double]?
    /// What ranges read too much by the strength of their signals; nil where they do not show it.
    public var signals: SignalBias?
    /// Where anchors stand whose survey left an error, by name, see ``SmoothedTrack/anchorPositions``; nil
    /// where there are none, and for methods that do not look for them.
    public var anchorPositions: [String: AnchorPosition]?
    /// Factor on the covariance of positions for errors that last longer than assumed, at the end.
    public var covarianceFactor: Double
  }

  /// What ranges read too much by the strength of their signals, see ``RSSIBiasCurve``.
  public struct SignalBias: Sendable, Codable, Equatable {
    /// Levels of signals, dBm, in ascending order.
    public var levelsDbm: [Double]
    /// What ranges at each of them read too much, metres.
    public var biasM: [Double]
    /// What a range reads too much for every dB beyond the usual that its signal has more than its
    /// first path, metres; nil where first paths are not known.
    public var slopeMPerDb: Double?
    /// By how much all of this raises the log-likelihood of the ranges, nats.
    public var evidence: Double

    /// What `calibration` found; nil for nothing.
    init?(_ calibration: TrackerCalibration) {
      guard let curve = calibration.rssiBiasCurve else { return nil }
      levelsDbm = curve.levels
      biasM = curve.biases
      slopeMPerDb = curve.usualExcess == nil ? nil : curve.slope
      evidence = calibration.rssiBiasEvidence
    }
  }

  /// Where an anchor was found to stand.
  public struct AnchorPosition: Sendable, Codable, Equatable {
    /// x, y and z in the frame of the anchors, metres.
    public var positionM: [Double]
    /// Their standard deviations, metres; three as well.
    public var sigmaM: [Double]
  }

  /// A zone entered or left.
  public struct ZoneEvent: Sendable, Codable, Equatable {
    /// When, seconds.
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

extension RecordingSummary {
  /// How often what happened to a zone on the floor plan, over all tags.
  public struct ZoneCount: Sendable, Codable, Equatable {
    /// Its name.
    public var zone: String
    /// How often it was entered.
    public var entered: Int
    /// How often it was left.
    public var left: Int
    /// How often it was given up for lack of positions.
    public var forgotten: Int
  }
}
