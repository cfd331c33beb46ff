/// One field of a row, as a range of the scanned bytes.
package struct CSVField: Sendable, Equatable {
  /// The field's bytes, without its quotes and without blanks around it.
  package var range: Range<Int>
  /// Whether the field is in quotes and a doubled quote in it stands for one.
  package var hasDoubledQuotes: Bool

  /// Whether there is nothing in the field.
  package var isEmpty: Bool { range.isEmpty }
}

/// Why a row cannot be split into fields.
package enum CSVFault: Sendable, Equatable {
  /// A quote is opened and not closed.
  case unclosedQuote
  /// Something other than a delimiter follows a closing quote.
  case textAfterQuote
  /// There are more fields than ``RecordingLimits/mostColumns``.
  case tooManyFields
  /// The row is longer than ``RecordingLimits/longestRow``.
  case tooLong
}
