internal import Foundation

/// Processes the events of a request that a cache has sent, as far as the cache needs them.
struct CacheResponseHandler {
  /// The action at the end of the request.
  enum End {
    /// Delivers the end, and stores the response if there is one. `replaced` is `true` if the stored one
    /// is superseded by a response that must not be stored, or is outdated according to HEAD.
    case finish(StoredResponse?, replaced: Bool)
    /// Delivers the stored response; `isRevalidated` is `true` if the server has confirmed it.
    case deliver(StoredResponse, isRevalidated: Bool)
    /// Sends the request again without conditions.
    case retry
  }

  private enum Phase {
    case waiting
    /// The response is being delivered.
    case delivering
    /// The response is not delivered, because it confirms the stored response.
    case revalidated(StoredResponse)
    /// The response is not delivered, because it is inconsistent with the stored response.
    case inconsistent
    /// The response is not delivered, because the server has failed.
    case failed(StoredResponse)
  }

  /// The response that the request revalidates or, as a HEAD, updates.
  let stored: StoredResponse?
  private let limit: Int
  private let requestTime: TimeInterval
  private let added: AddedCredentials
  /// The number of removals for the URL when the request was sent.
  let removals: UInt64
  /// Whether the server has answered the request before, so that an error does not prove that it was not sent.
  let isRepetition: Bool
  private var responseTime: TimeInterval = 0
  private var phase = Phase.waiting
  private var head: ResponseHead?
  /// The body so far; `nil` if it is not to be stored.
  private var body: Data?
  /// The metrics of a transfer whose response is not delivered.
  private(set) var metrics: TransferMetrics?

  /// Creates a handler for a response that the cache ignores.
  init() {
    (stored, limit, requestTime, added, removals, isRepetition) = (nil, -1, 0, [], 0, false)
  }

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - stored: the response that the request revalidates.
  ///   - limit: the greatest length in bytes of a body to store.
  ///   - requestTime: the time when the request was sent, in seconds since 1970.
  ///   - added: what the transport below adds to the request.
  ///   - removals: the number of removals for the URL when the request is sent.
  ///   - isRepetition: whether the server has answered the request before.
  init(
    stored: StoredResponse? = nil, limit: Int, requestTime: TimeInterval, added: AddedCredentials,
    removals: UInt64, isRepetition: Bool = false
  ) {
    self.added = added
    self.removals = removals
    self.isRepetition = isRepetition
    self.stored = stored
    self.limit = limit
    self.requestTime = requestTime
  }

  /// Processes the head; returns whether to deliver it.
  mutating func receive(_ head: ResponseHead, for request: TransportRequest, now: TimeInterval) -> Bool {
    responseTime = now
    self.head = head
    if let stored, head.statusCode == 304 {
      let isSame = head.url.cacheKey == stored.url
      let updated =
        isSame ? stored.updated(by: head, requestTime: requestTime, responseTime: responseTime) : nil
      phase = updated.map { .revalidated($0) } ?? .inconsistent
      return false
    }
    if [500, 502, 503, 504].contains(head.statusCode), let stored = usableOnError(for: request, now: now) {
      phase = .failed(stored)
      return false
    }
    phase = .delivering
    let announced = head.headers["Content-Length"].flatMap { Int($0) } ?? 0
    if limit >= announced, isOwn(head, request), storable(Data(), for: request, now: now) != nil {
      body = Data()
    }
    return true
  }

  /// Processes a piece of the body; returns whether to deliver it.
  mutating func receive(_ piece: Data) -> Bool {
    guard case .delivering = phase else { return false }
    body?.append(piece)
    if let count = body?.count, count > limit { body = nil }
    return true
  }

  /// Processes the metrics; returns whether to deliver them.
  ///
  /// They come right before the end, and another response may be delivered before it.
  mutating func receive(_ metrics: TransferMetrics) -> Bool {
    if case .delivering = phase { return true }
    self.metrics = metrics
    return false
  }

  /// Decides the action at the end of the request.
  func end(_ error: TransferError?, for request: TransportRequest, now: TimeInterval) -> End {
    switch phase {
    case .revalidated(let response) where error == nil: return .deliver(response, isRevalidated: true)
    case .inconsistent where error == nil: return .retry
    case .failed(let response): return .deliver(response, isRevalidated: false)
    case .waiting where error?.isOfServer == true:
      if let stored = usableOnError(for: request, now: now) { return .deliver(stored, isRevalidated: false) }
    default: break
    }
    guard error == nil, limit >= 0, let head else { return .finish(nil, replaced: false) }
    if request.method == .head {
      guard let stored, head.statusCode == 200, head.url.cacheKey == stored.url else {
        return .finish(nil, replaced: false)
      }
      let description = stored.description(by: head)
      if description == .unknown { return .finish(nil, replaced: false) }
      let updated = stored.updated(by: head, requestTime: requestTime, responseTime: responseTime)
      let kept = description == .current ? updated.flatMap(storable) : nil
      return .finish(kept, replaced: kept == nil)
    }
    let response = body.flatMap { storable($0, for: request, now: responseTime) }
    // A response after a redirect says nothing about a stored redirect, which this transport does not use.
    let isReplaced =
      response == nil && head.statusCode < 500 && (stored != nil || isOwn(head, request))
    return .finish(response, replaced: isReplaced)
  }

  /// Returns a response as it may be stored; `nil` if it must not be stored, or may be meant for one user.
  func storable(_ response: StoredResponse) -> StoredResponse? {
    response.isStorable && response.isUsable(with: added) ? response : nil
  }

  /// Whether the response belongs to the request's URL, as it does not after a redirect.
  private func isOwn(_ head: ResponseHead, _ request: TransportRequest) -> Bool {
    head.url.cacheKey == request.url.cacheKey
  }

  private func usableOnError(for request: TransportRequest, now: TimeInterval) -> StoredResponse? {
    guard request.cachePolicy != .revalidate else { return nil }
    return stored.flatMap {
      Freshness($0).isUsableOnError(at: now, for: CacheControl(request.headers)) ? $0 : nil
    }
  }

  private func storable(_ body: Data, for request: TransportRequest, now: TimeInterval) -> StoredResponse? {
    head.flatMap {
      StoredResponse(to: request, head: $0, body: body, requestTime: requestTime, responseTime: now)
    }.flatMap(storable)
  }
}

extension TransferError {
  /// Whether the server could not be reached or has failed, and was not rejected: a stored response must not hide
  /// that its certificate is not the right one, or that the caller's request cannot be sent.
  fileprivate var isOfServer: Bool {
    switch self {
    case .certificate, .redirectRefused, .cancelled, .invalidField, .notRecorded: false
    default: true
    }
  }
}
