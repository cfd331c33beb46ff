// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with: the Swift 6 language mode (strict concurrency) and no
/// tolerated warning.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

/// The settings of test targets: not optimised and file by file, which halves the time of their build.
///
/// The modules under test are optimised all the same. The unsafe flags affect no user of the package:
/// no product contains these targets.
let quick: [SwiftSetting] =
  strict + [.unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])]

/// The commit of the sources, as `make` gives it, for `fathom --version`; nil for other builds.
let commit = Context.environment["FATHOM_COMMIT"].flatMap { name in
  name.isEmpty || name.contains { !$0.isLetter && !$0.isNumber && $0 != "-" } ? nil : name
}

let package = Package(
  name: "fathom",
  // `Vector<3>` has an integer as generic parameter, and `InlineArray` stores it: both need the runtime of
  // Swift 6.2, which these are the first systems to have.
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .library(name: "Fathom", targets: ["Fathom"]),
    .library(name: "FathomRecordings", targets: ["FathomRecordings"]),
    .library(name: "FathomEvaluation", targets: ["FathomEvaluation"]),
    .library(name: "FathomReports", targets: ["FathomReports"]),
    .library(name: "FathomC", type: .dynamic, targets: ["FathomC"]),
    .executable(name: "fathom", targets: ["FathomCLI"]),
  ],
  // Without this trait the products Fathom and FathomRecordings resolve swift-collections and
  // swift-numerics only.
  traits: [
    .trait(name: "Tools", description: "FathomEvaluation, FathomReports and the command fathom."),
    .default(enabledTraits: ["Tools"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // MARK: Public

    .target(
      name: "Fathom",
      dependencies: [
        "CLAPACK",
        "CVectors",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      swiftSettings: strict,
      // A module without Foundation does not pull in libm by itself on Linux.
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
    ),
    .target(
      name: "FathomRecordings",
      dependencies: ["CStorage", "CVectors", "CZlib", "Fathom"],
      swiftSettings: strict
    ),
    .target(
      name: "FathomEvaluation",
      dependencies: [
        "FathomRecordings",
        .product(name: "Yams", package: "Yams", condition: .when(traits: ["Tools"])),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FathomReports",
      dependencies: [
        "FathomEvaluation",
        .product(
          name: "Mustache", package: "swift-mustache", condition: .when(traits: ["Tools"])),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FathomC",
      dependencies: ["CFathom", "FathomEvaluation"],
      swiftSettings: strict
    ),
    .target(
      name: "FathomLive",
      dependencies: [
        "FathomRecordings",
        .product(
          name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Tools"])),
      ],
      // Embedded, so that the tool is one file.
      resources: [
        "page.html", "page.css", "state.js", "history.js", "plan.js", "pointer.js", "tables.js",
        "events.js",
      ].map { .embedInCode("Page/Web/\($0)") },
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FathomCLI",
      dependencies: [
        "CStorage",
        "CTool",
        "FathomLive",
        "FathomReports",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Tools"])),
      ],
      exclude: ["manual-page"],
      swiftSettings: strict
    ),

    // MARK: Implementation

    .target(
      name: "CLAPACK",
      linkerSettings: [
        .linkedLibrary("lapacke", .when(platforms: [.linux])),
        .linkedLibrary("openblas", .when(platforms: [.linux])),
        .linkedFramework("Accelerate", .when(platforms: [.macOS, .iOS])),
      ]
    ),
    .target(name: "CFathom"),
    .target(
      name: "CTool",
      cSettings: commit.map { [.define("FATHOM_COMMIT", to: "\"\($0)\"")] } ?? []
    ),
    .target(name: "CVectors"),
    .target(name: "CStorage"),
    .systemLibrary(
      name: "CZlib",
      providers: [.apt(["zlib1g-dev"])]
    ),

    // MARK: Tests

    // Replaces the allocator of the program that links it: tests only.
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(
      name: "TestSupport",
      dependencies: ["FathomEvaluation"],
      path: "Tests/TestSupport",
      // Optimised, unlike the tests: they search for minima with it.
      swiftSettings: strict
    ),
    .testTarget(
      name: "FathomTests",
      dependencies: ["CVectors", "Fathom", "TestSupport"],
      resources: [.copy("Oracles")],
      swiftSettings: quick
    ),
    .testTarget(
      name: "FathomRecordingsTests",
      dependencies: ["CVectors", "FathomRecordings", "TestSupport"],
      swiftSettings: quick
    ),
    .testTarget(
      name: "FathomEvaluationTests",
      dependencies: ["CAllocationCount", "FathomEvaluation", "TestSupport"],
      exclude: ["GoldenTraces"],
      swiftSettings: quick
    ),
    .testTarget(
      name: "FathomReportsTests",
      dependencies: ["FathomReports", "TestSupport"],
      swiftSettings: quick
    ),
    // Examples are packages of their own; as targets of this one they are compiled and tested with the
    // rest.
    .executableTarget(
      name: "CommandLineTracker",
      dependencies: ["Fathom"],
      path: "Examples/CommandLineTracker/Sources/CommandLineTracker",
      swiftSettings: quick
    ),
    .executableTarget(
      name: "RobotNode",
      dependencies: ["Fathom"],
      path: "Examples/RobotNode/Sources/RobotNode",
      swiftSettings: quick
    ),
    .target(
      name: "NearbyModel",
      dependencies: ["Fathom"],
      path: "Examples/NearbyInteractionApp/Sources/NearbyModel",
      swiftSettings: quick
    ),
    .testTarget(
      name: "NearbyModelTests",
      dependencies: ["NearbyModel"],
      path: "Examples/NearbyInteractionApp/Tests/NearbyModelTests",
      swiftSettings: quick
    ),
    .testTarget(
      name: "FathomLiveTests",
      dependencies: ["FathomLive", "TestSupport"],
      swiftSettings: quick
    ),
    .testTarget(
      name: "FathomCTests",
      dependencies: ["CFathom", "FathomC", "TestSupport"],
      exclude: ["Programs"],
      swiftSettings: quick
    ),
    .testTarget(
      name: "FathomCLITests",
      dependencies: [
        "CommandLineTracker", "RobotNode", "FathomCLI", "FathomReports", "TestSupport",
      ],
      swiftSettings: quick
    ),
  ]
)
