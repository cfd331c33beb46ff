import Testing

@testable import FathomRecordings

@Suite struct ConcurrencyTests {
  /// Without the lock, concurrent additions would be lost.
  @Test func lockGivesExclusiveAccess() async {
    let sum = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<20_000 { sum.withLock { $0 += 1 } } }
      }
    }
    #expect(sum.withLock { $0 } == 160_000)
  }

  @Test func errorReleasesLock() {
    struct Refusal: Error {}
    let value = Locked([1])
    #expect(throws: Refusal.self) {
      try value.withLock { numbers throws(Refusal) in
        numbers.append(2)
        throw Refusal()
      }
    }
    #expect(value.withLock { $0 } == [1, 2])
  }
}
