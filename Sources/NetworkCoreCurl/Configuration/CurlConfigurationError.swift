public import Foundation

/// The reason why a transport cannot be created with a configuration.
public enum CurlConfigurationError: Error, Sendable, Hashable {
  /// libcurl itself cannot be used.
  case unavailable(CurlUnavailableError)
  /// The loaded libcurl, which is named here, does not know the option or was built without it.
  case unsupported(option: String, library: String)
  /// libcurl does not accept the value of an option.
  case refused(option: String, reason: String)
  /// A file that the configuration names cannot be read.
  case unreadableFile(path: String)
  /// A file that the configuration names cannot be written.
  case unwritableFile(path: String)
  /// A value is not valid.
  case invalid(name: String, value: String, reason: String)
}

extension CurlConfigurationError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .unavailable(let error): error.localizedDescription
    case .unsupported(let option, let library): "\(library) has no \(option)."
    case .refused(let option, let reason): "libcurl does not accept the value for \(option): \(reason)."
    case .unreadableFile(let path): "The file \"\(path)\" cannot be read."
    case .unwritableFile(let path): "The file \"\(path)\" cannot be written."
    case .invalid(let name, let value, let reason):
      "\(name) cannot be \(Self.redacted(value, of: name)): \(reason)."
    }
  }

  /// Whether a setting's value is never shown, because it is a token, a password or a user name.
  private static func isSecret(_ name: String) -> Bool {
    ["credentials", "proxy.password", "proxy.user"].contains(name)
  }

  private static func redacted(_ value: String, of name: String) -> String {
    isSecret(name) ? Redactor.mask : Redactor.standard.redacted(url: value).debugDescription
  }
}

extension CurlConfigurationError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .unavailable(let error):
      RedactableDescription("unavailable", (nil, .error(error)))
    case .unsupported(let option, let library):
      RedactableDescription("unsupported", ("option", .text(option)), ("library", .text(library)))
    case .refused(let option, let reason):
      RedactableDescription("refused", ("option", .text(option)), ("reason", .text(reason)))
    case .unreadableFile(let path):
      RedactableDescription("unreadableFile", ("path", .text(path)))
    case .unwritableFile(let path):
      RedactableDescription("unwritableFile", ("path", .text(path)))
    case .invalid(let name, let value, let reason):
      RedactableDescription(
        "invalid", ("name", .text(name)), ("value", Self.isSecret(name) ? .secret : .url(value)),
        ("reason", .text(reason)))
    }
  }
}
