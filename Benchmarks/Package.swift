// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Fathom never resolve what only its benchmarks need.
let package = Package(
  name: "fathom-benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "fathom", path: ".."),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Kernels",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "Fathom", package: "fathom"),
        .product(name: "FathomRecordings", package: "fathom"),
        .product(name: "FathomEvaluation", package: "fathom"),
      ],
      path: "Benchmarks/Kernels",
      swiftSettings: [.swiftLanguageMode(.v6)],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    )
  ]
)
