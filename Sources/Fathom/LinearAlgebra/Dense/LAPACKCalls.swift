import CLAPACK

/// `value` as the 32-bit integer that LAPACK counts with.
func lapackInteger(_ value: Int) throws(LinearAlgebraError) -> Int32 {
  guard let integer = Int32(exactly: value) else { throw .tooLarge(dimension: value) }
  return integer
}

/// Calls a LAPACK routine twice, first asking for the size of its work space, then with that much.
///
/// `call` takes the work space and its size, -1 for the question, and returns `info`; so does this
/// function where `info` is not negative.
func withLAPACKWorkspace(
  _ call: (inout [Double], Int32) -> Int32
) throws(LinearAlgebraError) -> Int {
  var work = [0.0]
  try checkArguments(call(&work, -1))
  // The answer is a whole number in a Double; LAPACK takes the size back as a 32-bit integer.
  let answer = work[0].rounded(.up)
  guard answer <= Double(Int32.max) else {
    throw .tooLarge(dimension: Int(exactly: answer) ?? .max)
  }
  work = [Double](repeating: 0, count: max(1, Int(answer)))
  let info = call(&work, Int32(work.count))
  try checkArguments(info)
  return Int(info)
}

/// Calls a LAPACK routine with work space of a size that is known, on the stack where it is small.
func withWorkspace(
  of size: Int, _ call: (UnsafeMutablePointer<Double>?, Int32) -> Int32
) throws(LinearAlgebraError) {
  let length = try lapackInteger(max(1, size))
  let info = withUnsafeTemporaryAllocation(of: Double.self, capacity: Int(length)) { work in
    call(work.baseAddress, length)
  }
  try checkArguments(info)
}

/// How wide the blocks are that LAPACK works in, for sizes of work space.
enum LAPACKBlock {
  /// The usual length; more than it wants does no harm, and less is taken where it suffices.
  static var length: Int { 32 }
}

/// Throws where `info`, the result of a LAPACK routine, names an illegal argument.
func checkArguments(_ info: Int32) throws(LinearAlgebraError) {
  if info < 0 { throw .illegalArgument(index: -Int(info)) }
}

extension DenseMatrix {
  /// Throws where an element is NaN or infinite: LAPACK may loop for ever on those.
  func requireFinite(
    as operand: LinearAlgebraError.Operand = .matrix
  ) throws(LinearAlgebraError) {
    guard let index = elements.firstIndex(where: { !$0.isFinite }) else { return }
    throw .notFinite(operand, row: index % rows, column: index / rows)
  }

  /// Throws where the matrix is not square.
  func requireSquare() throws(LinearAlgebraError) {
    if rows != columns { throw .dimensionMismatch(expected: rows, found: columns) }
  }
}

/// Keeps OpenBLAS to the thread that calls it, for the whole process from now on.
///
/// The routines of this library are called with small problems, from as many threads as the caller
/// chooses; threads inside BLAS then only stand in each other's way (two callers with two internal
/// threads each run at half speed, and sums may be taken in another order). Call it once, before
/// starting workers. The environment variable `OPENBLAS_NUM_THREADS=1` does the same.
///
/// ## Edge cases
/// Does nothing on Apple's systems, where Accelerate decides by itself.
package func limitBLASToOneThread() {
  clapack_limit_to_one_thread()
}
