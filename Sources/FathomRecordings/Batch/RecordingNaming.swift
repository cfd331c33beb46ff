import Foundation

/// How the results of a recording are named.
public enum RecordingNaming: Sendable, Equatable {
  /// By the name of the folder, or of the file without extension.
  case folder
  /// By the whole path, its names joined by underscores: `site_day_walk`.
  case path
  /// By a pattern in which `{name}` stands for the name of the folder or file, `{parent}` for that
  /// of the folder above it, and `{path}` for the whole path.
  case pattern(String)

  private static let places = ["{name}", "{parent}", "{path}"]

  /// Creates the naming that `text` describes; nil if it is neither a keyword nor a pattern.
  public init?(_ text: String) {
    switch text {
    case "folder": self = .folder
    case "path": self = .path
    default:
      guard Self.places.contains(where: text.contains) else { return nil }
      self = .pattern(text)
    }
  }

  /// Returns the name of the recording at `path`, which is not empty, has no slash and does not
  /// begin with a period.
  public func name(of path: String) -> String {
    let name = RecordingReader.name(of: path)
    guard path != "-" else { return name }
    switch self {
    case .folder: return name
    case .path: return Self.file(Self.path(of: path, name))
    case .pattern(let pattern):
      let folders = Self.folders(of: path)
      return Self.file(
        pattern.replacing("{path}", with: Self.path(of: path, name))
          .replacing("{parent}", with: folders.last ?? "")
          .replacing("{name}", with: name))
    }
  }

  private static func path(of path: String, _ name: String) -> String {
    (folders(of: path) + [name]).joined(separator: "_")
  }

  /// Returns the names of the folders above `path`, as far as it names them.
  private static func folders(of path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.dropLast().filter { $0 != ".." }
      .map(String.init)
  }

  /// Returns `name` in a form that a file can have.
  private static func file(_ name: String) -> String {
    let name = name.replacing("/", with: "_")
    if name.isEmpty { return "recording" }
    // Results must not be hidden files.
    return name.hasPrefix(".") ? "_" + name.dropFirst() : name
  }
}
