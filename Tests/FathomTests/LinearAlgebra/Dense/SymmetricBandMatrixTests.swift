import Testing

@testable import Fathom

@Suite struct SymmetricBandMatrixTests {
  @Test func storesElementsInDocumentedLayout() {
    var matrix = SymmetricBandMatrix(order: 4, bandwidth: 1)
    for index in 0..<4 { matrix[index, index] = Double(11 * index) }
    for index in 0..<3 { matrix[index, index + 1] = Double(11 * index + 10) }
    // a00 a10 | a11 a21 | a22 a32 | a33 0, where element (i, j) is 10 i + j
    #expect(matrix.elements == [0, 10, 11, 21, 22, 32, 33, 0])
    #expect(matrix[2, 1] == 21)
    #expect(matrix[1, 2] == 21)
    #expect(matrix[3, 0] == 0)
    #expect(
      matrix.dense()
        == DenseMatrix([[0, 10, 0, 0], [10, 11, 21, 0], [0, 21, 22, 32], [0, 0, 32, 33]]))
  }

  @Test func bandwidthBeyondOrderGivesFullMatrix() {
    var matrix = SymmetricBandMatrix(order: 2, bandwidth: 5)
    matrix[1, 0] = 3
    #expect(matrix.dense() == DenseMatrix([[0, 3], [3, 0]]))
    #expect(SymmetricBandMatrix(order: 0, bandwidth: 3).dense() == DenseMatrix([]))
  }

  @Test func rejectsElementsOutsideBand() async {
    await #expect(processExitsWith: .failure) {
      var matrix = SymmetricBandMatrix(order: 3, bandwidth: 1)
      matrix[2, 0] = 1
      print(matrix)
    }
  }
}
