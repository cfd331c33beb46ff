import Fathom
import FathomRecordings

/// One run of a method over one recording, in the order of time.
///
/// What is measured is ``run(_:)``; making the pass and asking for its output are not.
public protocol MethodPass: Sendable {
  /// How many ranges and events there are.
  var count: Int { get }

  /// Takes in the ranges and events at `places` in the order of time; call with successive places.
  mutating func run(_ places: Range<Int>)

  /// What came out; call once, at the end.
  mutating func output() -> MethodOutput
}

/// What a method makes of a recording.
public enum MethodOutput: Sendable {
  /// Positions in order of time, what was made of each range, and for filters what their innovations
  /// say.
  case positions(
    PositionColumns, decisions: [DistanceColumns.Decision],
    consistency: RecordingSummary.Consistency?)
  /// One smoothed distance per range of the recording; nil where the method gave none.
  case distances([SmoothedDistance?])
  /// One verdict per range of the recording.
  case verdicts([MeasurementQuality])
  /// One score per range of the recording, 0 bad to 1 good; nil where the method gave none.
  case scores([Double?])
}

extension PositionPass: MethodPass {
  /// The positions, the decisions, and the consistency of a filter.
  public mutating func output() -> MethodOutput {
    let positions = finished()
    return .positions(positions, decisions: decisions, consistency: consistency)
  }
}
