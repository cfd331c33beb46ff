// swift-tools-version: 6.2
import PackageDescription

// A package that uses the engine alone. A test resolves it in a temporary folder.
let package = Package(
  name: "engine-only",
  platforms: [.macOS(.v26), .iOS(.v26)],
  dependencies: [
    .package(
      name: "fathom", path: Context.environment["FATHOM_PACKAGE"] ?? "../../..", traits: [])
  ],
  targets: [
    .target(name: "EngineOnly", dependencies: [.product(name: "Fathom", package: "fathom")])
  ]
)
