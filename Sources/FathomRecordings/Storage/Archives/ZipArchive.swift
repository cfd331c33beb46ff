import CZlib
import Foundation

/// A zip archive [PKWARE APPNOTE 6.3.10], whose files are read as those of a folder.
///
/// Only its central directory is read, once and in linear time. A compressed file is handed on as
/// the gzip file that it would be: whatever reads `.gz` checks its sum and its size and refuses an
/// unusual compression ratio.
struct ZipArchive {
  /// A file in the archive.
  struct Member {
    /// Path in the archive, its names separated by slashes.
    var name: String
    fileprivate var flags: UInt16
    fileprivate var method: UInt16
    fileprivate var checksum: UInt32
    /// Size as stored and as unpacked, in bytes.
    fileprivate var storedCount: UInt32
    fileprivate var count: UInt32
    /// Offset of the header before its content.
    fileprivate var offset: UInt32
  }

  /// Path of the archive.
  let path: String
  /// Its files, in the order of the archive, without folders and hidden files.
  private(set) var members: [Member] = []
  private let input: StoredInput
  /// Offset of the central directory, before which all content is.
  private let directory: Int

  /// Opens the archive at `path`.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when it cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` when it is damaged or has several parts.
  init(path: String) throws(RecordingError) {
    try self.init(StoredInput(path: path))
  }

  /// Opens the archive in `input`.
  init(_ input: StoredInput) throws(RecordingError) {
    self.input = input
    path = input.path
    let tail = try Self.bytes(
      of: input, from: max(0, input.byteCount - Self.longestEnd), count: Self.longestEnd)
    guard let end = Self.end(in: tail) else {
      throw Self.damaged(path, "its list of files is missing")
    }
    let count = Int(tail.word16(end + 10))
    let (size, offset) = (tail.word32(end + 12), tail.word32(end + 16))
    guard tail.word16(end + 4) == 0, tail.word16(end + 8) == count else {
      throw .badData(
        path: path, line: nil, reason: "this is one part of a zip archive in several parts")
    }
    guard count < 0xFFFF, size < UInt32.max, offset < UInt32.max else {
      throw .badData(
        path: path, line: nil,
        reason: "this is a zip archive of more than 4 GiB or 65,534 files: unpack it")
    }
    directory = Int(offset)
    guard directory + Int(size) <= input.byteCount else {
      throw Self.damaged(path, "its list of files is cut")
    }
    let list = try Self.bytes(of: input, from: directory, count: Int(size))
    try readMembers(list, count)
  }

  /// Reads the central directory.
  private mutating func readMembers(_ list: [UInt8], _ count: Int) throws(RecordingError) {
    var place = 0
    for _ in 0..<count {
      guard place + 46 <= list.count, list.word32(place) == 0x0201_4B50 else {
        throw Self.damaged(path, "its list of files is cut")
      }
      let nameEnd = place + 46 + Int(list.word16(place + 28))
      let next = nameEnd + Int(list.word16(place + 30)) + Int(list.word16(place + 32))
      guard next <= list.count else { throw Self.damaged(path, "its list of files is cut") }
      // Programs of Windows have written backslashes.
      let name = String(decoding: list[place + 46..<nameEnd], as: UTF8.self)
        .replacing("\\", with: "/")
      let names = name.split(separator: "/")
      if let last = names.last, !name.hasSuffix("/"), !last.hasPrefix("."),
        names.first != "__MACOSX"
      {
        members.append(
          Member(
            name: names.joined(separator: "/"), flags: list.word16(place + 8),
            method: list.word16(place + 10), checksum: list.word32(place + 16),
            storedCount: list.word32(place + 20), count: list.word32(place + 24),
            offset: list.word32(place + 42)))
      }
      place = next
    }
  }

  /// Largest size of the record at the end of an archive: 22 bytes and a comment.
  private static let longestEnd = 22 + 0xFFFF

  /// Returns the offset of the record at the end of an archive that ends with `tail`.
  private static func end(in tail: [UInt8]) -> Int? {
    guard tail.count >= 22 else { return nil }
    return (0...tail.count - 22).last {
      tail[$0] == 0x50 && tail.word32($0) == 0x0605_4B50
        && $0 + 22 + Int(tail.word16($0 + 20)) <= tail.count
    }
  }

  // MARK: Content

  /// Where the content of a file is.
  enum Content {
    case memory([UInt8])
    /// An unnamed file and its size.
    case spool(Int32, Int)
  }

  /// Returns the content of `member`, as a gzip file if it is compressed.
  ///
  /// - Parameters:
  ///   - member: a file in the archive.
  ///   - mostInMemory: stored bytes beyond which the content is copied to an unnamed file.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when it is encrypted, damaged, or
  ///   compressed by a rare method; ``RecordingError/noInput(path:reason:)`` when the archive cannot
  ///   be read or a temporary file not be written.
  func content(
    of member: Member, mostInMemory: Int = StoredInput.largestInMemory
  ) throws(RecordingError) -> Content {
    let path = "\(path)/\(member.name)"
    guard member.flags & 1 == 0 else {
      throw .badData(path: path, line: nil, reason: "the file is encrypted: unpack the archive")
    }
    guard member.method == 0 || member.method == 8 else {
      throw .badData(
        path: path, line: nil,
        reason:
          "the file is compressed by method \(member.method), not by deflate: unpack the archive")
    }
    guard member.storedCount < UInt32.max, member.count < UInt32.max else {
      throw .badData(
        path: path, line: nil, reason: "the file is larger than 4 GiB: unpack the archive")
    }
    let header = try Self.bytes(of: input, from: Int(member.offset), count: 30)
    guard header.count == 30, header.word32(0) == 0x0403_4B50 else {
      throw Self.damaged(path, "the file has no header")
    }
    let begin =
      Int(member.offset) + 30 + Int(header.word16(26)) + Int(header.word16(28))
    let range = begin..<begin + Int(member.storedCount)
    guard range.upperBound <= directory, member.method != 0 || member.count == member.storedCount
    else { throw Self.damaged(path, "the file is longer than the archive") }
    let (head, tail) = member.method == 0 ? ([], []) : Self.gzip(member)
    if range.count <= mostInMemory {
      let bytes = try Self.bytes(of: input, from: begin, count: range.count)
      guard bytes.count == range.count, member.method != 0 || Self.sum(bytes) == member.checksum
      else { throw Self.damaged(path, "the checksum of the file differs") }
      return .memory(member.method == 0 ? bytes : head + bytes + tail)
    }
    return try spooled(range, head, tail, member, path)
  }

  /// Copies the bytes in `range` between `head` and `tail` to an unnamed file.
  private func spooled(
    _ range: Range<Int>, _ head: [UInt8], _ tail: [UInt8], _ member: Member, _ path: String
  ) throws(RecordingError) -> Content {
    let spool = try StoredInput.unnamedFile(path)
    do throws(RecordingError) {
      var sum: UInt32 = 0
      var block = head
      var place = range.lowerBound
      while true {
        guard block.withUnsafeBytes({ SystemCall.writeAll($0, to: spool) }) else {
          throw .noInput(
            path: path, reason: "cannot write to the temporary file: \(SystemCall.lastError())")
        }
        if place == range.upperBound { break }
        block = try Self.bytes(
          of: input, from: place, count: min(1 << 20, range.upperBound - place))
        guard !block.isEmpty else { throw Self.damaged(path, "the file is cut") }
        place += block.count
        sum = Self.sum(block, after: sum)
        if place == range.upperBound { block += tail }
      }
      guard member.method != 0 || sum == member.checksum else {
        throw Self.damaged(path, "the checksum of the file differs")
      }
    } catch {
      close(spool)
      throw error
    }
    return .spool(spool, head.count + range.count + tail.count)
  }

  /// Returns what precedes and follows the compressed data of `member` in a gzip file [RFC 1952].
  private static func gzip(_ member: Member) -> (head: [UInt8], tail: [UInt8]) {
    let sums = [member.checksum, member.count].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF], sums)
  }

  /// Returns the checksum of `bytes`, which follow bytes with the checksum `sum`.
  private static func sum(_ bytes: [UInt8], after sum: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBufferPointer {
      UInt32(truncatingIfNeeded: crc32(uLong(sum), $0.baseAddress, uInt($0.count)))
    }
  }

  /// Returns up to `count` bytes of `input` from `offset` on.
  private static func bytes(
    of input: StoredInput, from offset: Int, count: Int
  ) throws(RecordingError) -> [UInt8] {
    var bytes: [UInt8] = []
    let capacity = max(0, min(count, input.byteCount - offset))
    try bytes.append(addingCapacity: capacity) { span throws(RecordingError) in
      try span.withUnsafeMutableBufferPointer { buffer, count throws(RecordingError) in
        let free = UnsafeMutableRawBufferPointer(buffer)
        count = try input.read(
          into: UnsafeMutableRawBufferPointer(rebasing: free.prefix(capacity)), at: offset)
      }
    }
    return bytes
  }

  private static func damaged(_ path: String, _ what: String) -> RecordingError {
    .badData(
      path: path, line: nil, reason: "the zip archive is damaged: \(what); copy it again")
  }
}

extension [UInt8] {
  /// Returns the 16 bits at `place`, the low byte first.
  fileprivate func word16(_ place: Int) -> UInt16 {
    UInt16(self[place]) | UInt16(self[place + 1]) << 8
  }

  /// Returns the 32 bits at `place`, the low byte first.
  fileprivate func word32(_ place: Int) -> UInt32 {
    UInt32(word16(place)) | UInt32(word16(place + 2)) << 16
  }
}
