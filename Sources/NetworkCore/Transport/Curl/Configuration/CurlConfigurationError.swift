public import Foundation

/// Why there is no transport with a configuration.
public enum CurlConfigurationError: Error, Sendable, Hashable {
  /// libcurl itself cannot be used.
  case unavailable(CurlUnavailableError)
  /// The libcurl at hand, named here, does not know the option or was built without it.
  case unsupported(option: String, library: String)
  /// libcurl does not accept the value of an option.
  case refused(option: String, reason: String)
  /// A file that the configuration names cannot be read.
  case unreadableFile(path: String)
  /// A file that the configuration names cannot be written.
  case unwritableFile(path: String)
  /// A value makes no sense.
  case invalid(name: String, value: String, reason: String)
}

extension CurlConfigurationError: LocalizedError {
  /// What is wrong, in one line.
  public var errorDescription: String? {
    switch self {
    case .unavailable(let error): error.errorDescription
    case .unsupported(let option, let library): "\(library) has no \(option)."
    case .refused(let option, let reason): "libcurl does not accept the value for \(option): \(reason)."
    case .unreadableFile(let path): "The file \"\(path)\" cannot be read."
    case .unwritableFile(let path): "The file \"\(path)\" cannot be written."
    case .invalid(let name, let value, let reason): "\(name) cannot be \(value.debugDescription): \(reason)."
    }
  }
}
