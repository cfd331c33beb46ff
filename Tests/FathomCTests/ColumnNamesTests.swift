import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Every door has the columns and the kinds of measurements of the schema.
@Suite struct ColumnNamesTests {
  private let expected = RangeQuantity.allCases.map(\.name)

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Reference.packageRoot.appending(path: path), encoding: .utf8)
  }

  @Test func headerOfCHasTheColumns() throws {
    let header = try text("Sources/CFathom/include/fathom.h")
    let structure = try #require(
      header.firstMatch(of: /typedef struct fathom_ranges \{([^}]*)\}/)?.output.1)
    let names = structure.matches(of: /const double \*(\w+);/).map { String($0.output.1) }
    #expect(Set(names) == Set(expected + ["time_s", "distance_m"]))
  }

  @Test func pythonHasTheColumns() throws {
    let source = try text("Python/src/fathom/_reader.py")
    let list = try #require(source.firstMatch(of: /NUMBERS = \[([^\]]*)\]/)?.output.1)
    let names = list.matches(of: /"(\w+)"/).map { String($0.output.1) }
    #expect(Set(names) == Set(expected + ["distance_m"]))
  }

  /// The structures are filled in the order of the fields.
  @Test func headerOfCHasTheColumnsOfResults() throws {
    func check<Field: ResultField>(_: Field.Type, _ pattern: Regex<(Substring, Substring)>) throws {
      let header = try text("Sources/CFathom/include/fathom.h")
      let structure = try #require(header.firstMatch(of: pattern)?.output.1)
      let members = structure.matches(of: /const (\w+) \*(\w+);/).map {
        "\($0.output.1) \($0.output.2)"
      }
      let expected = Field.stored.map { field in
        let type =
          switch field.column.content {
          case .time: "int64_t"
          case .name, .count: "int32_t"
          case .number: "double"
          case .word: "uint8_t"
          }
        return "\(type) \(field.column.storedName)"
      }
      #expect(members == expected)
      #expect(structure.trimmingPrefix(/\s*/).hasPrefix("int64_t count;"))
    }
    try check(PositionField.self, /typedef struct fathom_positions \{([^}]*)\}/)
    try check(DistanceField.self, /typedef struct fathom_distances \{([^}]*)\}/)
  }

  @Test func sparkHasTheColumnsOfPositions() throws {
    let source = try text("Python/src/fathom/spark.py")
    let list = try #require(source.firstMatch(of: /POSITIONS = \(([^)]*)\)/)?.output.1)
    let columns = list.matches(of: /(\w+) (string|bigint|double|int)\b/).map {
      "\($0.output.1) \($0.output.2)"
    }
    let expected = PositionField.stored.filter { $0.column.extra == nil }.map { field in
      let type =
        switch field.column.content {
        case .time: "bigint"
        case .name, .word: "string"
        case .number: "double"
        case .count: "int"
        }
      return "\(field.column.storedName) \(type)"
    }
    #expect(columns == ["recording string"] + expected + ["error string"])
  }

  /// Arrow fields are looked up by these names.
  @Test func namesFindTheirColumns() {
    for quantity in RangeQuantity.allCases {
      #expect(RangeField(named: quantity.name) == .number(quantity))
    }
    #expect(RangeField(named: "true_distance_m") == .number(.trueDistance))
    #expect(RangeField(named: "sigma_cm") == nil && RangeField(named: "colour") == nil)
  }

  @Test func trackersTakeEveryKindOfMeasurement() throws {
    let kinds = TimedMeasurement.Kind.allCases.map { "\($0)" }
    let header = try text("Sources/CFathom/include/fathom.h")
    let list = try #require(
      header.firstMatch(of: /enum \{([^}]*FATHOM_INTERRUPTION[^}]*)\}/)?.output.1)
    let values = list.matches(of: /FATHOM_(\w+) = (\d+)/).map { "\($0.output.1) \($0.output.2)" }
    #expect(values == kinds.enumerated().map { "\($1.uppercased()) \($0)" })

    let source = try text("Python/src/fathom/_tracker.py")
    let methods = source.matches(of: /\n    def ([a-z]\w*)\(/).map { String($0.output.1) }
    let names = kinds.map { ["range": "update", "interruption": "interrupt"][$0] ?? $0 }
    #expect(Set(methods).isSuperset(of: names))
  }

  /// What a folder can have beside its ranges, tables in memory can have.
  @Test func recordingsTakeEveryTable() throws {
    let tables = TableKind.allCases.filter { ![.ranges, .anchors, .truth].contains($0) }
      .map(\.rawValue)
    let header = try text("Sources/CFathom/include/fathom.h")
    let comment = try #require(
      header.firstMatch(of: /Makes a recording with a table beside([^*]*)/)?.output.1)
    #expect(Set(comment.matches(of: /"(\w+)"/).map { String($0.output.1) }) == Set(tables))
    for file in ["_recording", "_tracking"] {
      let source = try text("Python/src/fathom/\(file).py")
      let parameters = source.matches(of: /\n    (\w+): Path \| Table \| None = None,/)
      let names = parameters.map { String($0.output.1) }
      #expect(Set(names).isSuperset(of: tables), "\(file)")
    }
  }
}
