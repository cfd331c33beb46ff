import Fathom
import FathomRecordings

/// One run of a method over one recording, in the order of time.
///
/// Only `run` is timed; creating the pass and reading its output are not. Closures replace a
/// protocol: calls through an existential are not specialised for the smoother and take ten times
/// as long.
package struct MethodPass {
  /// Number of ranges and events.
  package let count: Int
  /// Processes the ranges and events at the given places in the order of time; call it with
  /// successive places.
  package let run: (Range<Int>) -> Void
  /// Returns the output; call it once, at the end.
  package let output: () -> MethodOutput
  /// Returns whether no track was started in the second half of the recording; call it at the end.
  ///
  /// The start of a track may allocate memory.
  let isSettled: () -> Bool
}

/// The output of a method for a recording.
package enum MethodOutput: Sendable {
  /// Positions sorted by time, how each range was used, and the innovation statistics of filters.
  case positions(
    PositionColumns, decisions: [DistanceColumns.Decision],
    consistency: RecordingSummary.FilterConsistency?)
  /// One smoothed distance per range of the recording; nil without output.
  case distances([SmoothedDistance?])
  /// One verdict per range of the recording.
  case verdicts([MeasurementQuality])
  /// One score per range of the recording, from 0 (bad) to 1 (good); nil without output.
  case scores([Double?])
}

extension MethodPass {
  /// Creates a pass that computes positions.
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

  /// Creates a pass of one filter per tag.
  init<Filter: TrackingFilter>(_ filters: FilterPass<Filter>) {
    let state = Box(filters)
    count = filters.count
    run = { state.value.run($0) }
    output = {
      .positions(state.value.finished(), decisions: state.value.decisions, consistency: nil)
    }
    isSettled = { state.value.isSettled }
  }

  /// Creates a pass of one method per pair of devices; `wrap` converts its outputs, one per range.
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
