import CFathom
import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation

/// Texts as C strings, which live as long as the object.
final class CStrings: Sendable {
  /// Constant after the initialiser.
  private nonisolated(unsafe) let table: UnsafeMutableBufferPointer<UnsafePointer<CChar>?>

  /// Creates C strings of `texts`, each up to its first zero byte.
  init(_ texts: [String]) {
    table = .allocate(capacity: texts.count)
    _ = table.initialize(from: texts.map { UnsafePointer(strdup($0)) })
  }

  deinit {
    for text in table { free(UnsafeMutableRawPointer(mutating: text)) }
    table.deallocate()
  }

  /// The number of texts.
  var count: Int { table.count }

  /// The pointers to all texts; nil if there are none.
  var pointers: UnsafePointer<UnsafePointer<CChar>?>? {
    table.isEmpty ? nil : UnsafePointer(table.baseAddress)
  }

  /// The text at `index`; nil out of range.
  subscript(index: Int) -> UnsafePointer<CChar>? {
    table.indices.contains(index) ? table[index] : nil
  }
}

/// What a `fathom_recording` refers to.
final class RecordingHandle: Sendable {
  let recording: Recording
  let tags: CStrings
  let anchors: CStrings
  let rows: RangeRows
  let places: AnchorRows

  init(_ recording: Recording) {
    self.recording = recording
    tags = CStrings(recording.tagNames)
    anchors = CStrings(recording.anchorNames)
    rows = RangeRows(recording)
    places = AnchorRows(recording)
  }
}

/// What a `fathom_result` refers to.
final class ResultHandle: Sendable {
  let columns: ResultColumns
  let names: [CStrings]

  init(_ columns: ResultColumns) {
    self.columns = columns
    names = ResultNames.allCases.map { CStrings(columns.names($0)) }
  }
}

/// What a `fathom_tracker` refers to; used by one thread at a time.
final class TrackerHandle {
  var tracker: Tracker
  /// The frame of directions, and their usual standard deviation.
  let frame: DeviceFrame
  let angleSigma: Angle

  init(_ tracker: Tracker, _ settings: ProcessingSettings) {
    self.tracker = tracker
    frame = settings.deviceFrame ?? .phone
    angleSigma = Angle(radians: settings.angleSigmaRad)
  }
}

/// What a `fathom_truth` refers to.
final class TruthHandle: Sendable {
  let reference: ReferenceTrajectory
  let rows: TrackRows

  init(_ reference: ReferenceTrajectory) {
    self.reference = reference
    rows = TrackRows(reference.truth)
  }
}

/// Stores a new reference to `object` in `handle`.
func give<Object: AnyObject>(
  _ object: Object, to handle: UnsafeMutablePointer<OpaquePointer?>?
) {
  handle?.pointee = OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// Returns the object that `handle` refers to.
func object<Object: AnyObject>(
  _: Object.Type, _ handle: OpaquePointer?
) throws(CallFailure) -> Object {
  guard let handle else { throw .usage("the handle is NULL") }
  return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Releases the object that `handle` refers to.
func release<Object: AnyObject>(_: Object.Type, _ handle: OpaquePointer?) {
  if let handle { Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release() }
}

/// Stores a copy of `text` in `result`, to be released by `fathom_text_free`.
func give(
  _ text: some Collection<UInt8>, to result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) throws(CallFailure) {
  guard let result else { throw .usage("the place for the text is NULL") }
  let count = text.count
  guard let memory = malloc(count + 1) else {
    throw CallFailure(status: Int32(FATHOM_INTERNAL), reason: "out of memory")
  }
  let bytes = memory.bindMemory(to: UInt8.self, capacity: count + 1)
  _ = UnsafeMutableBufferPointer(start: bytes, count: count).initialize(from: text)
  bytes[count] = 0
  result.pointee = memory.assumingMemoryBound(to: CChar.self)
}
