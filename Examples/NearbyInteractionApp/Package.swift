// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "NearbyInteractionApp",
  platforms: [.macOS("26.0"), .iOS("26.0")],
  products: [.library(name: "NearbyModel", targets: ["NearbyModel"])],
  dependencies: [.package(name: "fathom", path: "../..", traits: [])],
  targets: [
    .target(
      name: "NearbyModel", dependencies: [.product(name: "Fathom", package: "fathom")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "NearbyModelTests", dependencies: ["NearbyModel"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
