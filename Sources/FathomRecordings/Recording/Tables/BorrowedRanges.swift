import Fathom

/// Rows of ranges in the memory of the caller, one column per quantity, before validation.
///
/// The columns are those of `ranges.csv` in SI units. They are borrowed: the caller keeps their memory valid
/// while a recording is made of them. A number that is absent is NaN.
package struct BorrowedRanges {
  /// A column of ``count`` elements; nil if the table has no such column.
  package typealias Column<Element> = UnsafeBufferPointer<Element>

  /// The number of rows.
  package let count: Int
  /// Time of each row, nanoseconds.
  package var nanoseconds: Column<Int64>?
  /// Time of each row, seconds; only read without ``nanoseconds``.
  package var seconds: Column<Double>?
  /// Index of the tag in ``tagNames``; another number stands for a missing name.
  ///
  /// Without the column there is one tag, called 0.
  package var tag: Column<Int32>?
  /// The names of the tags; not necessarily in order of appearance, and not all need to occur.
  package var tagNames: [String] = []
  /// Index of the anchor in ``anchorNames``.
  ///
  /// Without the column there is one anchor: the declared one, or 0.
  package var anchor: Column<Int32>?
  /// The names of the anchors.
  package var anchorNames: [String] = []
  /// Measured distance, metres.
  package var distance: Column<Double>?
  private var numbers = PerQuantity<Column<Double>?>(repeating: nil)
  /// Index of the event in ``SessionEvent``'s cases; negative for a row with a range.
  package var event: Column<Int32>?
  /// Line of each row in the file that it comes from; without the column, rows are numbered from 2,
  /// as below a header.
  package var line: Column<Int64>?
  /// Whether a distance of exactly zero is a measurement.
  package var zeroIsDistance = false

  /// Creates a table of `count` rows without columns.
  package init(count: Int) { self.count = count }

  /// Whether the table has a time for each row.
  package var hasTimes: Bool { nanoseconds != nil || seconds != nil }

  /// The column of optional numbers for `quantity`, in SI units.
  package subscript(quantity: RangeQuantity) -> Column<Double>? {
    get { numbers[quantity] }
    set { numbers[quantity] = newValue }
  }

  /// The columns that the table has.
  var layout: RangesLayout {
    RangesLayout(
      RangeField.allCases.filter { field in
        switch field {
        case .time, .distance: true
        case .tag: tag != nil
        case .anchor: anchor != nil
        case .number(let quantity): numbers[quantity] != nil
        case .event: event != nil
        }
      })
  }
}

extension Timestamp {
  /// Creates the time stamp of a number of seconds, as a reader of its decimal text gets it; nil
  /// beyond the range of time stamps, and for NaN.
  ///
  /// A double of 1.7e9 s distinguishes 0.24 µs, so its nanoseconds are the shortest decimals that
  /// give the same double: 6 to 9 of them.
  package init?(decimalSeconds seconds: Double) {
    guard seconds.magnitude <= 9.2e9 else { return nil }
    let nanoseconds = (seconds * 1e9).rounded()
    // Below 2⁵⁰ ns, 13 days, the errors of the double and of the product stay below half of one.
    if nanoseconds.magnitude >= 0x1p50 {
      var (scale, unit) = (1e6, Int64(1000))
      while unit > 1 {
        let whole = (seconds * scale).rounded()
        if whole.magnitude < 0x1p53, whole / scale == seconds {
          self.init(nanoseconds: Int64(whole) * unit)
          return
        }
        (scale, unit) = (10 * scale, unit / 10)
      }
    }
    self.init(nanoseconds: Int64(nanoseconds))
  }
}
