import FathomRecordings

/// The files that a command has written, as JSON.
struct WrittenFiles<Content: Encodable>: Encodable {
  private struct File: Encodable {
    var path: String
    var bytes: Int
  }

  private let files: [File]
  private let content: Content

  /// Returns one line of JSON: the keys of `content`, and `files` with path and size.
  static func json(
    _ files: [(path: String, byteCount: Int)], _ content: Content
  ) throws -> String {
    try Console.json(
      Self(files: files.map { File(path: $0.path, bytes: $0.byteCount) }, content: content),
      keys: .convertToSnakeCase)
  }

  func encode(to encoder: any Encoder) throws {
    try content.encode(to: encoder)
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(files, forKey: "files")
  }
}
