import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A document parsed as XML: its elements with their attributes, in order, and its text.
final class XML: NSObject, XMLParserDelegate {
  struct Element {
    var name: String
    var attributes: [String: String]
  }

  private(set) var elements: [Element] = []
  private(set) var text = ""

  /// Parses `text`; throws when it is not well-formed.
  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else {
      throw NotWellFormed(line: parser.lineNumber, error: "\(parser.parserError as Any)")
    }
  }

  struct NotWellFormed: Error {
    var line: Int
    var error: String
  }

  /// Returns all values of an attribute.
  func values(of attribute: String) -> [String] {
    elements.compactMap { $0.attributes[attribute] }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    elements.append(Element(name: name, attributes: attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}
