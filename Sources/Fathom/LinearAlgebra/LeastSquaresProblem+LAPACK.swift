import CLAPACK

/// The calls of LAPACK, which leave the factor in ``matrix`` and the solutions in ``solution``.
extension LeastSquaresProblem {
  /// Calls dgels; a zero on the diagonal of the factor is left for `judgeTriangle` to find.
  mutating func callQR() throws(LinearAlgebraError) {
    // What dgels would answer to the question for the best size.
    let order = min(rows, columns)
    let size = order + max(order, sides) * (order > LAPACKBlock.length ? LAPACKBlock.length : 1)
    try withWorkspace(of: size) { work, size in
      clapack_dgels(
        Int32(rows), Int32(columns), Int32(sides), &matrix, Int32(rows), &solution, Int32(stride),
        work, size)
    }
  }

  /// Calls dgelsy; returns the rank and the column that each column of the factor belongs to.
  mutating func callPivotedQR(
    relativeCutoff: Double
  ) throws(LinearAlgebraError) -> (rank: Int, pivots: [Int]) {
    var pivots = [Int32](repeating: 0, count: columns)
    var rank: Int32 = 0
    let order = min(rows, columns)
    let block = LAPACKBlock.length
    let size = max(
      order + 3 * columns + 1, order + 2 * columns + block * (columns + 1),
      2 * order + block * sides)
    try withWorkspace(of: size) { work, size in
      clapack_dgelsy(
        Int32(rows), Int32(columns), Int32(sides), &matrix, Int32(rows), &solution, Int32(stride),
        &pivots, relativeCutoff, &rank, work, size)
    }
    // LAPACK counts columns from 1.
    return (Int(rank), pivots.map { Int($0) - 1 })
  }

  /// Calls dgelsd.
  mutating func callSingularValues(
    relativeCutoff: Double
  ) throws(LinearAlgebraError) -> Verdict {
    var values = [Double](repeating: 0, count: min(rows, columns))
    var rank: Int32 = 0
    var integers: [Int32] = [0]
    let unsettled = try withLAPACKWorkspace { work, size in
      // The question about `work` is answered for `integers` as well.
      if size > 0 { integers = [Int32](repeating: 0, count: max(1, Int(integers[0]))) }
      return clapack_dgelsd(
        Int32(rows), Int32(columns), Int32(sides), &matrix, Int32(rows), &solution, Int32(stride),
        &values, relativeCutoff, &rank, &work, size, &integers)
    }
    if unsettled > 0 { throw .noConvergence(count: unsettled) }
    return Verdict(
      rank: Int(rank), conditionNumber: Self.ratio(values, count: Int(rank)),
      singularValues: values)
  }
}
