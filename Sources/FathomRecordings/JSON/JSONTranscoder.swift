/// A transcoder of JSON objects to the tables of CSV that they stand for.
///
/// The readers of CSV then read them with all of their rules: names, units, times and checks. Memory is
/// that of one block of text, and 4 bytes for each row.
struct JSONTranscoder {
  /// Which tables and columns the objects are of.
  private let rules: JSONPlan.Rules
  /// The table of what is no row.
  private let primary: TableKind
  /// Its place among the tables.
  private let rejecting: [Int]
  private let path: String
  private var objects = JSONObjects()
  /// The tables, in the order of ``TableKind``.
  private var tables: [JSONTable]
  private var plans: [UInt64: Plan] = [:]
  /// The plan of the last object, with its shape.
  private var last: (shape: UInt64, plan: Plan)?

  /// A plan with the layouts of its rows.
  private final class Plan {
    let plan: JSONPlan
    let rows: [(table: Int, layout: JSONTable.Layout)]
    /// The tables of the rows.
    let tables: [Int]

    init(_ plan: JSONPlan, _ rows: [(table: Int, layout: JSONTable.Layout)]) {
      (self.plan, self.rows, tables) = (plan, rows, rows.map(\.table))
    }
  }

  /// Plans that are kept; more shapes are planned again each time that all of these have been used.
  private static let mostPlans = 1024

  /// Creates a transcoder at the beginning of the file at `path`.
  init(_ rules: JSONPlan.Rules, primary: TableKind, path: String) {
    (self.rules, self.primary, self.path) = (rules, primary, path)
    rejecting = [Self.index(of: primary)]
    tables = TableKind.allCases.map {
      JSONTable(
        $0, path: path, renames: rules.renames,
        isSpooled: rules.wanted == nil && !rules.omitsRanges && $0 == .ranges,
        isOmitted: rules.omitsRanges && $0 == .ranges)
    }
  }

  /// Creates a transcoder of a stream, whose tables have no end and whose rows are removed as they come.
  init(live rules: JSONPlan.Rules, path: String) {
    (self.rules, self.primary, self.path) = (rules, .ranges, path)
    rejecting = [Self.index(of: .ranges)]
    tables = TableKind.allCases.map { JSONTable(live: $0, path: path, renames: rules.renames) }
  }

  /// Transcodes the next objects of a stream as long as they are of one kind, and the first that is not.
  ///
  /// `text` is that of the stream from the last call to ``removeBytes(from:)`` on. Returns the rows
  /// in the order of their kinds; nil when more text is needed or the stream ends.
  mutating func nextRun(
    of text: [UInt8], isLast: Bool
  ) -> [(kind: TableKind, rows: JSONTable.Rows)]? {
    var kinds: [Int] = []
    text.withUnsafeBufferPointer { bytes in
      while kinds.count < 2, let item = objects.next(bytes, isLast: isLast) {
        var found = rejecting
        switch item {
        case .object: found = transcode(bytes)
        case .fault(let fault): reject(fault, bytes)
        }
        for kind in found where !kinds.contains(kind) { kinds.append(kind) }
      }
    }
    return kinds.isEmpty ? nil : kinds.map { (tables[$0].kind, tables[$0].removeRows()) }
  }

  /// Removes the bytes of the objects that were transcoded.
  mutating func removeBytes(from text: inout [UInt8]) {
    text.removeFirst(objects.position)
    objects.position = 0
  }

  /// Returns a transcoder for another pass through the file; nil if the tables are complete.
  func again() -> JSONTranscoder? {
    let ranges = self[.ranges]
    var primary = primary
    if primary == .ranges, ranges.faultCount == ranges.rowCount, ranges.rowCount > 0,
      self[.differences].rowCount > 0
    {
      primary = .differences
    }
    guard primary != self.primary || tables.contains(where: \.isIncomplete) else { return nil }
    var next = JSONTranscoder(rules, primary: primary, path: path)
    next.tables = tables.map { JSONTable(again: $0, path: path) }
    return next
  }

  /// The table of a kind.
  subscript(kind: TableKind) -> JSONTable { tables[Self.index(of: kind)] }

  private static func index(of kind: TableKind) -> Int {
    TableKind.allCases.firstIndex(of: kind) ?? 0
  }

  /// Transcodes the complete objects of `block`; returns the number of bytes taken.
  mutating func transcode(_ block: [UInt8], isLast: Bool) throws(RecordingError) -> Int {
    objects.position = 0
    block.withUnsafeBufferPointer { bytes in
      while let item = objects.next(bytes, isLast: isLast) {
        switch item {
        case .object: _ = transcode(bytes)
        case .fault(let fault): reject(fault, bytes)
        }
      }
    }
    for index in tables.indices { try tables[index].spoolText() }
    return objects.position
  }

  /// Appends the rows of the object; returns the tables of which they are.
  private mutating func transcode(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
    let plan = plan(bytes)
    if plan.rows.isEmpty, plan.plan.rows.isEmpty {
      reject(.noKind, bytes)
      return rejecting
    }
    for row in plan.rows {
      tables[row.table].append(
        row.layout, objects.scanner.tokens, bytes, line: objects.itemLine)
    }
    return plan.tables
  }

  private mutating func reject(_ fault: JSONFault, _ bytes: UnsafeBufferPointer<UInt8>) {
    tables[rejecting[0]].append(
      fault, UnsafeBufferPointer(rebasing: bytes[objects.range]), line: objects.itemLine)
  }

  /// Returns the plan of the object, which is made if its shape is new.
  private mutating func plan(_ bytes: UnsafeBufferPointer<UInt8>) -> Plan {
    let shape = objects.scanner.shape
    if let last, last.shape == shape, last.plan.plan.fits(objects.scanner.tokens, bytes) {
      return last.plan
    }
    if let plan = plans[shape], plan.plan.fits(objects.scanner.tokens, bytes) {
      last = (shape, plan)
      return plan
    }
    let found = JSONPlan(objects.scanner.tokens, bytes, rules)
    var rows: [(table: Int, layout: JSONTable.Layout)] = []
    for row in found.rows where rules.wanted == nil || row.kind == rules.wanted {
      let table = Self.index(of: row.kind)
      rows.append((table, tables[table].layout(row.members)))
    }
    let plan = Plan(found, rows)
    if plans.count >= Self.mostPlans { plans.removeAll(keepingCapacity: true) }
    plans[shape] = plan
    last = (shape, plan)
    return plan
  }

  /// Ends the tables; the one of what is no row has a header in any case.
  mutating func finish() throws(RecordingError) {
    tables[Self.index(of: primary)].finish(line: 1)
    for index in tables.indices { try tables[index].spoolText() }
  }
}
