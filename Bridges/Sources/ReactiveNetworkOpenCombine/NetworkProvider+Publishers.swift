#if OPENCOMBINE
  public import Dispatch
  public import NetworkCore
  public import OpenCombine
#elseif canImport(Combine)
  public import Combine
  public import Dispatch
  public import NetworkCore
#endif

#if OPENCOMBINE || canImport(Combine)
  extension NetworkProviderType {
    /// Returns a publisher that sends a request at the first demand of each subscriber.
    ///
    /// ```swift
    /// let request = provider.requestPublisher(.zen)
    ///   .filterSuccessfulStatusCodes()
    ///   .mapString()
    ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// request.cancel()
    /// ```
    ///
    /// Cancelling stops the transfer on the wire; nothing is delivered after that. A 404 is a normal response
    /// unless the target's `validationType` or a filter says otherwise. The publisher retains the provider.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - callbackQueue: the queue on which the response is delivered; `nil` for the provider's queue, or
    ///     for the transport's callback thread if the provider has none.
    /// - Returns: the publisher of one response.
    public func requestPublisher(
      _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Response, NetworkError> {
      RequestPublisher { next, end in
        self.request(target, callbackQueue: callbackQueue, progress: nil) { $0.deliver(next, end) }
      }
      .eraseToAnyPublisher()
    }

    /// Returns a publisher that sends a request at the first demand of each subscriber and reports its
    /// progress.
    ///
    /// The last value of a request that succeeds has the response. Only the latest value is buffered: a
    /// subscriber that demands fewer values than there are receives the latest at each demand, and always the
    /// last.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - callbackQueue: the queue on which the values are delivered; as with
    ///     `requestPublisher(_:callbackQueue:)`.
    /// - Returns: the publisher of the progress.
    public func requestWithProgressPublisher(
      _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<ProgressResponse, NetworkError> {
      RequestPublisher { next, end in
        self.request(target, callbackQueue: callbackQueue, progress: next) { result in
          switch result {
          case .success: end(nil)
          case .failure(let error): end(error)
          }
        }
      }
      .eraseToAnyPublisher()
    }
  }

  extension NetworkProvider where Target: APITargetType {
    /// Returns a publisher that sends a request at the first demand of each subscriber and decodes the
    /// response.
    ///
    /// Cancelling stops the transfer on the wire. A status of 2xx is a success; any other status fails with a
    /// typed error.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - type: the type that the body of a success decodes to; `Data` for the bytes without decoding.
    ///   - callbackQueue: the queue on which the body is decoded and the value delivered; `nil` for the
    ///     provider's queue.
    /// - Returns: the publisher of one value.
    public func publisher<Body: Decodable & Sendable>(
      on target: Target, decodeBodyTo type: Body.Type, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Body, TypedError> {
      RequestPublisher { next, end in
        self.performRequest(on: target, decodeBodyTo: type, callbackQueue: callbackQueue) {
          $0.deliver(next, end)
        }
      }
      .eraseToAnyPublisher()
    }

    /// Returns a publisher of a request whose response body is ignored; see
    /// `publisher(on:decodeBodyTo:callbackQueue:)`.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - callbackQueue: the queue on which the value is delivered; `nil` for the provider's queue.
    /// - Returns: the publisher of one value.
    public func publisher(
      on target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<EmptyBodyResponse, TypedError> {
      publisher(on: target, decodeBodyTo: EmptyBodyResponse.self, callbackQueue: callbackQueue)
    }
  }

  extension Result {
    fileprivate func deliver(_ next: (Success) -> Void, _ end: (Failure?) -> Void) {
      switch self {
      case .success(let value):
        next(value)
        end(nil)
      case .failure(let error): end(error)
      }
    }
  }
#endif
