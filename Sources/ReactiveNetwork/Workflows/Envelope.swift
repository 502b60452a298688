public import Foundation
public import NetworkCore
public import RxLite

/// The common wrapping of answers, `{"code": 0, "data": …, "message": "…"}`, where the code says what the status does not.
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

  /// Describes the answers of an API.
  ///
  /// - Parameters:
  ///   - code: the key path of the code, a number, perhaps in quotes.
  ///   - data: the key path of what is wrapped.
  ///   - message: the key path of the text for people, which may be missing.
  ///   - successCodes: the codes that are no refusals.
  ///   - onRefusal: called for each answer with another code, before the error goes its way: the one place where a code such as
  ///     that of an expired token is acted upon.
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

  /// What an answer wraps.
  ///
  /// - Parameters:
  ///   - type: what it decodes to; `EmptyBodyResponse` where only the code matters.
  ///   - response: the answer.
  ///   - decoder: the decoder to use.
  /// - Returns: the value.
  /// - Throws: an `EnvelopeRefusal` for another code than those of success; `NetworkError.jsonMapping` or `.objectMapping` for an
  ///   answer without code or with other data.
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

/// An answer whose envelope has a code that is none of success.
public struct EnvelopeRefusal: Error, Sendable, Equatable, LocalizedError {
  /// The code.
  public let code: Int
  /// The text for people, where there was one.
  public let message: String?
  /// The whole answer.
  public let response: Response

  /// The code and the text, in one line.
  public var errorDescription: String? {
    "The answer has the code \(code)" + (message.map { ": \($0)" } ?? ".")
  }
}

/// A number, perhaps written as text.
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
  /// Decodes what the answer's envelope wraps.
  ///
  /// - Parameters:
  ///   - type: what it decodes to; `EmptyBodyResponse` where only the code matters.
  ///   - envelope: the wrapping, and what is done at a code that is none of success.
  ///   - decoder: the decoder to use.
  /// - Returns: the single of the value; see `Envelope.unwrap(_:from:using:)` for its errors.
  public func unwrapEnvelope<Value: Decodable>(
    _ type: Value.Type, _ envelope: Envelope = Envelope(), using decoder: JSONDecoder = .standard
  ) -> Single<Value> {
    map { try envelope.unwrap(type, from: $0, using: decoder) }
  }

  /// Decodes what the answer's envelope wraps, with other key paths than the usual ones.
  ///
  /// - Parameters:
  ///   - type: what it decodes to.
  ///   - code: the key path of the code.
  ///   - data: the key path of what is wrapped.
  /// - Returns: the single of the value.
  public func unwrapEnvelope<Value: Decodable>(
    _ type: Value.Type = Value.self, code: String, data: String
  ) -> Single<Value> {
    unwrapEnvelope(type, Envelope(code: code, data: data))
  }
}
