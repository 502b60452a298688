internal import Foundation

/// What comes of a request that a cache has sent, as far as the cache has to do with it.
struct CacheReceipt {
  /// What is done at the end.
  enum End {
    /// The end is told of. The answer is stored, or else what was stored is `replaced` by one that is not.
    case finish(StoredAnswer?, replaced: Bool)
    /// What is stored is given, after the server has said that it holds where `isNew`.
    case give(StoredAnswer, isNew: Bool)
    /// The request is sent once more, without conditions.
    case askAgain
  }

  private enum Phase {
    case waiting
    /// The answer is handed on.
    case shown
    /// It is not, since it says that what is stored holds.
    case confirmed(StoredAnswer)
    /// It is not, since it makes no sense.
    case useless
    /// It is not, since the server has failed.
    case failed(StoredAnswer)
  }

  private let stored: StoredAnswer?
  private let limit: Int
  private let requestTime: TimeInterval
  private let additions: RequestAdditions
  private var responseTime: TimeInterval = 0
  private var phase = Phase.waiting
  private var head: ResponseHead?
  /// `nil` where it is not kept.
  private var body: Data?

  /// Makes one for an answer that is not looked at.
  init() {
    (stored, limit, requestTime, additions) = (nil, -1, 0, RequestAdditions())
  }

  /// Makes one.
  ///
  /// - Parameters:
  ///   - stored: what the request asks about.
  ///   - limit: the most bytes of a body to be stored.
  ///   - requestTime: when it was sent, in seconds since 1970.
  ///   - additions: what the request has got below the cache.
  init(
    about stored: StoredAnswer? = nil, limit: Int, requestTime: TimeInterval, additions: RequestAdditions
  ) {
    self.additions = additions
    self.stored = stored
    self.limit = limit
    self.requestTime = requestTime
  }

  /// Takes the head; returns whether it is handed on.
  mutating func receive(_ head: ResponseHead, for request: TransportRequest, now: TimeInterval) -> Bool {
    responseTime = now
    self.head = head
    if let stored, head.statusCode == 304 {
      let isSame = head.url.withoutFragment == stored.url
      let updated =
        isSame ? stored.updated(by: head, requestTime: requestTime, responseTime: responseTime) : nil
      phase = updated.map { .confirmed($0) } ?? .useless
      return false
    }
    if [500, 502, 503, 504].contains(head.statusCode), let stored = usableOnError(for: request, now: now) {
      phase = .failed(stored)
      return false
    }
    phase = .shown
    // After a redirect, the answer is not that of the URL.
    let isOwn = head.url.withoutFragment == request.url.withoutFragment
    let announced = head.headers["Content-Length"].flatMap { Int($0) } ?? 0
    if limit >= announced, isOwn, storable(Data(), for: request, now: now) != nil { body = Data() }
    return true
  }

  /// Takes a piece of the body; returns whether it is handed on.
  mutating func receive(_ piece: Data) -> Bool {
    guard case .shown = phase else { return false }
    body?.append(piece)
    if let count = body?.count, count > limit { body = nil }
    return true
  }

  /// Decides what is done at the end.
  func end(_ error: TransferError?, for request: TransportRequest, now: TimeInterval) -> End {
    switch phase {
    case .confirmed(let answer) where error == nil: return .give(answer, isNew: true)
    case .useless where error == nil: return .askAgain
    case .failed(let answer): return .give(answer, isNew: false)
    case .waiting where error != nil:
      if let stored = usableOnError(for: request, now: now) { return .give(stored, isNew: false) }
    default: break
    }
    guard error == nil, limit >= 0, let head else { return .finish(nil, replaced: false) }
    let answer = body.flatMap { storable($0, for: request, now: responseTime) }
    return .finish(answer, replaced: answer == nil && request.method == .get && head.statusCode < 500)
  }

  private func usableOnError(for request: TransportRequest, now: TimeInterval) -> StoredAnswer? {
    stored.flatMap { Freshness($0).isUsableOnError(at: now, for: CacheControl(request.headers)) ? $0 : nil }
  }

  private func storable(_ body: Data, for request: TransportRequest, now: TimeInterval) -> StoredAnswer? {
    head.flatMap {
      StoredAnswer(to: request, head: $0, body: body, requestTime: requestTime, responseTime: now)
    }.flatMap { additions.cookies && $0.dependsOnCookies ? nil : $0 }
  }
}
