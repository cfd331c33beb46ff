import CLAPACK

/// Returns `value` as a LAPACK integer of 32 bits.
func lapackInteger(_ value: Int) throws(LinearAlgebraError) -> Int32 {
  guard let integer = Int32(exactly: value) else { throw .tooLarge(dimension: value) }
  return integer
}

/// Calls a LAPACK routine twice: first to query the workspace size, then with a workspace of that
/// size.
///
/// `call` receives the workspace and its size, -1 for the query, and returns `info`. This function
/// returns `info` when it is not negative.
func withLAPACKWorkspace(
  _ call: (inout [Double], Int32) -> Int32
) throws(LinearAlgebraError) -> Int {
  var work = [0.0]
  try checkArguments(call(&work, -1))
  // The optimal size is a whole number in a Double; LAPACK expects it as a 32-bit integer.
  let answer = work[0].rounded(.up)
  guard answer <= Double(Int32.max) else {
    throw .tooLarge(dimension: Int(exactly: answer) ?? .max)
  }
  work = [Double](repeating: 0, count: max(1, Int(answer)))
  let info = call(&work, Int32(work.count))
  try checkArguments(info)
  return Int(info)
}

/// Calls a LAPACK routine with a workspace of known size, on the stack when small.
func withWorkspace(
  of size: Int, _ call: (UnsafeMutablePointer<Double>?, Int32) -> Int32
) throws(LinearAlgebraError) {
  let length = try lapackInteger(max(1, size))
  let info = withUnsafeTemporaryAllocation(of: Double.self, capacity: Int(length)) { work in
    call(work.baseAddress, length)
  }
  try checkArguments(info)
}

/// The block size of LAPACK's blocked algorithms, for computing workspace sizes.
enum LAPACKBlock {
  /// The usual block size; a larger workspace is harmless, and LAPACK adapts to a smaller one.
  static var length: Int { 32 }
}

/// Throws when `info`, the result of a LAPACK routine, reports an illegal argument.
func checkArguments(_ info: Int32) throws(LinearAlgebraError) {
  if info < 0 { throw .illegalArgument(index: -Int(info)) }
}

extension DenseMatrix {
  /// Throws when an element is NaN or infinite, because LAPACK may not terminate for those.
  func requireFinite(
    as operand: LinearAlgebraError.Operand = .matrix
  ) throws(LinearAlgebraError) {
    guard let index = elements.firstIndex(where: { !$0.isFinite }) else { return }
    throw .notFinite(operand, row: index % rows, column: index / rows)
  }

  /// Throws when the matrix is not square.
  func requireSquare() throws(LinearAlgebraError) {
    if rows != columns { throw .dimensionMismatch(expected: rows, found: columns) }
  }

  /// Returns the elements of a square matrix on and below its diagonal, with zeros above; throws when one of
  /// them is NaN or infinite.
  func lowerTriangle() throws(LinearAlgebraError) -> DenseMatrix {
    var lower = DenseMatrix(rows: rows, columns: rows)
    for column in 0..<rows {
      for row in column..<rows {
        let element = self[row, column]
        guard element.isFinite else { throw .notFinite(.matrix, row: row, column: column) }
        lower[row, column] = element
      }
    }
    return lower
  }
}

/// Limits OpenBLAS to the calling thread, for the whole process from now on.
///
/// The routines of this library solve small problems, from as many threads as the caller chooses.
/// Additional threads inside BLAS compete with those: two callers with two internal threads each
/// run at half speed, and the summation order may change. Call it once, before starting workers.
/// The environment variable `OPENBLAS_NUM_THREADS=1` has the same effect.
///
/// ## Edge cases
/// Does nothing on Apple's systems, where Accelerate manages its threads.
package func limitBLASToOneThread() {
  clapack_limit_to_one_thread()
}
