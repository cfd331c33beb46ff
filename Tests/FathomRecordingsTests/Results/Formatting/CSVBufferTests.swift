import Fathom
import FathomRecordings
import Testing

@Suite struct CSVBufferTests {
  private func text(_ body: (inout CSVBuffer) -> Void) -> String {
    var row = CSVBuffer(header: "h", rows: 1)
    body(&row)
    let text = String(decoding: row.bytes, as: UTF8.self)
    return String(text.dropFirst(2))
  }

  @Test func separatesFieldsByCommas() {
    let row = text {
      $0.append("a")
      $0.append(7)
      $0.append(-0.5, decimals: 2)
      $0.append(Timestamp(nanoseconds: 1_500_000_000), decimals: 3)
      $0.endRow()
      $0.append("b")
      $0.endRow()
    }
    #expect(row == "a,7,-0.50,1.500\nb\n")
  }

  @Test func writesUndeterminedNumbersAsEmptyFields() {
    let row = text {
      $0.append(.nan, decimals: 4)
      $0.append("")
      $0.append(.infinity, decimals: 4)
      $0.endRow()
    }
    #expect(row == ",,\n")
  }

  @Test(arguments: [
    ("plain", "plain"), ("with space", "with space"), ("naïve ✓", "naïve ✓"), ("a,b", "\"a,b\""),
    ("say \"x\"", "\"say \"\"x\"\"\""), ("\"", "\"\"\"\""), ("two\nlines", "\"two\nlines\""),
    ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""), (" left", "\" left\""),
    ("right ", "\"right \""), ("\ttab", "\"\ttab\""), ("#1", "\"#1\""), ("1#", "1#"),
  ])
  func quotesAmbiguousText(_ text: String, _ expected: String) {
    #expect(self.text { $0.append(text) } == expected)
  }

  /// Reads back with the package's own scanner, which also handles blanks and comments beyond
  /// RFC 4180.
  @Test func scannerReadsBackWrittenText() {
    let pieces = ["", " ", "\t", "#", "\"", ",", "\n", "\r", "a", "é", ";"]
    var count = 0
    for first in pieces {
      for second in pieces {
        for third in pieces {
          let text = first + second + third
          var row = CSVBuffer(header: "a,b", rows: 1)
          row.append(text)
          row.append("x")
          row.endRow()
          var scanner = CSVScanner(row.bytes, delimiter: .comma)
          guard scanner.next(), scanner.next(), scanner.fields.count == 2 else {
            Issue.record("\(text.debugDescription) is not read back")
            continue
          }
          let content = String(decoding: scanner.content(scanner.fields[0]), as: UTF8.self)
          #expect(content == text, "\(text.debugDescription)")
          count += 1
        }
      }
    }
    #expect(count == 1331)
  }
}
