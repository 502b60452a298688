import Foundation
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("retry(backoff:) and HTTP methods", .timeLimit(.minutes(5)))
struct RetriedHTTPMethodTests {
  private struct MethodTarget: TargetType {
    var method: HTTPMethod
    var task = HTTPTask.requestPlain
    var baseURL: URL { URL(string: "http://h") ?? URL(filePath: "/") }
    var path: String { "/" }
  }

  /// Ends each transfer with the next error, or responds with 503; the last one counts for all that follow.
  private final class FailingTransport: Transport {
    let sent = Lock([String]())
    let errors: [TransferError?]
    var upgradesConnections: Bool { true }

    init(_ errors: [TransferError?]) { self.errors = errors }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      let index = sent.withLock { sent in
        sent.append(request.method.rawValue)
        return sent.count - 1
      }
      let error = errors[min(index, errors.count - 1)]
      if error == nil { handler(.head(ResponseHead(statusCode: 503, url: request.url, headers: [:]))) }
      handler(.finished(error))
      return CancellableToken {}
    }
  }

  private func methods(
    _ errors: TransferError?..., chain: (NetworkProvider<MethodTarget>) -> Observable<Int>
  ) -> [String] {
    let transport = FailingTransport(errors)
    let provider = NetworkProvider<MethodTarget>(transport: transport)
    _ = try? chain(provider).toBlocking().toArray()
    return transport.sent.withLock { $0 }
  }

  private static let failures: [TransferError?] = [
    .connectionLost(reason: "reset"), .timedOut(after: .seconds(1)),
    .cannotConnect(url: "http://h", reason: "refused"),
    nil,
  ]

  private static let waits = Backoff.constant(.nanoseconds(1))

  @Test("a POST is not sent again, whatever its error", arguments: failures)
  func post(error: TransferError?) {
    let sent = methods(error) { provider in
      provider.rx.request(MethodTarget(method: .post)).filterSuccessfulStatusCodes().map { _ in 1 }
        .retry(backoff: Self.waits, maxAttempts: 3).asObservable()
    }
    #expect(sent == ["POST"])
  }

  private static let unsent = TransferError.cannotConnect(url: "http://h", reason: "refused", isUnsent: true)
  private static let lost = TransferError.connectionLost(reason: "reset")

  @Test("a POST is sent again as long as each error proves that it was not sent", arguments: [false, true])
  func unsentPost(isShared: Bool) {
    func chain(_ provider: NetworkProvider<MethodTarget>) -> Observable<Int> {
      let request = provider.rx.request(MethodTarget(method: .post)).map { _ in 1 }.asObservable()
      return (isShared ? request.share() : request).retry(backoff: Self.waits, maxAttempts: 3)
    }
    #expect(methods(Self.unsent, chain: chain) == ["POST", "POST", "POST"])
    #expect(methods(Self.unsent, Self.lost, chain: chain) == ["POST", "POST"])
    #expect(methods(Self.lost, Self.unsent, chain: chain) == ["POST"])
  }

  @Test("an upload, a stream and server-sent events that were not requested are requested again, too")
  func unsentElements() {
    let target = MethodTarget(method: .post)
    let upload = methods(Self.unsent) { provider in
      provider.rx.requestWithProgress(target).map { _ in 1 }.retry(backoff: Self.waits, maxAttempts: 2)
    }
    #expect(upload == ["POST", "POST"])
    let stream = methods(Self.unsent) { provider in
      provider.rx.stream(target).map { _ in 1 }.retry(backoff: Self.waits, maxAttempts: 2)
    }
    #expect(stream == ["POST", "POST"])
    let events = methods(Self.unsent) { provider in
      provider.rx.events(target).map { _ in 1 }.retry(backoff: Self.waits, maxAttempts: 2)
    }
    #expect(events == ["POST", "POST"])
  }

  @Test("the events of a request that was not sent allow that it is sent again")
  func unsentObservedRequest() {
    let sent = methods(Self.unsent) { provider in
      provider.rx.requestEvents(of: MethodTarget(method: .post))
        .map { event -> Int in
          if case .ended(.failure(let error), _) = event.kind { throw error }
          return 1
        }
        .retry(backoff: Self.waits, maxAttempts: 2)
    }
    #expect(sent == ["POST", "POST"])
  }

  @Test("a WebSocket whose handshake was not sent is opened again, whatever the methods")
  func unsentHandshake() {
    func chain(_ provider: NetworkProvider<MethodTarget>) -> Observable<Int> {
      provider.rx.webSocket(MethodTarget(method: .get)).map { _ in 1 }
        .retry(backoff: Self.waits, maxAttempts: 2, retryableHTTPMethods: [])
    }
    #expect(methods(Self.unsent, chain: chain) == ["GET", "GET"])
    #expect(methods(Self.lost, chain: chain) == ["GET"])
  }

  @Test("a request whose body can be read only once is sent again only if it provably was not sent")
  func bodyReadOnce() {
    let once = BodyStream(isRepeatable: false) { _ in throw TransferError.cancelled }
    let repeatable = BodyStream { _ in throw TransferError.cancelled }
    func form(_ stream: BodyStream) -> HTTPTask {
      .uploadMultipartFormData([MultipartFormBodyPart(provider: .stream(stream), name: "a")])
    }
    for (task, count) in [
      (.uploadStream(once), 1), (.uploadStream(InputStream(data: Data())), 1), (form(once), 1),
      (.uploadStream(repeatable), 3), (form(repeatable), 3),
    ] as [(HTTPTask, Int)] {
      func chain(_ provider: NetworkProvider<MethodTarget>) -> Observable<Int> {
        provider.rx.request(MethodTarget(method: .put, task: task)).filterSuccessfulStatusCodes()
          .map { _ in 1 }.retry(backoff: Self.waits, maxAttempts: 3).asObservable()
      }
      #expect(methods(nil, chain: chain).count == count)
      #expect(methods(Self.unsent, nil, chain: chain).count == max(2, count))
    }
  }

  @Test("a POST that was not sent does not hide another one of the same attempt")
  func unsentAmongOthers() {
    let sent = methods(nil, Self.unsent) { provider in
      let post = provider.rx.request(MethodTarget(method: .post)).asObservable()
      return post.concat(post).map { _ in 1 }.retry(backoff: Self.waits, maxAttempts: 3)
    }
    #expect(sent == ["POST", "POST"])
  }

  @Test("an idempotent request is sent again", arguments: failures)
  func idempotent(error: TransferError?) {
    for method in [HTTPMethod.get, .put, .delete] {
      let sent = methods(error) { provider in
        provider.rx.request(MethodTarget(method: method)).filterSuccessfulStatusCodes().map { _ in 1 }
          .retry(backoff: Self.waits, maxAttempts: 3).asObservable()
      }
      #expect(sent == Array(repeating: method.rawValue, count: 3))
    }
  }

  @Test("a POST is sent again if the caller allows it", arguments: failures)
  func asked(error: TransferError?) {
    let sent = methods(error) { provider in
      provider.rx.request(MethodTarget(method: .post)).filterSuccessfulStatusCodes().map { _ in 1 }
        .retry(backoff: Self.waits, maxAttempts: 2, retryableHTTPMethods: [.post]).asObservable()
    }
    #expect(sent == ["POST", "POST"])
  }

  @Test("a custom rule for errors does not allow a POST to be sent again")
  func ownRule() {
    let sent = methods(.connectionLost(reason: "reset")) { provider in
      provider.rx.request(MethodTarget(method: .post)).map { _ in 1 }
        .retry(backoff: Self.waits, when: { _ in true }).asObservable()
    }
    #expect(sent == ["POST"])
  }

  @Test(
    "a request that is known only from its error counts, too", arguments: [(HTTPMethod.post, 1), (.get, 3)])
  func requestInError(method: HTTPMethod, expected: Int) throws {
    var request = URLRequest(url: try #require(URL(string: "http://h/")))
    request.httpMethod = method.rawValue
    let error = NetworkError.statusCode(Response(statusCode: 503, data: Data(), request: request))
    let attempts = Lock(0)
    let single = Single<Int>.deferred {
      attempts.withLock { $0 += 1 }
      return .error(error)
    }
    .retry(backoff: Self.waits, maxAttempts: 3, when: { _ in true })
    #expect(throws: NetworkError.self) { try single.toBlocking().single() }
    #expect(attempts.withLock { $0 } == expected)
  }

  @Test("a POST is not sent again because a later request fails", arguments: [true, false])
  func earlier(isCaught: Bool) {
    let sent = methods(.connectionLost(reason: "reset")) { provider in
      let first = provider.rx.request(MethodTarget(method: .post)).map { _ in 1 }
      let second = provider.rx.request(MethodTarget(method: .get)).map { _ in 1 }
      return (isCaught ? first.catchAndReturn(0).flatMap { _ in second } : second.catch { _ in first })
        .retry(backoff: Self.waits, maxAttempts: 2).asObservable()
    }
    #expect(sent == (isCaught ? ["POST", "GET"] : ["GET", "POST"]))
  }

  @Test("a POST that the observer sends is not repeated, and so does not prevent a retry")
  func observer() {
    let sent = methods(nil) { provider in
      let post = provider.rx.request(MethodTarget(method: .post))
      let page = provider.rx.request(MethodTarget(method: .get))
      return page.asObservable().concat(page.filterSuccessfulStatusCodes().asObservable())
        .retry(backoff: Self.waits, maxAttempts: 2).map { _ in 1 }
        .do(onNext: { _ in _ = post.subscribe() })
    }
    #expect(sent == ["GET", "POST", "GET", "GET", "POST", "GET"])
  }

  @Test("a POST that the observer sends prevents an enclosing retry, which would repeat it")
  func observerWithin() {
    let sent = methods(nil) { provider in
      let page = provider.rx.request(MethodTarget(method: .get)).asObservable()
      return page.retry(backoff: Self.waits, maxAttempts: 2)
        .flatMap { _ in provider.rx.request(MethodTarget(method: .post)).asObservable() }
        .flatMap { _ in page.filterSuccessfulStatusCodes() }
        .retry(backoff: Self.waits, maxAttempts: 2).map { _ in 1 }
    }
    #expect(sent == ["GET", "POST", "GET"])
  }

  @Test("the requests of an inner retry can prevent an enclosing retry, which would repeat them")
  func nested() {
    let sent = methods(.connectionLost(reason: "reset")) { provider in
      provider.rx.request(MethodTarget(method: .post)).map { _ in 1 }
        .retry(backoff: Self.waits, maxAttempts: 2, retryableHTTPMethods: [.post]).catchAndReturn(0)
        .flatMap { _ in provider.rx.request(MethodTarget(method: .get)).map { _ in 1 } }
        .retry(backoff: Self.waits, maxAttempts: 2).asObservable()
    }
    #expect(sent == ["POST", "POST", "GET"])
  }

  @Test("debug does not hide a POST from a retry")
  func debugged() {
    let sent = methods(nil, Self.lost) { provider in
      provider.rx.request(MethodTarget(method: .post)).map { _ in 1 }.debug("post")
        .flatMap { _ in provider.rx.request(MethodTarget(method: .get)).map { _ in 1 } }
        .retry(backoff: Self.waits, maxAttempts: 2).asObservable()
    }
    #expect(sent == ["POST", "GET"])
  }

  @Test(
    "an error that arrives on another thread counts for the requests that the subscription has sent",
    arguments: ["POST", "GET"])
  func hop(method: String) {
    let sent = methods(.connectionLost(reason: "reset")) { provider in
      provider.rx.request(MethodTarget(method: HTTPMethod(rawValue: method))).map { _ in 1 }
        .observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        .retry(backoff: Self.waits, maxAttempts: 2).asObservable()
    }
    #expect(sent == (method == "POST" ? ["POST"] : ["GET", "GET"]))
  }

  @Test("uploads with progress and streams count as requests")
  func progress() {
    let sent = methods(.connectionLost(reason: "reset")) { provider in
      provider.rx.upload(MethodTarget(method: .post)).map { _ in 1 }.retry(backoff: Self.waits)
        .catchAndReturn(1)
        .concat(provider.rx.stream(MethodTarget(method: .post)).map { _ in 1 }.retry(backoff: Self.waits))
    }
    #expect(sent == ["POST", "POST"])
  }

  @Test(
    "downloads, streams and uploads count as sent, even if the error arrives on another thread",
    arguments: 0..<3)
  func hopOfOthers(kind: Int) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let sent = methods(.connectionLost(reason: "reset")) { provider in
      let post = MethodTarget(method: .post)
      let request: Observable<Int> =
        switch kind {
        case 0: provider.rx.download(post, to: file).map { _ in 1 }
        case 1: provider.rx.stream(post).map { _ in 1 }
        default: provider.rx.upload(post).map { _ in 1 }
        }
      return request.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        .retry(backoff: Self.waits, maxAttempts: 2)
    }
    #expect(sent == ["POST"])
  }
}
