import Foundation

/// Runs `body` with the path of an empty folder, removed afterwards.
public func withTemporaryFolder(_ body: (String) throws -> Void) throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder.path(percentEncoded: false))
}

/// Runs `body` with the path of an empty folder, removed afterwards.
public func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder.path(percentEncoded: false))
}

private func temporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
