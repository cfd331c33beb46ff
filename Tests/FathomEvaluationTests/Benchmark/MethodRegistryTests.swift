import CAllocationCount
import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct MethodRegistryTests {
  private static let datasets = ["drone-3d", "phone-accessory", "robot-2d"]

  private func recording(_ dataset: String) throws -> Recording {
    let folder = Reference.packageRoot.appending(path: "Datasets/\(dataset)")
    return try RecordingReader.read(folder.path(percentEncoded: false))
  }

  @Test func methodsHaveUniqueNamesAndSummaries() {
    let names = MethodRegistry.all.map(\.name)
    #expect(Set(names).count == names.count)
    for method in MethodRegistry.all {
      #expect(!method.summary.isEmpty && !method.summary.contains("\n"))
      #expect(method.name.allSatisfy { $0.isLowercase || $0 == "-" })
    }
  }

  @Test func everyCommandLineSmootherIsRegistered() {
    let names = Set(MethodRegistry.all.map(\.name))
    for method in SmoothingMethod.allCases { #expect(names.contains(method.rawValue)) }
    for method in PositionMethod.allCases { #expect(names.contains(method.rawValue)) }
  }

  @Test func findsMethodsByNameAndKind() throws {
    let two = try MethodRegistry.methods(named: ["filter", "median", "filter"])
    #expect(two.map(\.name) == ["filter", "median"])
    let positions = try MethodRegistry.methods(named: ["positions"])
    #expect(!positions.isEmpty && positions.allSatisfy { $0.kind == .position })
    let filters = try MethodRegistry.methods(named: ["filters"])
    #expect(!filters.isEmpty && filters.allSatisfy { $0.kind == .position })
    #expect(Set(filters.map(\.name)).isDisjoint(with: positions.map(\.name)))
    #expect(try MethodRegistry.methods(named: ["all"]).count == MethodRegistry.all.count)
    #expect(throws: MethodRegistry.UnknownMethod(name: "philter")) {
      try MethodRegistry.methods(named: ["filter", "philter"])
    }
  }

  /// The benchmark gives the results of `process`, bit by bit.
  @Test(arguments: datasets)
  func matchesProcess(dataset: String) throws {
    let recording = try recording(dataset)
    for smoothing in SmoothingMethod.allCases {
      var settings = ProcessingSettings()
      settings.smoothing = smoothing
      let processed = recording.processed(with: settings)
      let method = try #require(try MethodRegistry.methods(named: [smoothing.rawValue]).first)
      let pass = try #require(method.pass(over: recording))
      pass.run(0..<pass.count)
      guard case .distances(let distances) = pass.output() else {
        Issue.record("\(smoothing) gives no distances")
        continue
      }
      // The recordings in Datasets/ are sorted by time, so rows correspond to ranges.
      #expect(
        distances.map { ($0?.distance ?? .nan).bitPattern }
          == processed.distances.smoothed.map(\.bitPattern))
      #expect(
        distances.map { ($0?.sigma ?? .nan).bitPattern }
          == processed.distances.sigma.map(\.bitPattern))
    }
    guard !recording.anchors.isEmpty else { return }
    for method in PositionMethod.allCases {
      var settings = ProcessingSettings()
      settings.method = method
      let processed = recording.processed(with: settings)
      let registered = try #require(try MethodRegistry.methods(named: [method.rawValue]).first)
      let pass = try #require(registered.pass(over: recording))
      pass.run(0..<pass.count)
      guard case .positions(let positions, let decisions, _) = pass.output() else {
        Issue.record("\(method) gives no positions")
        continue
      }
      #expect(
        positions.position.map { $0.array.map(\.bitPattern) }
          == processed.positions.position.map { $0.array.map(\.bitPattern) })
      #expect(positions.time == processed.positions.time)
      #expect(decisions == processed.distances.decision)
    }
  }

  @Test func linearMethodMatchesTheSolver() throws {
    // Without noise the linearised equations hold exactly.
    let tag: Vector<3> = Vector([2, 3, 1])
    var recording = Recording(name: "exact")
    recording.tagNames = ["t"]
    recording.anchorNames = ["a", "b", "c", "d"]
    recording.anchors = [
      Vector<3>([0, 0, 2.5]), Vector([6, 0, 2]), Vector([6, 5, 2.5]), Vector([0, 5, 2]),
    ].map { Anchor(position: $0) }
    recording.facts.heightM = 1
    for (index, anchor) in recording.anchors.enumerated() {
      recording.ranges.time.append(Timestamp(nanoseconds: 0))
      recording.ranges.tag.append(0)
      recording.ranges.anchor.append(Int32(index))
      recording.ranges.distance.append((anchor.position - tag).length)
      recording.ranges.line.append(index + 2)
    }
    recording.rowsRead = 4
    for height in [1.0, nil] {
      recording.facts.heightM = height
      // A 3-D solution requires anchors that are not coplanar, but these are.
      let method = try #require(try MethodRegistry.methods(named: ["linear"]).first)
      let pass = try #require(method.pass(over: recording))
      pass.run(0..<pass.count)
      guard case .positions(let positions, _, _) = pass.output() else { return }
      let last = try #require(positions.position.last)
      #expect((last - tag).length < 1e-9)
    }
  }

  /// Verifies the claim that the benchmark checks, on every recording of Datasets/.
  @Test(.releaseOnly, arguments: datasets)
  func methodsClaimingNoAllocationMakeNone(dataset: String) throws {
    try #require(fathom_counts_allocations())
    let recording = try recording(dataset)
    for method in MethodRegistry.all {
      let measured = MethodTiming.measure(
        method, over: recording, repeats: 1,
        allocationCount: { @Sendable in fathom_allocation_count() })
      guard let timing = measured?.timing else { continue }
      if method.claimsNoAllocation {
        #expect(timing.allocations == 0, "\(method.name)")
      } else {
        // A counter that never counts would not show a broken claim.
        #expect((timing.allocations ?? 0) > 0, "\(method.name)")
      }
    }
  }
}
