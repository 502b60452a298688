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
    /// A request as a publisher: nothing is sent before a subscriber asks for a value, and each subscriber sends it anew.
    ///
    /// ```swift
    /// let request = provider.requestPublisher(.zen)
    ///   .filterSuccessfulStatusCodes()
    ///   .mapString()
    ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// request.cancel()
    /// ```
    ///
    /// Cancelling takes the transfer off the wire; nothing is delivered after that. A 404 is a response like any other unless the
    /// target's `validationType` or a filter says otherwise. The publisher keeps the provider.
    ///
    /// - Parameters:
    ///   - target: what to ask for.
    ///   - callbackQueue: where the response is delivered; `nil` for the provider's queue or, where that has none, the
    ///     transport's callback thread.
    /// - Returns: the publisher of one response.
    public func requestPublisher(
      _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Response, NetworkError> {
      RequestPublisher { next, end in
        self.request(target, callbackQueue: callbackQueue, progress: nil) { $0.tell(next, end) }
      }
      .eraseToAnyPublisher()
    }

    /// A request with its progress as a publisher: nothing is sent before a subscriber asks for a value.
    ///
    /// The last value of a request that succeeds has the response. A subscriber that asks for fewer values than there are gets the
    /// latest each time it asks, and the last one in any case; nothing else is buffered.
    ///
    /// - Parameters:
    ///   - target: what to ask for.
    ///   - callbackQueue: where the values are delivered; as with `requestPublisher(_:callbackQueue:)`.
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
    /// A request as a publisher of what its answer decodes to: nothing is sent before a subscriber asks for the value.
    ///
    /// Cancelling takes the transfer off the wire. A status of 2xx is a success; the error of any other is typed.
    ///
    /// - Parameters:
    ///   - target: what to ask for.
    ///   - type: what the body of a success decodes to; `Data` for the bytes as they are.
    ///   - callbackQueue: where the value is delivered and the body is decoded; `nil` for the provider's queue.
    /// - Returns: the publisher of one value.
    public func publisher<Body: Decodable & Sendable>(
      on target: Target, decodeBodyTo type: Body.Type, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Body, TypedError> {
      RequestPublisher { next, end in
        self.performRequest(on: target, decodeBodyTo: type, callbackQueue: callbackQueue) {
          $0.tell(next, end)
        }
      }
      .eraseToAnyPublisher()
    }

    /// A request whose answer's body nobody wants, as a publisher; see `publisher(on:decodeBodyTo:callbackQueue:)`.
    ///
    /// - Parameters:
    ///   - target: what to ask for.
    ///   - callbackQueue: where the value is delivered; `nil` for the provider's queue.
    /// - Returns: the publisher of one value.
    public func publisher(
      on target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<EmptyBodyResponse, TypedError> {
      publisher(on: target, decodeBodyTo: EmptyBodyResponse.self, callbackQueue: callbackQueue)
    }
  }

  extension Result {
    fileprivate func tell(_ next: (Success) -> Void, _ end: (Failure?) -> Void) {
      switch self {
      case .success(let value):
        next(value)
        end(nil)
      case .failure(let error): end(error)
      }
    }
  }
#endif
