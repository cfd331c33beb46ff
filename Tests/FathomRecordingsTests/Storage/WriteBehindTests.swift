import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct WriteBehindTests {
  @Test func skipsRequestsDuringWriteBack() throws {
    try withTemporaryFolder { folder in
      let descriptor = open("\(folder)/a", O_WRONLY | O_CREAT, 0o666)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      let behind = WriteBehind()
      #expect(behind.wait() == 0)
      for _ in 0..<100 {
        write(descriptor, "abc", 3)
        behind.begin(descriptor)
      }
      #expect(behind.wait() == 0)
    }
  }

  /// The system reports an error only once; every later caller must receive it as well.
  @Test func keepsFirstError() {
    let behind = WriteBehind()
    behind.begin(-1)
    #expect(behind.wait() == EBADF)
    #expect(behind.wait() == EBADF)
  }

  /// A pipe cannot be synchronized, which is not an error.
  @Test func synchronizingPipeSucceeds() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(WriteBehind.synchronize(ends[1]) == 0)
  }
}
