import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Rows as strings, with their lines.
struct ScannedRow: Equatable, CustomStringConvertible {
  var line: Int
  var fields: [String]
  var fault: CSVFault?

  init(_ line: Int, _ fields: [String], _ fault: CSVFault? = nil) {
    self.line = line
    self.fields = fields
    self.fault = fault
  }

  var description: String { "\(line): \(fields) \(fault.map { "\($0)" } ?? "")" }

  static func all(_ text: String, _ delimiter: Delimiter = .comma) -> [ScannedRow] {
    var scanner = CSVScanner(Array(text.utf8), delimiter: delimiter)
    var rows: [ScannedRow] = []
    while scanner.next() {
      let fields = scanner.fields.map { String(decoding: scanner.content($0), as: UTF8.self) }
      rows.append(ScannedRow(scanner.line, fields, scanner.fault))
    }
    return rows
  }
}

@Suite struct CSVScannerTests {
  @Test(arguments: ["\n", "\r\n", "\r"])
  func acceptsLFCRLFAndCRLineEnds(_ end: String) {
    let text = ["a,b", "1,2", "", "  ", "3,4"].joined(separator: end)
    let expected = [
      ScannedRow(1, ["a", "b"]), ScannedRow(2, ["1", "2"]), ScannedRow(5, ["3", "4"]),
    ]
    #expect(ScannedRow.all(text) == expected)
    #expect(ScannedRow.all(text + end) == expected)
    #expect(ScannedRow.all(text + end + end) == expected)
  }

  @Test func verticalTabAndFormFeedDoNotEndLines() {
    #expect(ScannedRow.all("A\u{B}B\u{C},1\n") == [ScannedRow(1, ["A\u{B}B\u{C}", "1"])])
  }

  @Test func keepsEmptyFields() {
    #expect(
      ScannedRow.all(",\n,,\n\"\"") == [
        ScannedRow(1, ["", ""]), ScannedRow(2, ["", "", ""]), ScannedRow(3, [""]),
      ])
    #expect(ScannedRow.all("").isEmpty)
    #expect(ScannedRow.all("a,") == [ScannedRow(1, ["a", ""])])
  }

  @Test func trimsBlanksAroundFields() {
    #expect(ScannedRow.all(" a\t, b c ,\" d \" ") == [ScannedRow(1, ["a", "b c", " d "])])
    #expect(ScannedRow.all("a\t b \t\t", .tab) == [ScannedRow(1, ["a", "b", "", ""])])
    // A line of tabs is blank, unless tabs separate fields.
    #expect(ScannedRow.all("\t\n", .comma).isEmpty)
    #expect(ScannedRow.all("\t\n", .tab) == [ScannedRow(1, ["", ""])])
  }

  @Test func anyBlanksAndTabsAreOneDelimiter() {
    #expect(
      ScannedRow.all("  a\tb  c \t d\t\n\t1 \"x y\"\t\"z\" 2 \n\t \n;", .blank) == [
        ScannedRow(1, ["a", "b", "c", "d"]), ScannedRow(2, ["1", "x y", "z", "2"]),
        ScannedRow(4, [";"]),
      ])
    #expect(ScannedRow.all("1 \"x\"y 2", .blank) == [ScannedRow(1, [], .textAfterQuote)])
  }

  @Test func quotedFieldsContainDelimitersQuotesAndLineEnds() {
    #expect(
      ScannedRow.all("\"a,b\",\"say \"\"x\"\"\"\n\"1\r\n2\n3\r4\",5\n6,7") == [
        ScannedRow(1, ["a,b", "say \"x\""]), ScannedRow(2, ["1\r\n2\n3\r4", "5"]),
        ScannedRow(6, ["6", "7"]),
      ])
  }

  @Test func keepsQuoteInsideUnquotedField() {
    #expect(ScannedRow.all("A\"b\"c,1") == [ScannedRow(1, ["A\"b\"c", "1"])])
  }

  @Test func rowWithInvalidQuotesEndsWithItsLine() {
    #expect(
      ScannedRow.all("a,b\n1,\"A\n2,B\n3,C") == [
        ScannedRow(1, ["a", "b"]), ScannedRow(2, [], .unclosedQuote), ScannedRow(3, ["2", "B"]),
        ScannedRow(4, ["3", "C"]),
      ])
    #expect(
      ScannedRow.all("\"a\"b,1\n2,3") == [
        ScannedRow(1, [], .textAfterQuote), ScannedRow(2, ["2", "3"]),
      ])
  }

  /// The opening quote on line 3 would otherwise close the missing quote of line 1.
  @Test func missingQuoteEndsBeforeNextQuotedField() {
    #expect(
      ScannedRow.all("1,\"A\n2,B\n3,\"C\",\n4,D") == [
        ScannedRow(1, [], .unclosedQuote), ScannedRow(2, ["2", "B"]),
        ScannedRow(3, ["3", "C", ""]),
        ScannedRow(4, ["4", "D"]),
      ])
  }

  /// A missing quote and one too many, lines apart, hide no rows between them if the number of fields is
  /// known.
  @Test(arguments: [20, 27, 1000])
  func fieldOfLinesNeedsTheFieldsOfARow(_ length: Int) {
    let text = Array("1,\"A\n2,B\n3,C\",5,6\n4,\"D\nE\"\n".utf8)
    var rows: [[String]] = []
    var faults: [CSVFault?] = []
    var (position, line) = (0, 1)
    while position < text.count {
      let isLast = position + length >= text.count
      var scanner = CSVScanner(
        text, delimiter: .comma, line: line, upTo: position + length, isLast: isLast)
      scanner.resume(at: position, line: line)
      scanner.fieldCount = 2
      let begin = position
      while scanner.next() {
        rows.append(scanner.fields.map { String(decoding: scanner.content($0), as: UTF8.self) })
        faults.append(scanner.fault)
        (position, line) = (scanner.position, scanner.lineAfter)
      }
      if position == begin { break }
    }
    #expect(rows == [[], ["2", "B"], ["3", "C\"", "5", "6"], ["4", "D\nE"]])
    #expect(faults == [.unclosedQuote, nil, nil, nil])
  }

  @Test func limitsLengthOfMultilineField() {
    let long = String(repeating: "x", count: CSVScanner.longestFieldOfLines)
    #expect(ScannedRow.all("\"\(long)\",1\n2,3").map(\.fields.count) == [2, 2])
    #expect(ScannedRow.all("\"\n\(long)\",1\n2,3").map(\.fault) == [.unclosedQuote, nil, nil])
    // Exactly at the limit including its line end, wherever that is.
    #expect(ScannedRow.all("\"\n\(long.dropLast())\",1\n2,3").map(\.fields.count) == [2, 2])
    #expect(ScannedRow.all("\"\(long.dropLast())\n\",1\n2,3").map(\.fields.count) == [2, 2])
  }

  @Test func skipsAndCountsComments() {
    var scanner = CSVScanner(Array("# one\na,#b\n#\n1,2".utf8), delimiter: .comma)
    var lines: [Int] = []
    while scanner.next() { lines.append(scanner.line) }
    #expect(lines == [2, 4])
    #expect(scanner.commentLines == 2)
  }

  @Test(arguments: [
    ("a,b,c\n1;2;3;4;5", Delimiter.comma), ("a;b;c\n1,5;2;3", .semicolon), ("a\tb c\td\n", .tab),
    ("a", .comma), ("", .comma), ("\"a;b;c\",d", .comma), ("# x;y;z\n\na\tb", .tab),
    // Tabs and blanks together, and blanks within names or values between tabs.
    ("time_s anchor\tdistance_m\n0.0 A\t1.5", .blank), ("x y\tz\n0 0\t1", .blank),
    ("Anchor ID\tTime stamp\tRange m\nA1\t0.0\t1.5", .tab),
    ("date time\tdistance\n2026-01-01 10:00:00\t1.5", .tab), ("tag name\tx\nB 1\t0", .tab),
  ])
  func detectsDelimiterFromHeader(_ text: String, _ expected: Delimiter) {
    #expect(CSVScanner.detectedDelimiter(of: Array(text.utf8)) == expected)
  }

  /// Random rows, written according to RFC 4180, are read back unchanged.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func quotedRowsRoundTrip(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = ["a", "\"", ",", "\n", "\r\n", " ", "é", "#", ";", "\t"]
    var rows: [[String]] = []
    for _ in 0..<200 {
      rows.append(
        (0..<Int.random(in: 1...5, using: &generator)).map { _ in
          (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
          }.joined()
        })
    }
    let text = rows.map { row in
      row.map { "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\"" }.joined(separator: ",")
    }.joined(separator: "\r\n")
    #expect(ScannedRow.all(text).map(\.fields) == rows)
  }

  /// With arbitrary bytes, every row makes progress and no field leaves its row.
  @Test(arguments: [UInt64(5), 6, 7])
  func scansDamagedBytesToTheEnd(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("ab,\"\n\r #\t;".utf8) + [0, 0xFF]
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      var scanner = CSVScanner(bytes, delimiter: .comma)
      var end = 0
      var line = 0
      while scanner.next() {
        #expect(scanner.row.lowerBound >= end)
        #expect(scanner.line > line)
        end = scanner.row.upperBound
        line = scanner.line
        #expect(scanner.fields.isEmpty == (scanner.fault != nil))
        for field in scanner.fields {
          #expect(field.range.lowerBound >= scanner.row.lowerBound)
          #expect(field.range.upperBound <= end)
        }
      }
      // Only blank lines and comments follow the last row.
      #expect(scanner.lineAfter >= line)
    }
  }

  /// The cases of csv-spectrum [Ogden].
  @Test(
    .needsReference("oracles/csv/spectrum"),
    arguments: [
      "comma_in_quotes", "empty", "escaped_quotes", "json", "newlines", "simple", "simple_crlf",
    ])
  func spectrum(_ name: String) throws {
    let expected: [[String: String]] = try oracle(
      at: Reference.url("oracles/csv/spectrum/\(name).json"))
    let data = try Data(contentsOf: Reference.url("oracles/csv/spectrum/\(name).csv"))
    let rows = ScannedRow.all(String(decoding: data, as: UTF8.self)).map(\.fields)
    let header = try #require(rows.first)
    let read = rows.dropFirst().map { row in
      Dictionary(uniqueKeysWithValues: zip(header, row))
    }
    #expect(read == expected)
  }
}
