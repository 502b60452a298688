import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("The origins of pages", .timeLimit(.minutes(5)))
struct PageOriginTests {
  /// A page at a complete URL, for which a token is sent.
  private struct SecretPage: TargetType, AccessTokenAuthorizable {
    let url: URL
    var baseURL: URL { url }
    var path: String { "" }
    var authorizationType: AuthorizationType? { .bearer }

    init(_ url: URL) { self.url = url }
  }

  private let other: LoopbackServer
  private let server: LoopbackServer

  init() throws {
    let other = try LoopbackServer { _ in .text("other") }
    self.other = other
    server = try LoopbackServer { [origin = other.origin] request in
      switch request.path {
      case "/other": .text("first").header("Link", "<\(origin)/2>; rel=next")
      case "/socket": .text("first").header("Link", "<http+unix://%2Frun%2Fdocker.sock/info>; rel=next")
      case "/same": .text("first").header("Link", "</2>; rel=next")
      case "/moved": .redirect(to: "\(origin)/1")
      default: .text("second")
      }
    }
  }

  private func provider(
    _ endpoint: @escaping NetworkProvider<SecretPage>.EndpointClosure = NetworkProvider<SecretPage>
      .defaultEndpointMapping
  ) -> NetworkProvider<SecretPage> {
    NetworkProvider(endpointClosure: endpoint, plugins: [AccessTokenPlugin { _ in "secret" }])
  }

  private func page(_ path: String) throws -> SecretPage {
    SecretPage(try #require(URL(string: server.origin + path)))
  }

  private func texts(_ pages: Observable<Response>) -> (texts: [String], error: PaginationError?) {
    switch pages.mapString().toBlocking().materialize() {
    case .completed(let elements): (elements, nil)
    case .failed(let elements, let error): (elements, error as? PaginationError)
    }
  }

  private func next(_ response: Response) -> SecretPage? { response.links["next"].map(SecretPage.init) }

  @Test("a page of another origin is not requested, and the error names the origin")
  func otherOrigin() throws {
    let result = texts(provider().rx.paginate(try page("/other"), next: next))
    #expect(result.texts == ["first"])
    #expect(result.error == .otherOrigin(other.origin, first: server.origin))
    #expect(result.error?.errorDescription?.contains(other.origin) == true)
    #expect(other.log.connectionsAccepted == 0)
  }

  @Test("a page of another origin is requested if other origins are allowed")
  func allowed() throws {
    let result = texts(provider().rx.paginate(try page("/other"), allowsOtherOrigins: true, next: next))
    #expect(result.texts == ["first", "other"])
    #expect(result.error == nil)
  }

  @Test("a link to a socket is ignored")
  func socket() throws {
    let result = texts(provider().rx.paginate(try page("/socket"), next: next))
    #expect(result.texts == ["first"])
    #expect(result.error == nil)
  }

  @Test("a target at a socket has another origin")
  func madeSocket() throws {
    let socket = try #require(URL(string: "http+unix://%2Frun%2Fdocker.sock/info"))
    let result = texts(provider().rx.paginate(try page("/same")) { _ in SecretPage(socket) })
    #expect(result.error == .otherOrigin("http+unix://%2Frun%2Fdocker.sock", first: server.origin))
  }

  @Test("a page of the same origin is requested, with credentials")
  func same() throws {
    let result = texts(provider().rx.paginate(try page("/same"), next: next))
    #expect(result.texts == ["first", "second"])
    #expect(server.log.requests.last?.headers["Authorization"] == "Bearer secret")
  }

  @Test("a page relative to the destination of a redirect has another origin")
  func redirected() throws {
    let (origin, count) = (other.origin, other.log.requestCount)
    other.route("/1") { _ in .text("first").header("Link", "</2>; rel=next") }
    let result = texts(provider().rx.paginate(try page("/moved"), next: next))
    #expect(result.error == .otherOrigin(origin, first: server.origin))
    #expect(other.log.requestCount == count + 1)
  }

  @Test("the scheme and the port matter, but the case of the host and a default port do not")
  func origins() throws {
    func error(_ next: String) throws -> PaginationError? {
      let url = try #require(URL(string: next))
      let stub = NetworkProvider<SecretPage>(stubClosure: NetworkProvider<SecretPage>.immediatelyStub)
      let first = SecretPage(try #require(URL(string: "https://user:pw@h/1")))
      return texts(stub.rx.paginate(first) { $0.url == url ? nil : SecretPage(url) }).error
    }
    for same in ["https://h/2", "https://H:443/2", "HTTPS://user:other@h/2"] {
      #expect(try error(same) == nil)
    }
    for other in ["http://h", "https://h:444", "https://h.x", "https://x"] {
      #expect(try error(other + "/2") == .otherOrigin(other, first: "https://h"))
    }
    #expect(try error("https://name:pw@x/2") == .otherOrigin("https://x", first: "https://h"))
  }

  @Test("the origins are those of the targets' endpoints")
  func endpoints() throws {
    let (base, start) = (server.origin, try #require(URL(string: "http://api.example/same")))
    let provider = provider { target in
      Endpoint(
        url: base + target.url.path, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
        task: .requestPlain, httpHeaderFields: nil)
    }
    let result = texts(provider.rx.paginate(SecretPage(start), next: next))
    #expect(result.texts == ["first", "second"])
  }

  @Test("the origins are those of the endpoints of a provider inside another one")
  func wrappedEndpoints() throws {
    final class Wrapper: NetworkProviderType, ReactiveCompatible {
      let inner: NetworkProvider<SecretPage>
      init(_ inner: NetworkProvider<SecretPage>) { self.inner = inner }

      func endpoint(_ target: SecretPage) -> Endpoint { inner.endpoint(target) }

      func request(
        _ target: SecretPage, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
        completion: @escaping Completion
      ) -> any Cancellable {
        inner.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
      }
    }
    let (first, second) = (server.origin, other.origin)
    let provider = provider { target in
      Endpoint(
        url: (target.url.path == "/same" ? first : second) + target.url.path,
        sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get, task: .requestPlain,
        httpHeaderFields: nil)
    }
    let start = try #require(URL(string: "http://api.example/same"))
    let next = try #require(URL(string: "http://api.example/2"))
    let result = texts(Wrapper(provider).rx.paginate(SecretPage(start)) { _ in SecretPage(next) })
    #expect(result.texts == ["first"])
    #expect(result.error == .otherOrigin(second, first: first))
    #expect(other.log.connectionsAccepted == 0)
  }

  /// Requests as singles, each created from the previous response.
  private func singles(
    _ path: String, from cursor: PageCursor<Single<Response>>? = nil, allowsOtherOrigins: Bool = false,
    through operation: @escaping (Single<Response>) -> Single<Response> = { $0 }
  ) throws -> Observable<Response> {
    let (provider, next) = (provider(), next)
    let first = operation(provider.rx.request(try page(path)))
    return first.paginate(from: cursor, allowsOtherOrigins: allowsOtherOrigins) { response in
      next(response).map { operation(provider.rx.request($0)) }
    }
  }

  @Test("the rule applies to requests as singles")
  func singles() throws {
    let refused = texts(try singles("/other"))
    #expect(refused.texts == ["first"])
    #expect(refused.error == .otherOrigin(other.origin, first: server.origin))
    #expect(other.log.connectionsAccepted == 0)
    #expect(texts(try singles("/same")).texts == ["first", "second"])
    #expect(texts(try singles("/other", allowsOtherOrigins: true)).texts == ["first", "other"])
    #expect(other.log.requestCount == 1)
  }

  @Test("the rule applies to all ways to send a request", arguments: [0, 1, 2])
  func ways(way: Int) throws {
    let provider = provider()
    let second = SecretPage(try #require(URL(string: other.origin + "/2")))
    let pages = provider.rx.request(try page("/same")).map { _ in 1 }.paginate { page in
      guard page == 1 else { return nil }
      return switch way {
      case 0: provider.rx.requestWithProgress(second).map { _ in 2 }.takeLast(1).asSingle()
      case 1: provider.rx.stream(second).map { _ in 2 }.takeLast(1).asSingle()
      default:
        provider.rx.download(second, to: URL(fileURLWithPath: "/no/such/folder")).map { _ in 2 }.takeLast(1)
          .asSingle()
      }
    }
    #expect(throws: PaginationError.otherOrigin(other.origin, first: server.origin)) {
      try pages.toBlocking().toArray()
    }
    #expect(other.log.connectionsAccepted == 0)
  }

  @Test("a page may request all origins that the first one has requested, also after a response")
  func several() throws {
    let (provider, elsewhere) = (provider(), SecretPage(try #require(URL(string: other.origin + "/3"))))
    let pages = try singles("/same") { page in
      page.flatMap { response in provider.rx.request(elsewhere).map { _ in response } }
    }
    #expect(texts(pages).texts == ["first", "second"])
    #expect(other.log.requestCount == 2)
    let late = try singles("/same").take(1).asSingle().paginate { response in
      response.url?.path == "/same"
        ? provider.rx.request(try self.page("/2")).flatMap { _ in provider.rx.request(elsewhere) } : nil
    }
    #expect(texts(late).error == .otherOrigin(other.origin, first: server.origin))
    #expect(other.log.requestCount == 2)
  }

  @Test("a subscriber may request any origin")
  func subscriber() throws {
    let (provider, elsewhere) = (provider(), SecretPage(try #require(URL(string: other.origin + "/3"))))
    let answers = try singles("/same").concatMap { _ in provider.rx.request(elsewhere).asObservable() }
    #expect(texts(answers).texts == ["other", "other"])
  }

  @Test("a refused page is refused again, until its cursor is reset")
  func refusedAgain() throws {
    let cursor = PageCursor<Single<Response>>()
    let pages = try singles("/other", from: cursor)
    #expect(texts(pages).error == .otherOrigin(other.origin, first: server.origin))
    #expect(texts(pages).error == .otherOrigin(other.origin, first: server.origin))
    #expect(texts(pages.retry(3)).error == .otherOrigin(other.origin, first: server.origin))
    #expect(other.log.connectionsAccepted == 0)
    cursor.reset()
    #expect(texts(pages).texts == ["first"])
  }

  @Test("a cursor whose pages have all been read allows the first page of the next reading any origin")
  func readAgain() throws {
    let (cursor, provider) = (PageCursor<Single<Response>>(), provider())
    var origins = [server.origin, other.origin]
    let first = Single.deferred {
      let url = try #require(URL(string: origins.removeFirst() + "/same"))
      return provider.rx.request(SecretPage(url))
    }
    let pages = first.paginate(from: cursor) { _ in nil }
    #expect(texts(pages).texts == ["first"])
    #expect(texts(pages).texts == ["other"])
    #expect(origins.isEmpty)
  }
}
