import CZlib
import Foundation

/// A zip archive [PKWARE APPNOTE 6.3.10], with sizes of 32 or 64 bits, whose files are read as those of a
/// folder.
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
    fileprivate var storedCount: Int
    fileprivate var count: Int
    /// Offset of the header before its content.
    fileprivate var offset: Int
  }

  /// The bytes with which an archive begins.
  static let signature: [UInt8] = [0x50, 0x4B, 3, 4]

  /// Path of the archive.
  let path: String
  /// Its files, in the order of the archive, without folders and hidden files.
  private(set) var members: [Member] = []
  private let input: StoredInput
  /// Offset of the central directory, before which all content is.
  private let directory: Int

  /// Opens the archive at `path`; throws when it is damaged or has several parts.
  init(path: String) throws(RecordingError) {
    try self.init(StoredInput(path: path))
  }

  /// Opens the archive in `input`.
  init(_ input: StoredInput) throws(RecordingError) {
    self.input = input
    path = input.path
    let begin = max(0, input.byteCount - Self.longestEnd)
    let tail = try Self.bytes(of: input, from: begin, count: Self.longestEnd)
    guard let place = Self.end(in: tail) else {
      throw Self.damaged(path, "its list of files is missing")
    }
    let end = try Self.wideEnd(in: tail, before: place, of: input) ?? End(tail, place)
    guard end.isWhole else {
      throw .badData(
        path: path, line: nil, reason: "this is one part of a zip archive in several parts")
    }
    directory = end.offset
    guard end.offset <= input.byteCount, end.size <= input.byteCount - end.offset else {
      throw Self.damaged(path, "its list of files is cut")
    }
    let list = try Self.bytes(of: input, from: directory, count: end.size)
    try readMembers(list, end.count)
  }

  /// Reads the central directory.
  private mutating func readMembers(_ list: [UInt8], _ count: Int) throws(RecordingError) {
    var place = 0
    for _ in 0..<count {
      guard place + 46 <= list.count, list.word32(place) == 0x0201_4B50 else {
        throw Self.damaged(path, "its list of files is cut")
      }
      let nameEnd = place + 46 + Int(list.word16(place + 28))
      let extra = nameEnd..<nameEnd + Int(list.word16(place + 30))
      let next = extra.upperBound + Int(list.word16(place + 32))
      guard next <= list.count else { throw Self.damaged(path, "its list of files is cut") }
      // Programs of Windows have written backslashes.
      let name = Self.plain(String(decoding: list[place + 46..<nameEnd], as: UTF8.self))
        .replacing("\\", with: "/")
      let names = name.split(separator: "/")
      if let last = names.last, !name.hasSuffix("/"), !last.hasPrefix("."),
        names.first != "__MACOSX"
      {
        guard
          let sizes = Self.sizes(
            [list.word32(place + 24), list.word32(place + 20), list.word32(place + 42)], list,
            extra)
        else { throw Self.damaged(path, "a size in its list of files is missing") }
        members.append(
          Member(
            name: names.joined(separator: "/"), flags: list.word16(place + 8),
            method: list.word16(place + 10), checksum: list.word32(place + 16),
            storedCount: sizes[1], count: sizes[0], offset: sizes[2]))
      }
      place = next
    }
  }

  /// Returns `values` of 32 bits, of which those that do not fit are in the field 1 among the extra fields in
  /// `range` of `list`; nil if they are not there.
  private static func sizes(_ values: [UInt32], _ list: [UInt8], _ range: Range<Int>) -> [Int]? {
    var place = range.lowerBound
    while place + 4 <= range.upperBound, list.word16(place) != 1 {
      place += 4 + Int(list.word16(place + 2))
    }
    place += 4
    var sizes: [Int] = []
    for value in values {
      guard value == .max else {
        sizes.append(Int(value))
        continue
      }
      guard place + 8 <= range.upperBound, let size = Int(exactly: list.word64(place)) else {
        return nil
      }
      sizes.append(size)
      place += 8
    }
    return sizes
  }

  /// Returns a name whose control characters cannot reach a terminal.
  private static func plain(_ name: String) -> String {
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory != .control
    }
    guard !name.unicodeScalars.allSatisfy(isPlain) else { return name }
    return String(
      String.UnicodeScalarView(name.unicodeScalars.map { isPlain($0) ? $0 : "\u{FFFD}" }))
  }

  /// The folder that all files have in common; empty without one.
  var commonFolder: String {
    guard var common = members.first?.name.split(separator: "/").dropLast() else { return "" }
    for member in members {
      let names = member.name.split(separator: "/").dropLast()
      let equal = zip(common, names).prefix { $0 == $1 }.count
      common = common.prefix(equal)
    }
    return common.joined(separator: "/")
  }

  /// The record at the end of an archive.
  private struct End {
    var count: Int
    var size: Int
    var offset: Int
    /// Whether all parts of the archive are in the file.
    var isWhole: Bool

    /// Reads the record at `place` of `tail`.
    init(_ tail: [UInt8], _ place: Int) {
      count = Int(tail.word16(place + 10))
      (size, offset) = (Int(tail.word32(place + 12)), Int(tail.word32(place + 16)))
      isWhole = tail.word16(place + 4) == 0 && Int(tail.word16(place + 8)) == count
    }

    /// Reads the record with sizes of 64 bits in `record`; nil for other bytes.
    init?(wide record: [UInt8]) {
      guard record.count == 56, record.word32(0) == 0x0606_4B50,
        let count = Int(exactly: record.word64(32)), let size = Int(exactly: record.word64(40)),
        let offset = Int(exactly: record.word64(48))
      else { return nil }
      (self.count, self.size, self.offset) = (count, size, offset)
      isWhole = record.word32(16) == 0 && record.word64(24) == record.word64(32)
    }
  }

  /// Returns the record of 64 bits to which the 20 bytes before the one at `place` point; nil without one.
  private static func wideEnd(
    in tail: [UInt8], before place: Int, of input: StoredInput
  ) throws(RecordingError) -> End? {
    let pointer = place - 20
    guard pointer >= 0, tail.word32(pointer) == 0x0706_4B50 else { return nil }
    let offset = Int(exactly: tail.word64(pointer + 8)) ?? .max
    guard offset < input.byteCount,
      let end = End(wide: try bytes(of: input, from: offset, count: 56))
    else { throw damaged(input.path, "its list of files is missing") }
    return end
  }

  /// Largest size of the records at the end of an archive: 42 bytes and a comment.
  private static let longestEnd = 42 + 0xFFFF

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
  /// More than `mostInMemory` stored bytes are copied to an unnamed file. Throws when the content
  /// is encrypted, damaged, or compressed by a rare method.
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
    guard max(member.storedCount, member.count) <= RecordingLimits.mostBytes else {
      throw RecordingLimits.tooLong(path, RecordingLimits.mostBytes)
    }
    guard member.offset < directory else { throw Self.damaged(path, "the file has no header") }
    let header = try Self.bytes(of: input, from: member.offset, count: 30)
    guard header.count == 30, header.word32(0) == 0x0403_4B50 else {
      throw Self.damaged(path, "the file has no header")
    }
    let begin = member.offset + 30 + Int(header.word16(26)) + Int(header.word16(28))
    let range = begin..<begin + member.storedCount
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
    let sums = [member.checksum, UInt32(truncatingIfNeeded: member.count)].flatMap { value in
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

/// A path that leads into a zip archive: `walk.zip` or `walks.zip/monday/ranges.csv`.
///
/// An archive stands for the folder that all its files have in common.
struct ArchivedPath {
  let archive: ZipArchive
  /// Path in the archive; empty for the archive itself.
  let inner: String
  /// The folder that all files of the archive have in common; empty without one.
  let root: String

  /// Opens the archive in `path`; nil if the path leads into no archive.
  init?(_ path: String) throws(RecordingError) {
    var ends = path.indices.filter { path[$0] == "/" && $0 != path.startIndex }
    ends.append(path.endIndex)
    guard
      let end = ends.first(where: { FileIdentity.size(of: String(path[..<$0])) != nil }),
      Self.isZip(String(path[..<end]))
    else { return nil }
    archive = try ZipArchive(path: String(path[..<end]))
    // A spreadsheet or a document is an archive, too.
    if archive.members.contains(where: { $0.name == "[Content_Types].xml" }) { return nil }
    inner = path[end...].split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    root = archive.commonFolder
  }

  /// Whether the file at `path` begins like a zip archive.
  private static func isZip(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes: [UInt8] = [0, 0, 0, 0]
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    return count == 4 && bytes == ZipArchive.signature
  }

  /// Whether `path` is an archive, or a folder in one.
  static func isFolder(_ path: String) -> Bool {
    do throws(RecordingError) {
      guard let found = try ArchivedPath(path) else { return false }
      return found.inner.isEmpty
        || found.archive.members.contains { $0.name.hasPrefix("\(found.inner)/") }
    } catch {
      // Its files give the reason.
      return true
    }
  }

  /// The file at the path; nil if the archive has no such file.
  var member: ZipArchive.Member? { member(inner) }

  /// Whether the folder at the path has a file called `name`.
  func hasFile(_ name: String) -> Bool {
    member(inner.isEmpty ? name : "\(inner)/\(name)") != nil
  }

  private func member(_ name: String) -> ZipArchive.Member? {
    let members = archive.members
    if let exact = members.first(where: { $0.name == name }) { return exact }
    guard !root.isEmpty else { return nil }
    return members.first { $0.name == "\(root)/\(name)" }
  }

  /// Returns the content of the file at `path` in an archive, which must have it; nil if the path
  /// leads into none.
  static func content(of path: String) throws(RecordingError) -> ZipArchive.Content? {
    guard let found = try ArchivedPath(path) else { return nil }
    guard let member = found.member else {
      throw .noInput(
        path: path,
        reason: "the archive has no such file; it has"
          + " \(found.archive.members.prefix(8).map(\.name).joined(separator: ", "))")
    }
    return try found.archive.content(of: member)
  }
}
