// swift-tools-version: 6.1
import PackageDescription

/// What every Swift target is built with, as in the package that is measured.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .unsafeFlags(["-warnings-as-errors"]),
]

// A package of its own, so that users of Fathom never resolve what only its benchmarks need.
let package = Package(
  name: "fathom-benchmarks",
  platforms: [.macOS("26.0")],
  dependencies: [
    .package(name: "fathom", path: ".."),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    // The kernels, each defined once for both ways of measuring.
    .target(
      name: "KernelCatalogue",
      dependencies: [
        .product(name: "Fathom", package: "fathom"),
        .product(name: "FathomRecordings", package: "fathom"),
        .product(name: "FathomEvaluation", package: "fathom"),
      ],
      swiftSettings: strict
    ),
    // Time: by ordo-one/benchmark.
    .executableTarget(
      name: "Kernels",
      dependencies: ["KernelCatalogue", .product(name: "Benchmark", package: "benchmark")],
      path: "Benchmarks/Kernels",
      swiftSettings: strict,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    ),
    // Instructions and allocations: under Valgrind, by Benchmarks/count.
    .target(name: "CallgrindRequests"),
    .executableTarget(
      name: "CountedKernels",
      dependencies: ["KernelCatalogue", "CallgrindRequests"],
      swiftSettings: strict
    ),
    // Fathom's part of Benchmarks/peers.
    .executableTarget(
      name: "Peers",
      dependencies: [
        .product(name: "Fathom", package: "fathom"),
        .product(name: "FathomRecordings", package: "fathom"),
      ],
      swiftSettings: strict
    ),
  ]
)
