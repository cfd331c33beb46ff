import Fathom
import FathomRecordings

/// One run of a method over one recording, in the order of time.
///
/// What is measured is `run`; making the pass and asking for its output are not. Closures rather than a
/// protocol: what stands behind an existential is not specialised for its smoother, and ten times as slow.
package struct MethodPass {
  /// How many ranges and events there are.
  package let count: Int
  /// Takes in the ranges and events at the given places in the order of time; call with successive
  /// places.
  package let run: (Range<Int>) -> Void
  /// What came out; call once, at the end.
  package let output: () -> MethodOutput
  /// Whether the second half of the recording needed no start, for which memory may be asked; call at
  /// the end.
  let isSettled: () -> Bool
}

/// What a method makes of a recording.
package enum MethodOutput: Sendable {
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

extension MethodPass {
  /// A pass that computes positions.
  init(_ positions: PositionPass) {
    let state = Box(positions)
    count = positions.count
    run = { state.value.run($0) }
    output = {
      let columns = state.value.finished()
      return .positions(
        columns, decisions: state.value.decisions, consistency: state.value.consistency)
    }
    isSettled = { state.value.isSettled }
  }

  /// A pass of one filter per tag.
  init<Filter: TrackingFilter>(_ filters: FilterPass<Filter>) {
    let state = Box(filters)
    count = filters.count
    run = { state.value.run($0) }
    output = {
      .positions(state.value.finished(), decisions: state.value.decisions, consistency: nil)
    }
    isSettled = { state.value.isSettled }
  }

  /// A pass of one method per pair of devices; `wrap` says what its outputs, one per range, are.
  init<Method: LinkMethod>(
    _ links: LinkPass<Method>, wrap: @escaping ([Method.Output?]) -> MethodOutput
  ) {
    let state = Box(links)
    count = links.count
    run = { state.value.run($0) }
    output = { wrap(state.value.outputs) }
    isSettled = { true }
  }

  /// A value that the closures of a pass share.
  private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
}
