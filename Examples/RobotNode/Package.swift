// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "RobotNode",
  platforms: [.macOS("26.0")],
  dependencies: [.package(name: "fathom", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "RobotNode", dependencies: [.product(name: "Fathom", package: "fathom")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
