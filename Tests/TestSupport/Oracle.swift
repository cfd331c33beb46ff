import Foundation

/// Reads an oracle, a JSON file of cases with known answers, from a test bundle's `Oracles` folder.
public func oracle<Value: Decodable>(
  _ path: String, as type: Value.Type = Value.self, in bundle: Bundle
) throws -> Value {
  let file = bundle.bundleURL.appending(path: "Oracles").appending(path: path)
  return try oracle(at: file)
}

/// Reads an oracle from the file at `url`; "NaN" and "Infinity" are numbers there.
public func oracle<Value: Decodable>(at url: URL, as type: Value.Type = Value.self) throws -> Value
{
  let decoder = JSONDecoder()
  decoder.nonConformingFloatDecodingStrategy = .convertFromString(
    positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
  return try decoder.decode(type, from: Data(contentsOf: url))
}
