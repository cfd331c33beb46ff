import Testing

@testable import Fathom

@Suite struct LAPACKCallsTests {
  @Test func rejectsDimensionsBeyond32Bits() throws {
    #expect(try lapackInteger(Int(Int32.max)) == .max)
    #expect(throws: LinearAlgebraError.tooLarge(dimension: 2_147_483_648)) {
      try lapackInteger(2_147_483_648)
    }
  }

  @Test func allocatesQueriedWorkspaceSize() throws {
    var sizes: [Int32] = []
    let info = try withLAPACKWorkspace { work, size in
      sizes.append(size)
      if size < 0 { work[0] = 17 } else { sizes.append(Int32(work.count)) }
      return size < 0 ? 0 : 3
    }
    #expect(sizes == [-1, 17, 17])
    #expect(info == 3)
  }

  @Test func rejectsWorkspaceBeyond32Bits() {
    #expect(throws: LinearAlgebraError.tooLarge(dimension: 3_000_000_000)) {
      try withLAPACKWorkspace { work, _ in
        work[0] = 3e9
        return 0
      }
    }
  }

  @Test func reportsIllegalArguments() {
    #expect(throws: LinearAlgebraError.illegalArgument(index: 4)) {
      try withLAPACKWorkspace { _, _ in -4 }
    }
  }

  @Test func limitingThreadsKeepsResults() throws {
    limitBLASToOneThread()
    let solution = try leastSquares(DenseMatrix([[2]]), DenseMatrix([[6]]))
    #expect(solution.coefficients == DenseMatrix([[3]]))
  }
}
