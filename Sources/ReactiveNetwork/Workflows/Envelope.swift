public import Foundation
public import NetworkCore
public import RxLite

/// Describes an API's JSON envelope, `{"code": 0, "data": …, "message": "…"}`, whose code refines the HTTP
/// status.
///
/// ```swift
/// let envelope = Envelope { refusal in if refusal.code == 4000 { session.signOut() } }
/// provider.rx.request(.home).unwrapEnvelope(Home.self, envelope)
/// ```
public struct Envelope: Sendable {
  private let code: String
  private let data: String
  private let message: String
  private let successCodes: Set<Int>
  private let onRefusal: @Sendable (EnvelopeRefusal) -> Void

  /// Creates the description of an API's envelope.
  ///
  /// - Parameters:
  ///   - code: the key path of the code, a number that may be quoted.
  ///   - data: the key path of the content.
  ///   - message: the key path of the message for people, which may be missing.
  ///   - successCodes: the codes that mean success.
  ///   - onRefusal: called for each response with another code, before the error is thrown. Use it as the one
  ///     place that reacts to a code, such as the code of an expired token.
  public init(
    code: String = "code", data: String = "data", message: String = "message",
    successCodes: Set<Int> = [0, 200],
    onRefusal: @escaping @Sendable (EnvelopeRefusal) -> Void = { _ in }
  ) {
    self.code = code
    self.data = data
    self.message = message
    self.successCodes = successCodes
    self.onRefusal = onRefusal
  }

  /// Decodes the content of a response's envelope.
  ///
  /// - Parameters:
  ///   - type: the type that the content decodes to; `EmptyBodyResponse` if only the code matters.
  ///   - response: the response.
  ///   - decoder: the decoder to use.
  /// - Returns: the content.
  /// - Throws: an `EnvelopeRefusal` if the code does not mean success; `NetworkError.jsonMapping` or
  ///   `.objectMapping` if the code is missing or the content has another type.
  public func unwrap<Value: Decodable>(
    _ type: Value.Type, from response: Response, using decoder: JSONDecoder = .standard
  ) throws -> Value {
    let code = try response.map(EnvelopeCode.self, atKeyPath: code).number
    guard successCodes.contains(code) else {
      let refusal = EnvelopeRefusal(
        code: code, message: try? response.mapString(atKeyPath: message), response: response)
      onRefusal(refusal)
      throw refusal
    }
    if let empty = EmptyBodyResponse() as? Value { return empty }
    return try response.map(type, atKeyPath: data, using: decoder)
  }
}

/// A response whose envelope has a code that does not mean success.
public struct EnvelopeRefusal: Error, Sendable, Equatable, LocalizedError {
  /// The code.
  public let code: Int
  /// The message for people; `nil` if there is none.
  public let message: String?
  /// The complete response.
  public let response: Response

  /// The code and the message, in one line.
  public var errorDescription: String? {
    "The response has the code \(code)" + (message.map { ": \($0)" } ?? ".")
  }
}

/// A number that may be written as a string.
private struct EnvelopeCode: Decodable {
  let number: Int

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let number = Int(text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\"\(text)\" is not a number.")
      }
      self.number = number
    } else {
      number = try container.decode(Int.self)
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
  /// Decodes the content of the response's envelope.
  ///
  /// - Parameters:
  ///   - type: the type that the content decodes to; `EmptyBodyResponse` if only the code matters.
  ///   - envelope: describes the envelope, and handles codes that do not mean success.
  ///   - decoder: the decoder to use.
  /// - Returns: the single of the content; see `Envelope.unwrap(_:from:using:)` for its errors.
  public func unwrapEnvelope<Value: Decodable>(
    _ type: Value.Type, _ envelope: Envelope = Envelope(), using decoder: JSONDecoder = .standard
  ) -> Single<Value> {
    mapping { try envelope.unwrap(type, from: $0, using: decoder) }
  }

  /// Decodes the content of an envelope with the given key paths.
  ///
  /// - Parameters:
  ///   - type: the type that the content decodes to.
  ///   - code: the key path of the code.
  ///   - data: the key path of the content.
  /// - Returns: the single of the content.
  public func unwrapEnvelope<Value: Decodable>(
    _ type: Value.Type = Value.self, code: String, data: String
  ) -> Single<Value> {
    unwrapEnvelope(type, Envelope(code: code, data: data))
  }
}
