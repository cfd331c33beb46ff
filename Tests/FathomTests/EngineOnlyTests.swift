import Foundation
import TestSupport
import Testing

/// What a package resolves that depends on the engine alone.
struct EngineOnlyTests {
  private struct Package: Decodable {
    var identity: String
    var dependencies: [Package]
  }

  @Test func engineAloneResolvesTwoPackages() throws {
    try withTemporaryFolder { folder in
      let folder = URL(filePath: folder).appending(path: "engine-only")
      try FileManager.default.copyItem(
        at: Reference.packageRoot.appending(path: "Tests/Fixtures/EngineOnly"), to: folder)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["swift", "package", "show-dependencies", "--format", "json"]
      process.currentDirectoryURL = folder
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["FATHOM_PACKAGE": Reference.packageRoot.path(percentEncoded: false)]) { $1 }
      let output = folder.appending(path: "dependencies.json")
      try Data().write(to: output)
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      let package = try JSONDecoder().decode(Package.self, from: Data(contentsOf: output))
      let fathom = try #require(package.dependencies.first)
      #expect(
        fathom.dependencies.map(\.identity).sorted() == ["swift-collections", "swift-numerics"])
    }
  }
}
