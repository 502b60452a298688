public import Dispatch
public import Foundation
public import NetworkCore
public import RxLite

extension Reactive where Base: StreamingProviderType {
  /// Returns the chunks of a response body as they arrive; each subscription sends the request.
  ///
  /// ```swift
  /// provider.rx.stream(.log).subscribe(onNext: { print($0.count) }).disposed(by: bag)
  /// ```
  ///
  /// A status other than 200 to 299 is an error, with up to 1 MiB of its body, unless the target's
  /// `validationType` says otherwise; see `NetworkProvider.stream(_:headers:)`. Chunks that arrive before an
  /// error are delivered.
  ///
  /// An observer that blocks, or is slow, makes the server wait after about 256 KiB are buffered. An operator
  /// that forwards without waiting, such as `observe(on:)`, buffers the chunks that its own queue cannot
  /// deliver. Disposing stops the transfer on the wire.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the chunks are delivered; `nil` for the provider's queue, or for a
  ///     background queue of this subscription if the provider has none.
  /// - Returns: the sequence, which fails with a `NetworkError`.
  public func stream(_ target: Base.Target, callbackQueue: DispatchQueue? = nil) -> Observable<Data> {
    let provider = base
    return chunks(of: target) { receive in
      provider.stream(target, headers: [:], callbackQueue: callbackQueue, receive: receive)
    }
  }

  /// Returns the lines of a response, as they arrive; otherwise as ``stream(_:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the lines are delivered.
  ///   - limit: the maximum length of a line in bytes. A longer line fails with `NetworkError.underlying` and
  ///     `StreamError.lineTooLong`.
  /// - Returns: the sequence of lines, without the LF, CR or CR LF that ends them.
  public func lines(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil, limit: Int = 1 << 20
  ) -> Observable<String> {
    stream(target, callbackQueue: callbackQueue).lines(limit: limit)
  }

  /// Decodes each line of a response as JSON, as it arrives; otherwise as ``stream(_:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - type: the type that each line decodes to.
  ///   - decoder: the decoder to use.
  ///   - callbackQueue: the queue on which the values are delivered.
  ///   - limit: the maximum length of a line in bytes.
  /// - Returns: the sequence of values; it fails with `NetworkError.underlying` and a `StreamError` at a line
  ///   that cannot be decoded.
  public func decodedLines<Value: Decodable & Sendable>(
    _ target: Base.Target, as type: Value.Type, decoder: JSONDecoder = .standard,
    callbackQueue: DispatchQueue? = nil, limit: Int = 1 << 20
  ) -> Observable<Value> {
    stream(target, callbackQueue: callbackQueue).decodeLines(as: type, decoder: decoder, limit: limit)
  }

  /// Returns the chunks of a stream that each subscription starts.
  func chunks(
    of target: Base.Target,
    _ start: @escaping @Sendable (@escaping @Sendable (ResponseStreamEvent) -> Void) -> any Cancellable
  ) -> Observable<Data> {
    Observable.create { observer in
      guard let request = admit(target, in: observer.context, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let token = request.start {
        start { event in
          switch event {
          case .response: break
          case .chunk(let chunk): observer.onNext(chunk)
          case .finished(nil): observer.onCompleted()
          case .finished(let error?):
            request.end(error)
            observer.onError(error)
          }
        }
      }
      return Disposables.create { token.cancel() }
    }
  }
}
