import Foundation

@testable import FathomRecordings

/// The rows of a CSV table without quotes as JSON objects, one a line.
///
/// Numbers keep their text, empty cells are `null`, and all other cells are texts.
func jsonLines(_ csv: String) -> [String] {
  let rows = csv.split(separator: "\n").map {
    $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
  return rows.dropFirst().map { row in
    let members = zip(rows[0], row).map { key, cell in
      let isWord = cell == "true" || cell == "false"
      let value = cell.isEmpty ? "null" : Double(cell) != nil || isWord ? cell : "\"\(cell)\""
      return "\"\(key)\":\(value)"
    }
    return "{\(members.joined(separator: ","))}"
  }
}

/// The forms that a JSON file with the given objects can have.
func jsonForms(_ objects: [String]) -> [String] {
  [
    objects.joined(separator: "\n") + "\n",
    objects.joined(separator: "\r\n\r\n"),
    "\u{FEFF}[" + objects.joined(separator: ",") + "]",
    "[\n  " + objects.joined(separator: ",\n  ") + "\n]\n",
    objects.map { $0.replacing(",\"", with: ",\n  \"") }.joined(separator: "\n"),
    objects.map { "site/uwb/t1 \($0)" }.joined(separator: "\n"),
  ]
}

/// The text as the content of a file called `name`.
func source(_ name: String, _ text: String) throws(RecordingError) -> ByteSource {
  try ByteSource(path: name, stored: Array(text.utf8))
}

/// The text as a ranges file, with all tables that it has.
func mixed(_ text: String, blockSize: Int = JSONTables.blockSize) throws(RecordingError)
  -> JSONTables
{
  try JSONTables(StoredInput(path: "f.jsonl", bytes: Array(text.utf8)), blockSize: blockSize)
}

/// The text as a ranges file, read as such.
func readRanges(_ text: String, blockSize: Int = TextBlocks.usualSize, width: Int = 1)
  throws(RecordingError) -> ParsedRanges
{
  try RangesReader.read(
    StoredInput(path: "f.jsonl", bytes: Array(text.utf8)), options: RecordingOptions(),
    declared: [], blockSize: blockSize, width: width)
}
