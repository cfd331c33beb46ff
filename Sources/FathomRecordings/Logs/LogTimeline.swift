import Fathom

/// The times of the epochs of a log, from whatever the log states about time.
struct LogTimeline: Sendable {
  /// Where times come from.
  enum Base: Sendable, Equatable {
    /// Instants in the log.
    case instants
    /// The clock of the device, since its start.
    case device
    /// Time stamps in front of the lines.
    case host
    /// The number of the block times its duration, in nanoseconds.
    case blocks(Int64)
    /// The number of the epoch.
    case epochs
  }

  /// Time of an epoch, or why it has no time.
  enum Outcome: Sendable {
    case time(Timestamp)
    /// Each of its ranges belongs to the round of its link.
    case round
    case failure(String)
  }

  private(set) var base = Base.epochs
  private var seconds: Double
  private let hasRate: Bool
  private let format: LogFormat
  private var days = DayCounter()
  /// Times of each session.
  private var sessions: [Int64: Session] = [:]
  private var restarts = 0
  private var epochs: Int64 = 0
  private var rounds = RoundCounter()
  private var last: (number: Int, outcome: Outcome)?

  private struct Session: Sendable {
    var last: Int64
    var offset: Int64 = 0
  }

  /// Duration of a block that the log does not state, in seconds: the default of Qorvo's firmware.
  static let blockDuration = 0.2
  /// A clock that steps back by more than this has restarted, in nanoseconds; less is a line out of
  /// order.
  static let largestStepBack: Int64 = 1_000_000_000
  /// Sessions that are distinguished; more belong to damaged logs.
  private static let mostSessions = 256

  /// Creates the times of a log of `format`.
  init(_ format: LogFormat, options: RecordingOptions) {
    self.format = format
    hasRate = options.epochRate != nil
    seconds = 1 / (options.epochRate ?? format.usualRate ?? 1)
    blockSeconds = options.blockDuration ?? Self.blockDuration
  }

  private let blockSeconds: Double

  /// Chooses where times come from, by what most of `epochs` at the beginning of a log have.
  mutating func choose(for epochs: [LogEpoch]) {
    func most(_ isSo: (LogEpoch) -> Bool) -> Bool { 2 * epochs.count(where: isSo) > epochs.count }
    if most({ if case .instant = $0.clock { true } else { false } }) {
      base = .instants
    } else if most({ if case .sinceStart = $0.clock { true } else { false } }) {
      base = .device
    } else if most({ $0.host != nil }) {
      base = .host
    } else if most({ if case .block = $0.clock { true } else { false } }) {
      let usual = Int64(Self.blockDuration * 1e9)
      base = .blocks(Timestamp(seconds: blockSeconds)?.nanoseconds ?? usual)
    } else {
      base = .epochs
    }
  }

  /// Returns the time of the next epoch, or of the last one again.
  mutating func time(of epoch: LogEpoch) -> Outcome {
    if let last, last.number == epoch.number { return last.outcome }
    let outcome = newTime(of: epoch)
    last = (epoch.number, outcome)
    return outcome
  }

  private mutating func newTime(of epoch: LogEpoch) -> Outcome {
    switch (base, epoch.clock) {
    case (.instants, .instant(let time)):
      return .time(Timestamp(nanoseconds: time))
    case (.device, .sinceStart(let time)):
      return continued(time, session: 0, step: 0)
    case (.blocks(let duration), .block(let index, let session)):
      let (time, overflow) = index.multipliedReportingOverflow(by: duration)
      if overflow { return .failure("the block index is out of range") }
      return continued(time, session: session, step: duration)
    case (.host, _):
      guard let host = epoch.host else {
        return .failure("the line has no time stamp, unlike the others")
      }
      return .time(
        Timestamp(
          nanoseconds: host.isTimeOfDay ? days.unfold(host.nanoseconds) : host.nanoseconds))
    case (.epochs, .round):
      return .round
    case (.epochs, _):
      defer { epochs += 1 }
      return time(of: epochs)
    default:
      return .failure("the line has no time, unlike the others")
    }
  }

  /// Returns the time of a range whose epoch is a round.
  mutating func timeOfRound(tag: Int32, anchor: Int32) -> Outcome {
    time(of: rounds.round(tag: tag, anchor: anchor))
  }

  private func time(of number: Int64) -> Outcome {
    guard let time = Timestamp(seconds: Double(number) * seconds) else {
      return .failure("the time exceeds 292 years")
    }
    return .time(time)
  }

  /// Returns `time` of a clock that may restart: it then continues `step` after the last time.
  private mutating func continued(
    _ time: Int64, session: Int64, step: Int64
  ) -> Outcome {
    if sessions.count >= Self.mostSessions, sessions[session] == nil { sessions = [:] }
    var state = sessions[session] ?? Session(last: time)
    var (sum, overflow) = time.addingReportingOverflow(state.offset)
    let (difference, wide) = state.last.subtractingReportingOverflow(sum)
    if wide || difference > Self.largestStepBack {
      restarts += 1
      let (begin, exceeds) = state.last.addingReportingOverflow(step)
      let (offset, tooFar) = begin.subtractingReportingOverflow(time)
      if exceeds || tooFar { return .failure("the time is out of range") }
      state.offset = offset
      (sum, overflow) = (begin, false)
    }
    if overflow { return .failure("the time is out of range") }
    state.last = max(state.last, sum)
    sessions[session] = state
    return .time(Timestamp(nanoseconds: sum))
  }

  /// Note for the user on the times.
  var note: String {
    var note: String
    switch base {
    case .instants: note = "times: as in the log"
    case .device: note = "times: clock of the device, from its start"
    case .host: note = "times: time stamps in front of the lines"
    case .blocks(let duration):
      note =
        "times: block index times \(Double(duration) / 1e9) s (--block-duration states another)"
    case .epochs:
      let rate = 1 / seconds
      note = "times: the log has none; epochs follow each other at \(rate) Hz"
      if hasRate {
        note += ", as requested"
      } else if format.usualRate != nil {
        note += ", the usual rate of the device (--rate states another)"
      } else {
        note += " (--rate states the rate)"
      }
    }
    if days.midnights > 0 {
      note += "; \(days.midnights == 1 ? "1 midnight" : "\(days.midnights) midnights") passed"
    }
    if restarts > 0 {
      note += "; the clock restarted \(restarts == 1 ? "once" : "\(restarts) times")"
    }
    return note
  }
}

/// The rounds of ranges without times: in a round, each pair of tag and anchor occurs once.
struct RoundCounter: Sendable {
  private var number: Int64 = 0
  private var seen: Set<UInt64> = []

  /// Returns the number of the round, from 0, of the next range.
  mutating func round(tag: Int32, anchor: Int32) -> Int64 {
    let pair = UInt64(UInt32(bitPattern: tag)) << 32 | UInt64(UInt32(bitPattern: anchor))
    if !seen.insert(pair).inserted {
      number += 1
      seen.removeAll(keepingCapacity: true)
      seen.insert(pair)
    }
    return number
  }
}
