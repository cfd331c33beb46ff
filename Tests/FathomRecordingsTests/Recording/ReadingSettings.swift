import Testing

@testable import FathomRecordings

/// Reads the settings in `text`, a file called `path`, with `reader`.
func settings<Settings>(
  in text: String, path: String, _ reader: (ByteSource) throws(RecordingError) -> Settings
) throws(RecordingError) -> Settings {
  try reader(ByteSource(path: path, stored: Array(text.utf8)))
}

/// Expects that `reader` rejects `text`, a file called `path`, as bad data with a message that
/// names the file and contains `expected`.
func expectRefused<Settings>(
  _ text: String, path: String, _ expected: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ reader: (ByteSource) throws(RecordingError) -> Settings
) {
  do throws(RecordingError) {
    _ = try settings(in: text, path: path, reader)
    Issue.record("was read: \(text)", sourceLocation: sourceLocation)
  } catch {
    let message = "\(error)"
    #expect(message.hasPrefix("\(path): "), sourceLocation: sourceLocation)
    #expect(message.contains(expected), "\(message)", sourceLocation: sourceLocation)
    #expect(error.exitCode == 65, sourceLocation: sourceLocation)
  }
}
