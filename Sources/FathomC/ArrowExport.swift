import CFathom
import Fathom
import FathomRecordings
import Foundation

/// See `fathom.h`.
@c @implementation
public func fathom_result_arrow(
  _ result: OpaquePointer!, _ table: Int32, _ schema: UnsafeMutablePointer<ArrowSchema>!,
  _ rows: UnsafeMutablePointer<ArrowArray>!
) -> Int32 {
  status {
    let handle = try object(ResultHandle.self, result)
    guard let schema, let rows else { throw CallFailure.usage("schema or rows is NULL") }
    let columns = handle.columns
    let (fields, count) =
      switch table {
      case Int32(FATHOM_POSITIONS): (columns.arrow(columns.positions), columns.positions.count)
      case Int32(FATHOM_DISTANCES): (columns.arrow(columns.distances), columns.distances.count)
      default: throw CallFailure.usage("the table is unknown: \(table)")
      }
    schema.pointee = ArrowNode.schema(
      "+s", name: "", children: fields.map { $0.schema() }, dictionary: nil)
    rows.pointee = ArrowNode.array(
      count, buffers: [nil], children: fields.map { $0.array(count) }, dictionary: nil,
      keeping: handle)
  }
}

/// A column of an exported table.
private struct ArrowColumn {
  let name: String
  let format: String
  let values: UnsafeRawPointer
  /// The words of a column of codes; nil for numbers.
  let words: [String]?

  func schema() -> ArrowSchema {
    ArrowNode.schema(
      format, name: name, children: [],
      dictionary: words == nil
        ? nil : ArrowNode.schema("u", name: "", children: [], dictionary: nil))
  }

  func array(_ count: Int) -> ArrowArray {
    ArrowNode.array(
      count, buffers: [nil, values], children: [], dictionary: words.map(Self.dictionary),
      keeping: nil)
  }

  /// Returns an array of `words`.
  private static func dictionary(_ words: [String]) -> ArrowArray {
    var offsets: [Int32] = [0]
    var text: [UInt8] = []
    for word in words {
      text += word.utf8
      offsets.append(Int32(text.count))
    }
    let owner = Dictionary(FixedColumn(offsets), FixedColumn(text))
    return ArrowNode.array(
      words.count,
      buffers: [
        nil, owner.offsets.address.map { UnsafeRawPointer($0) },
        owner.text.address.map { UnsafeRawPointer($0) },
      ], children: [], dictionary: nil, keeping: owner)
  }

  private final class Dictionary: Sendable {
    let offsets: FixedColumn<Int32>
    let text: FixedColumn<UInt8>

    init(_ offsets: FixedColumn<Int32>, _ text: FixedColumn<UInt8>) {
      (self.offsets, self.text) = (offsets, text)
    }
  }
}

/// Exported structures that another one points to; released with this object.
private final class ArrowChildren<Element> {
  private var places: [UnsafeMutablePointer<Element>] = []
  private var table: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>?
  private let release: (UnsafeMutablePointer<Element>) -> Void

  init(release: @escaping (UnsafeMutablePointer<Element>) -> Void) { self.release = release }

  deinit {
    for place in places {
      release(place)
      place.deallocate()
    }
    table?.deallocate()
  }

  /// Returns the place of a structure from now on.
  func keep(_ element: Element) -> UnsafeMutablePointer<Element> {
    let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    place.initialize(to: element)
    places.append(place)
    return place
  }

  /// Returns the table of the places of `elements`; nil if there are none.
  ///
  /// To be called once.
  func keep(_ elements: [Element]) -> UnsafeMutablePointer<UnsafeMutablePointer<Element>?>? {
    guard !elements.isEmpty else { return nil }
    let table = UnsafeMutablePointer<UnsafeMutablePointer<Element>?>.allocate(
      capacity: elements.count)
    for (index, element) in elements.enumerated() {
      (table + index).initialize(to: keep(element))
    }
    self.table = table
    return table
  }
}

/// What an exported structure points to; released with it.
private final class ArrowNode {
  private var texts: [UnsafeMutablePointer<CChar>?] = []
  private let schemas = ArrowChildren<ArrowSchema> { $0.pointee.release?($0) }
  private let arrays = ArrowChildren<ArrowArray> { $0.pointee.release?($0) }
  private var buffers: UnsafeMutablePointer<UnsafeRawPointer?>?
  private var owner: AnyObject?

  deinit {
    for text in texts { free(text) }
    buffers?.deallocate()
  }

  /// Releases the node that a structure refers to.
  private static func release(_ node: UnsafeMutableRawPointer) {
    Unmanaged<ArrowNode>.fromOpaque(node).release()
  }

  static func schema(
    _ format: String, name: String, children: [ArrowSchema], dictionary: ArrowSchema?
  ) -> ArrowSchema {
    let node = ArrowNode()
    node.texts = [strdup(format), strdup(name)]
    var schema = ArrowSchema()
    schema.format = UnsafePointer(node.texts[0])
    schema.name = UnsafePointer(node.texts[1])
    schema.n_children = Int64(children.count)
    schema.children = node.schemas.keep(children)
    schema.dictionary = dictionary.map { node.schemas.keep($0) }
    schema.private_data = Unmanaged.passRetained(node).toOpaque()
    schema.release = { schema in
      guard let schema, let node = schema.pointee.private_data else { return }
      schema.pointee.release = nil
      ArrowNode.release(node)
    }
    return schema
  }

  static func array(
    _ count: Int, buffers: [UnsafeRawPointer?], children: [ArrowArray], dictionary: ArrowArray?,
    keeping owner: AnyObject?
  ) -> ArrowArray {
    let node = ArrowNode()
    node.owner = owner
    var array = ArrowArray()
    array.length = Int64(count)
    array.n_buffers = Int64(buffers.count)
    let table = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: max(1, buffers.count))
    table.initialize(repeating: nil, count: max(1, buffers.count))
    for (index, buffer) in buffers.enumerated() { table[index] = buffer }
    node.buffers = table
    array.buffers = table
    array.n_children = Int64(children.count)
    array.children = node.arrays.keep(children)
    array.dictionary = dictionary.map { node.arrays.keep($0) }
    array.private_data = Unmanaged.passRetained(node).toOpaque()
    array.release = { array in
      guard let array, let node = array.pointee.private_data else { return }
      array.pointee.release = nil
      ArrowNode.release(node)
    }
    return array
  }
}

extension ResultColumns {
  /// The columns of a table of these results, with the names of its file; times are nanoseconds.
  fileprivate func arrow<Field: ResultField>(_ table: ColumnTable<Field>) -> [ArrowColumn] {
    zip(table.fields, table.addresses).map { field, address in
      let column = field.column
      let (format, words): (String, [String]?) =
        switch column.content {
        case .time: ("l", nil)
        case .name(let kind): ("i", names(kind))
        case .number: ("g", nil)
        case .count: ("i", nil)
        case .word: ("C", column.words)
        }
      return ArrowColumn(
        name: column.storedName, format: format, values: UnsafeRawPointer(address), words: words)
    }
  }
}
