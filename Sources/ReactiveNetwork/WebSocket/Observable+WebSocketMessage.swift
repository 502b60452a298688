public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType where Element == WebSocketMessage {
  /// Decodes each message, whether text or bytes, as JSON.
  ///
  /// ```swift
  /// provider.rx.webSocket(.ticker).decode(Tick.self)
  ///   .subscribe(onNext: { print($0.price) })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type that each message decodes to.
  ///   - decoder: the decoder to use.
  /// - Returns: the sequence of values; it fails with `NetworkError.underlying` and
  ///   `StreamError.undecodableMessage`.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type, decoder: JSONDecoder = .standard
  ) -> Observable<Value> {
    enumerated().map { number, message in
      do {
        return try decoder.decode(type, from: message.data)
      } catch {
        let text = String(decoding: message.data.prefix(200), as: UTF8.self)
        let reason = "\(error)"
        throw NetworkError.underlying(
          StreamError.undecodableMessage(number: number + 1, text: text, reason: reason), nil)
      }
    }
  }
}
