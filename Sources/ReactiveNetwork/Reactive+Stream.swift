public import Dispatch
public import Foundation
public import NetworkCore
public import RxLite

extension Reactive where Base: StreamingProviderType {
  /// The body of an answer in chunks, as they arrive: nothing is sent until somebody subscribes, and each subscription
  /// sends the request anew.
  ///
  /// ```swift
  /// provider.rx.stream(.log).subscribe(onNext: { print($0.count) }).disposed(by: bag)
  /// ```
  ///
  /// A status other than 200 to 299 is an error, with up to 1 MiB of its body, unless the target's `validationType` says
  /// otherwise; see `NetworkProvider.stream(_:headers:)`. What has arrived before an error is delivered.
  ///
  /// An observer that blocks, or takes long, has the sender wait: about 256 KiB are kept for it, and no more. An operator
  /// that hands on without waiting, such as `observe(on:)`, keeps what its own queue cannot deliver. Disposing takes the
  /// transfer off the wire.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the chunks are delivered; `nil` for the provider's queue or, where that has none, a
  ///     background queue of the subscription's own.
  /// - Returns: the sequence; it fails with a `NetworkError`.
  public func stream(_ target: Base.Target, callbackQueue: DispatchQueue? = nil) -> Observable<Data> {
    let provider = base
    return Observable.create { observer in
      guard let sender = RequestSender(target, of: self, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let token = provider.stream(target, headers: [:], callbackQueue: callbackQueue) { event in
        switch event {
        case .response: break
        case .chunk(let chunk): sender.deliver { observer.onNext(chunk) }
        case .finished(nil): sender.deliver { observer.onCompleted() }
        case .finished(let error?):
          sender.deliverFailure { observer.onError(error) }
        }
      }
      return Disposables.create { token.cancel() }
    }
  }

  /// The lines of an answer, as they arrive; otherwise as ``stream(_:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the lines are delivered.
  ///   - limit: the most bytes that a line may have; with more the sequence fails with `NetworkError.underlying` and
  ///     `StreamError.lineTooLong`.
  /// - Returns: the sequence of lines, without the LF, CR or CR LF that ends them.
  public func lines(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil, limit: Int = 1 << 20
  ) -> Observable<String> {
    stream(target, callbackQueue: callbackQueue).lines(limit: limit)
  }

  /// The values of an answer of which each line is JSON, as they arrive; otherwise as ``stream(_:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - type: what each line is decoded to.
  ///   - decoder: the decoder to use.
  ///   - callbackQueue: where the values are delivered.
  ///   - limit: the most bytes that a line may have.
  /// - Returns: the sequence of values; it fails with `NetworkError.underlying` and a `StreamError` at a line that cannot
  ///   be decoded.
  public func decodedLines<Value: Decodable & Sendable>(
    _ target: Base.Target, as type: Value.Type, decoder: JSONDecoder = .standard,
    callbackQueue: DispatchQueue? = nil, limit: Int = 1 << 20
  ) -> Observable<Value> {
    stream(target, callbackQueue: callbackQueue).decodeLines(as: type, decoder: decoder, limit: limit)
  }
}
