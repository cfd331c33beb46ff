/// Names as they come along with rows, each prepared as a field when it is first seen.
struct NameFields: Sendable {
  /// The fields, in the order in which their names were first seen.
  private(set) var table = FieldTable()
  private var places: [String: Int] = [:]

  /// The place of `name` in the table.
  mutating func place(of name: String) -> Int {
    if let place = places[name] { return place }
    let place = table.count
    places[name] = place
    table.append(CSVRow.field(name))
    return place
  }
}
