import Fathom
import FathomRecordings

/// How often and how soon a position is available, whatever its error.
public struct Availability: Sendable, Equatable, Codable {
  /// Share of truth's whole seconds with a compared position from one second before to one second
  /// after.
  ///
  /// Seconds count from the first estimate plus the skipped time, outside gaps of truth.
  public var coverage: Double
  /// Share of truth's time, without its gaps, at which a position is at most
  /// ``EvaluationSettings/maximumAge`` old; nil when truth has no such time.
  public var availability: Double?
  /// Time from the start to the first position, seconds.
  ///
  /// The start is the first range when known, otherwise truth's first time. With several tags this
  /// is the longest time. Nil when a tag never has a position; negative when an estimate begins
  /// before the start.
  public var timeToFirstFixS: Double?
  /// Longest time without a position between truth's first and last time, seconds.
  ///
  /// With several tags this is the longest of all; nil without truth.
  public var longestOutageS: Double?

  init(_ compared: ComparedTracks, matched: [MatchedPose], start: Timestamp?) {
    coverage = Self.coverage(compared, matched)
    var (span, served) = (0.0, 0.0)
    var delays: [Double?] = []
    var outages: [Double] = []
    for entry in compared.entries {
      guard let truth = entry.truth, let first = truth.times.first, let last = truth.times.last
      else { continue }
      let fixes = entry.track.times.indices
        .filter { compared.settings.isDetermined(entry.track.positions[$0]) }
        .map { entry.track.times[$0] }
      delays.append(fixes.first.map { $0.seconds(since: start ?? first) })
      let inside = fixes.filter { $0 >= first && $0 <= last }
      outages.append(
        zip([first] + inside, inside + [last]).map { $1.seconds(since: $0) }.max() ?? 0)
      let share = Self.served(truth, by: fixes, compared.settings)
      span += share.span
      served += share.served
    }
    availability = span > 0 ? served / span : nil
    let known = delays.compactMap { $0 }
    timeToFirstFixS = known.count == delays.count ? known.max() : nil
    longestOutageS = outages.max()
  }

  private static func coverage(_ compared: ComparedTracks, _ matched: [MatchedPose]) -> Double {
    var truthTags: [String: String] = [:]
    for entry in compared.entries { truthTags[entry.tag] = entry.truthTag }
    var served: [String: [Int64]] = [:]
    for pose in matched {
      served[truthTags[pose.tag] ?? "", default: []].append(pose.time.wholeSecond)
    }
    var (wantedCount, coveredCount) = (0, 0)
    for (tag, truth) in compared.truths {
      var wanted = SecondSpans()
      for (from, to) in zip(truth.times, truth.times.dropFirst())
      where to.seconds(since: from) <= compared.settings.longestGap {
        wanted.append(max(from, compared.begin ?? from).wholeSecond, to.wholeSecond)
      }
      var covered = SecondSpans()
      for second in (served[tag] ?? []).sorted() { covered.append(second - 1, second + 1) }
      wantedCount += wanted.count
      coveredCount += wanted.commonCount(with: covered)
    }
    return wantedCount > 0 ? Double(coveredCount) / Double(wantedCount) : 0
  }

  /// Returns truth's time outside its gaps, and how much of it a sufficiently recent fix covers,
  /// seconds.
  private static func served(
    _ truth: PositionTrack, by fixes: [Timestamp], _ settings: EvaluationSettings
  ) -> (span: Double, served: Double) {
    var (span, served) = (0.0, 0.0)
    var next = 0
    for (from, to) in zip(truth.times, truth.times.dropFirst())
    where to.seconds(since: from) <= settings.longestGap {
      span += to.seconds(since: from)
      // The fixes that can cover part of this interval: the last one before it and those inside it.
      while next < fixes.count, fixes[next] <= from { next += 1 }
      var reached = from
      var index = max(next - 1, 0)
      while index < fixes.count, fixes[index] < to {
        let begin = max(fixes[index], reached)
        let end = min(fixes[index].advanced(bySeconds: settings.maximumAge), to)
        if end > begin {
          served += end.seconds(since: begin)
          reached = end
        }
        index += 1
      }
    }
    return (span, served)
  }
}

/// A set of whole seconds as disjoint spans in order, whose memory does not depend on their length.
private struct SecondSpans {
  private var spans: [(first: Int64, last: Int64)] = []

  /// Adds the seconds from `first` to `last`; none if `first` is greater.
  ///
  /// Each span must begin at or after the one before.
  mutating func append(_ first: Int64, _ last: Int64) {
    guard first <= last else { return }
    if let end = spans.last?.last, first <= end + 1 {
      spans[spans.count - 1].last = max(end, last)
    } else {
      spans.append((first, last))
    }
  }

  /// Number of seconds.
  var count: Int { spans.reduce(0) { $0 + Int($1.last - $1.first + 1) } }

  /// Returns the number of seconds in both sets.
  func commonCount(with other: Self) -> Int {
    var (count, next) = (0, 0)
    for span in spans {
      while next < other.spans.count, other.spans[next].last < span.first { next += 1 }
      var index = next
      while index < other.spans.count, other.spans[index].first <= span.last {
        let first = max(span.first, other.spans[index].first)
        count += Int(min(span.last, other.spans[index].last) - first + 1)
        index += 1
      }
    }
    return count
  }
}

extension Timestamp {
  /// Whole seconds since the origin, rounded down.
  var wholeSecond: Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
