import CFathom
import Fathom
import FathomRecordings
import Foundation

/// A failed call: its status and the reason for `fathom_last_error`.
struct CallFailure: Error {
  let status: Int32
  let reason: String

  /// Creates the failure of a call with an invalid argument.
  static func usage(_ reason: String) -> CallFailure {
    CallFailure(status: Int32(FATHOM_USAGE), reason: reason)
  }

  /// Creates the failure of a call whose data or settings cannot be used.
  static func data(_ reason: String) -> CallFailure {
    CallFailure(status: Int32(FATHOM_BAD_DATA), reason: reason)
  }

  /// The failure of a call that its callback ended.
  static let cancelled = CallFailure(status: Int32(FATHOM_CANCELLED), reason: "cancelled")
}

/// The reason of the last failure of each thread, as text that C can hold on to.
private enum LastError {
  private static let key = "fathom.last-error"

  private final class Text {
    let bytes: UnsafeMutablePointer<CChar>

    init(_ text: String) {
      let utf8 = text.utf8CString
      bytes = .allocate(capacity: utf8.count)
      utf8.withUnsafeBufferPointer { utf8 in
        if let start = utf8.baseAddress { bytes.initialize(from: start, count: utf8.count) }
      }
    }

    deinit { bytes.deallocate() }
  }

  static func set(_ text: String) { Thread.current.threadDictionary[key] = Text(text) }

  static var bytes: UnsafePointer<CChar>? {
    (Thread.current.threadDictionary[key] as? Text).map { UnsafePointer($0.bytes) }
  }
}

/// A constant text, which lives as long as the process.
private func constant(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Calls `body`, and returns the status of the call.
func status(_ body: () throws -> Void) -> Int32 {
  do {
    try body()
    return Int32(FATHOM_OK)
  } catch let failure as CallFailure {
    LastError.set(failure.reason)
    return failure.status
  } catch let error as RecordingError {
    LastError.set("\(error)")
    switch error {
    case .noInput: return Int32(FATHOM_NO_INPUT)
    case .badData: return Int32(FATHOM_BAD_DATA)
    case .cannotWrite: return Int32(FATHOM_CANNOT_WRITE)
    case .writingFailed: return Int32(FATHOM_WRITING_FAILED)
    }
  } catch let error as ConfigurationError {
    LastError.set("\(error)")
    return Int32(FATHOM_BAD_DATA)
  } catch {
    LastError.set("\(error)")
    return Int32(FATHOM_INTERNAL)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_abi_version() -> UInt32 { UInt32(FATHOM_ABI_VERSION) }

/// See `fathom.h`.
@c @implementation
public func fathom_last_error() -> UnsafePointer<CChar>! { LastError.bytes ?? constant("") }

/// The version as a C string that is never released.
private let version = CStrings([FathomVersion.current])

/// See `fathom.h`.
@c @implementation
public func fathom_version() -> UnsafePointer<CChar>! { version[0] ?? constant("") }

/// See `fathom.h`.
@c @implementation
public func fathom_text_free(_ text: UnsafeMutablePointer<CChar>!) {
  if let text { free(text) }
}
