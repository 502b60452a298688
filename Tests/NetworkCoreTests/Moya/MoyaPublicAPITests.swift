import Dispatch
import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private enum SampleTarget: TargetType, AccessTokenAuthorizable {
  case one(Int)

  var baseURL: URL { URL(string: "https://h")! }
  var path: String { "/one" }
  var method: Moya.Method { .post }
  var task: Moya.Task { .requestPlain }
  var validationType: Moya.ValidationType { .successCodes }
  var authorizationType: Moya.AuthorizationType? { .bearer }
}

/// The names of Moya and Alamofire in their usual forms, most of which only need to compile.
@Suite("The public names of Moya and Alamofire")
struct MoyaPublicAPITests {
  @Test("every kind of task has Moya's name and labels")
  func tasks() {
    let stream = InputStream(data: Data("abc".utf8))
    let parts = [
      MultipartFormBodyPart(provider: .data(Data()), name: "a", fileName: "f", mimeType: "a/b"),
      Moya.MultipartFormBodyPart(provider: .file(URL(fileURLWithPath: "/x")), name: "b"),
      MultipartFormBodyPart(provider: .stream(stream, 3), name: "c"),
    ]
    let form = MultipartFormData(fileManager: .default, boundary: nil, parts: parts)
    let (values, parameters): ([String: Int], [String: Any]) = (["a": 1], ["a": 1])
    let tasks: [Moya.Task] = [
      .requestPlain, .requestData(Data()), .requestJSONEncodable(values),
      .requestCustomJSONEncodable(values, encoder: JSONEncoder()),
      .requestParameters(parameters: parameters, encoding: URLEncoding.default),
      .requestCompositeData(bodyData: Data(), urlParameters: parameters),
      .requestCompositeParameters(
        bodyParameters: parameters, bodyEncoding: JSONEncoding.prettyPrinted, urlParameters: parameters),
      .uploadFile(URL(fileURLWithPath: "/x")), .uploadMultipartFormData(form),
      .uploadCompositeMultipartFormData(form, urlParameters: parameters), .uploadMultipart(parts),
      .uploadCompositeMultipart(parts, urlParameters: parameters),
    ]
    #expect(tasks.count == 12)
    #expect(form.parts.map(\.name) == ["a", "b", "c"])
    #expect(form.boundary == nil)
    #expect(form.fileManager === FileManager.default)
    #expect(parts[0].fileName == "f" && parts[0].mimeType == "a/b")
    #expect(HTTPMethod.post.supportsMultipart)
  }

  @Test("the older tasks with forms are unambiguous, and are the current ones")
  func olderForms() throws {
    let parameters: [String: Any] = ["a": 1]
    let tasks: [Moya.Task] = [
      .uploadMultipart([]), .uploadMultipart([.init(provider: .data(Data()), name: "a")]),
      .uploadMultipart([MultipartFormData(provider: .data(Data()), name: "a")]),
      .uploadCompositeMultipart([], urlParameters: parameters),
      .uploadCompositeMultipart([.init(provider: .data(Data()), name: "a")], urlParameters: parameters),
      .uploadCompositeMultipart(
        [MultipartFormData(provider: .data(Data()), name: "a")], urlParameters: parameters),
    ]
    let counts = tasks.map { task -> Int? in
      switch task {
      case .uploadMultipartFormData(let form): form.parts.count
      case .uploadCompositeMultipartFormData(let form, let urlParameters):
        form.parts.count + 10 * urlParameters.count
      default: nil
      }
    }
    #expect(counts == [0, 1, 1, 10, 11, 11])
    let request = try Endpoint(
      url: "http://h", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
      task: tasks[4],
      httpHeaderFields: nil
    ).urlRequest()
    #expect(request.url?.query == "a=1")
    #expect(request.httpBodyStream != nil)
  }

  @Test("the older tasks contain the parts of all forms, in order")
  func severalOlderForms() {
    let forms = ["a", "b"].map { MultipartFormData(provider: .data(Data()), name: $0) }
    let tasks: [Moya.Task] = [
      .uploadMultipart(forms), .uploadCompositeMultipart(forms, urlParameters: ["c": 1]),
    ]
    let names = tasks.map { task -> [String] in
      switch task {
      case .uploadMultipartFormData(let form): form.parts.map(\.name)
      case .uploadCompositeMultipartFormData(let form, _): form.parts.map(\.name)
      default: []
      }
    }
    #expect(names == [["a", "b"], ["a", "b"]])
  }

  @Test("an older form with one part has the part's file name and media type")
  func olderFormOfOnePart() {
    let form = MultipartFormData(provider: .data(Data()), name: "a", fileName: "f", mimeType: "a/b")
    #expect(form.parts.map(\.name) == ["a"])
    #expect(form.parts.map(\.fileName) == ["f"])
    #expect(form.parts.map(\.mimeType) == ["a/b"])
  }

  @Test("a form with a file manager has the given boundary")
  func olderFormBoundary() {
    let form = MultipartFormData(fileManager: .default, boundary: "B", parts: [])
    #expect(form.boundary == "B")
    #expect(form.contentType == "multipart/form-data; boundary=B")
  }

  @Test("a subclass may override the initialiser with Moya's parameters")
  func overriddenInitialiser() {
    final class LoggingProvider: MoyaProvider<SampleTarget>, @unchecked Sendable {
      override init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<SampleTarget>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub, callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<SampleTarget>.defaultAlamofireSession(),
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
      ) {
        super.init(
          endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
          callbackQueue: callbackQueue, session: session, plugins: plugins + [NetworkLoggerPlugin()],
          trackInflights: trackInflights)
      }
    }
    let transport = ScriptedTransport { $0.respond() }
    let session = Session(transport: transport, interceptor: .retryPolicy)
    let provider = LoggingProvider(session: session)
    #expect(provider.plugins.count == 1)
    #expect(provider.interceptors.count == 1)
    #expect(provider.session === session && provider.transport as? Session === session)
    #expect(provider.memoryBodyLimit == MoyaProvider<SampleTarget>().memoryBodyLimit)
    #expect(LoggingProvider(stubClosure: MoyaProvider.immediatelyStub).stubs == nil)
  }

  @Test("every encoding has Alamofire's name and labels")
  func encodings() throws {
    let encodings: [any Moya.ParameterEncoding] = [
      URLEncoding(destination: .methodDependent, arrayEncoding: .brackets, boolEncoding: .numeric),
      URLEncoding(destination: .queryString, arrayEncoding: .noBrackets, boolEncoding: .literal),
      URLEncoding(arrayEncoding: .indexInBrackets), URLEncoding(arrayEncoding: .custom { "\($0).\($1)" }),
      URLEncoding.httpBody, URLEncoding.queryString, JSONEncoding(options: .sortedKeys), JSONEncoding.default,
    ]
    let request = URLRequest(url: URL(staticString: "http://h"))
    for encoding in encodings { _ = try encoding.encode(request, with: ["a": [1, 2]]) }
    #expect(URLEncoding.default.escape("a b") == "a%20b")
    #expect(URLEncoding.default.queryComponents(fromKey: "a", value: [1]).map(\.0) == ["a%5B%5D"])
    #expect(try JSONEncoding.default.encode(request, withJSONObject: [1, 2]).httpBody == Data("[1,2]".utf8))
    let encoders: [any ParameterEncoder] = [
      JSONParameterEncoder.default, JSONParameterEncoder.prettyPrinted, JSONParameterEncoder.sortedKeys,
      .json(encoder: JSONEncoder()), .urlEncodedForm, URLEncodedFormParameterEncoder.default,
      URLEncodedFormParameterEncoder(
        encoder: URLEncodedFormEncoder(
          alphabetizeKeyValuePairs: true, arrayEncoding: .brackets, boolEncoding: .numeric,
          dataEncoding: .base64, dateEncoding: .iso8601, keyEncoding: .convertToSnakeCase,
          keyPathEncoding: .dots, nilEncoding: .dropKey, spaceEncoding: .plusReplaced,
          allowedCharacters: .urlQueryAllowed), destination: .queryString),
    ]
    for encoder in encoders { _ = try encoder.encode(["a": 1], into: request) }
  }

  @Test("a provider accepts a session, an interceptor and Moya's other arguments, in Moya's order")
  func provider() {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    let session = Session(
      configuration: configuration, startRequestsImmediately: false,
      interceptor: Interceptor(adapters: [], retriers: [], interceptors: [.retryPolicy(retryLimit: 3)]))
    let provider = MoyaProvider<SampleTarget>(
      endpointClosure: MoyaProvider.defaultEndpointMapping,
      requestClosure: MoyaProvider<SampleTarget>.defaultRequestMapping,
      stubClosure: MoyaProvider.immediatelyStub,
      callbackQueue: nil, session: session, plugins: [], trackInflights: true)
    #expect(provider.session === session)
    #expect(provider.interceptors.count == 1)
    #expect(provider.inflightRequests.isEmpty)
    #expect(MoyaProvider<SampleTarget>.defaultAlamofireSession().defaultHeaders["User-Agent"] != nil)
    #expect(!session.startRequestsImmediately)
    #expect(!MoyaProvider<SampleTarget>().session.startRequestsImmediately)
    #expect(session.sessionConfiguration.headers["User-Agent"] == HTTPHeader.defaultUserAgent.value)
    #expect(Moya.RequestMultipartFormData().contentLength == 0)
    let any: any Moya.MoyaProviderType = provider
    #expect(any === provider)
  }

  @Test("interceptors can be made of closures and of each other")
  func interceptors() {
    let all: [any RequestInterceptor] = [
      .retryPolicy, .connectionLostRetryPolicy, .retryPolicy(retryLimit: 1, exponentialBackoffScale: 0.1),
      .connectionLostRetryPolicy(retryLimit: 1),
      .interceptor(
        adapter: { request, _, completion in completion(.success(request)) },
        retrier: { _, _, _, completion in completion(.doNotRetry) }),
      .interceptor(
        adapters: [.adapter { request, _, completion in completion(.success(request)) }],
        retriers: [.retrier { _, _, _, completion in completion(.retryWithDelay(1)) }],
        interceptors: [.retryPolicy]),
    ]
    #expect(all.count == 6)
  }

  @Test("plugins, errors and values have Moya's names")
  func others() throws {
    let logger = NetworkLoggerPlugin(
      configuration: .init(
        formatter: .init(
          entry: NetworkLoggerPlugin.Configuration.Formatter.defaultEntryFormatter,
          requestData: { _ in "" },
          responseData: NetworkLoggerPlugin.Configuration.Formatter.defaultDataFormatter),
        output: NetworkLoggerPlugin.Configuration.defaultOutput,
        logOptions: [
          .requestMethod, .requestHeaders, .requestBody, .formatRequestAscURL, .successResponseBody,
          .errorResponseBody,
        ]))
    let plugins: [any Moya.PluginType] = [
      Moya.AccessTokenPlugin { _ in "token" },
      CredentialsPlugin { _ in URLCredential(user: "u", password: "p", persistence: .none) },
      NetworkActivityPlugin { change, _ in _ = change == .began }, NetworkLoggerPlugin.default,
      NetworkLoggerPlugin.verbose, logger,
    ]
    #expect(plugins.count == 6)
    let response = Moya.Response(statusCode: 200, data: Data(), request: nil, response: nil)
    let errors: [MoyaError] = [
      .imageMapping(response), .jsonMapping(response), .stringMapping(response),
      .objectMapping(MultipartError.noParts, response), .encodableMapping(MultipartError.noParts),
      .statusCode(response), .underlying(MultipartError.noParts, nil), .requestMapping(""),
      .parameterEncoding(MultipartError.noParts),
    ]
    #expect(errors.map(\.errorCode) == Array(0...8))
    #expect(errors.filter { $0.response == nil }.count == 4)
    #expect(errors.allSatisfy { $0.errorDescription != nil && !$0.errorUserInfo.isEmpty })
    let samples: [Moya.EndpointSampleResponse] = [
      .networkResponse(200, Data()), .networkError(NSError(domain: "d", code: 1)),
    ]
    #expect(samples.count == 2)
    let behaviors: [Moya.StubBehavior] = [.never, .immediate, .delayed(seconds: 1)]
    #expect(behaviors.count == 3)
    #expect(MultiTarget(SampleTarget.one(1)).authorizationType == .bearer)
    guard case .target(let target) = MultiTarget.target(SampleTarget.one(1)) else { return }
    #expect(target is SampleTarget)
    #expect(URL(target: SampleTarget.one(1)).absoluteString == "https://h/one")
    #expect(AuthorizationType.custom("x").value == "x")
  }

  @Test("each error has its code in Moya's enumeration")
  func errorCodes() {
    let response = Response(statusCode: 200, data: Data())
    let errors: [(MoyaError, MoyaErrorCode)] = [
      (.imageMapping(response), .imageMapping), (.jsonMapping(response), .jsonMapping),
      (.stringMapping(response), .stringMapping),
      (.objectMapping(MultipartError.noParts, response), .objectMapping),
      (.encodableMapping(MultipartError.noParts), .encodableMapping),
      (.statusCode(response), .statusCode), (.underlying(MultipartError.noParts, nil), .underlying),
      (.requestMapping(""), .requestMapping),
      (.parameterEncoding(MultipartError.noParts), .parameterEncoding),
    ]
    for (error, code) in errors { #expect(MoyaErrorCode(rawValue: error.errorCode) == code) }
  }

  /// Compiles only if the cases are Moya's.
  private func name(_ task: Moya.Task) -> String {
    switch task {
    case .requestPlain: "plain"
    case .requestData: "data"
    case .requestJSONEncodable, .requestCustomJSONEncodable: "json"
    case .requestParameters: "parameters"
    case .requestCompositeData, .requestCompositeParameters: "composite"
    case .uploadFile: "file"
    case .uploadMultipartFormData, .uploadCompositeMultipartFormData: "form"
    case .downloadDestination: "download"
    case .downloadParameters: "download with parameters"
    }
  }

  @Test("a switch over Moya's tasks is exhaustive, and the tasks that only this library has are in it")
  func exhaustiveTasks() {
    let destination: DownloadDestination = { url, _ in (url, []) }
    #expect(name(.requestPlain) == "plain")
    #expect(name(.downloadDestination(destination)) == "download")
    #expect(name(.uploadData(Data())) == "parameters")
    #expect(name(.uploadStream(BodyStream { _ in throw CancellationError() })) == "parameters")
    #expect(name(.requestEncodable([1], encoder: JSONParameterEncoder())) == "parameters")
    #expect(name(.requestFormEncodable(["a": 1])) == "parameters")
    #expect(name(.requestCompositeEncodable([1], urlParameters: [:])) == "composite")
    #expect(name(.downloadResumable(to: URL(filePath: "/tmp/a"))) == "download with parameters")
  }

  @Test("errors in Alamofire's form")
  func alamofireErrors() {
    func error(_ error: any Error) -> AFError? { error.asAFError }
    #expect(error(NetworkError.cancelled)?.isExplicitlyCancelledError == true)
    #expect(error(NetworkError.statusCode(Response(statusCode: 418, data: Data())))?.responseCode == 418)
    #expect(error(NetworkError.requestMapping("a b"))?.isInvalidURLError == true)
    #expect(error(TransferError.unsupportedURL("ftp://h"))?.url == URL(string: "ftp://h"))
    let timeout = error(NetworkError.underlying(TransferError.timedOut(after: .seconds(1)), nil))
    #expect(timeout?.isSessionTaskError == true)
    #expect((timeout?.underlyingError as? URLError)?.code == .timedOut)
    let retried = error(TransferError.cannotRepeatBody(url: "http://h"))
    #expect(retried?.underlyingError as? TransferError == .cannotRepeatBody(url: "http://h"))
    let certificate = TransferError.certificate(problem: .expired, host: "h", reason: "")
    #expect(error(certificate)?.isServerTrustEvaluationError == true)
    #expect(error(MultipartError.noParts)?.isMultipartEncodingError == true)
    #expect(error(NetworkError.parameterEncoding(MultipartError.noParts))?.isMultipartEncodingError == true)
    #expect(error(NetworkError.encodableMapping(CancellationError()))?.isParameterEncoderError == true)
    #expect(error(NetworkError.parameterEncoding(CancellationError()))?.isParameterEncodingError == true)
    #expect(
      error(NetworkError.jsonMapping(Response(statusCode: 200, data: Data())))?.isResponseSerializationError
        == true)
    let mapping = NetworkError.objectMapping(CancellationError(), Response(statusCode: 200, data: Data()))
    #expect(error(mapping)?.underlyingError is CancellationError)
    #expect(error(CancellationError()) == nil)
    #expect(CancellationError().asAFError(or: .explicitlyCancelled).isExplicitlyCancelledError)
  }

  @Test("an AFError is itself in Alamofire's form, and the error of a custom transport is a failed transfer")
  func otherAlamofireErrors() {
    let refused: any Error = AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 418))
    #expect(refused.asAFError?.responseCode == 418)
    #expect(refused.asAFError?.isResponseValidationError == true)
    #expect(NetworkError.cancelled.asAFError?.isResponseValidationError == false)
    #expect(refused.asAFError(or: .explicitlyCancelled).responseCode == 418)
    let foreign = NetworkError.underlying(CocoaError(.fileNoSuchFile), nil).asAFError
    #expect(foreign?.isSessionTaskError == true)
    #expect(foreign?.underlyingError is CocoaError)
    let image = NetworkError.imageMapping(Response(statusCode: 200, data: Data())).asAFError
    guard case .responseSerializationFailed(.customSerializationFailed)? = image else {
      Issue.record("\(String(describing: image))")
      return
    }
  }

  @Test("a body that is not JSON or not text has a reason of its own in Alamofire's form")
  func mappingFailures() {
    let response = Response(statusCode: 200, data: Data())
    let json = NetworkError.jsonMapping(response).asAFError
    guard case .responseSerializationFailed(.jsonSerializationFailed)? = json else {
      Issue.record("\(String(describing: json))")
      return
    }
    let text = NetworkError.stringMapping(response).asAFError
    guard case .responseSerializationFailed(.stringSerializationFailed)? = text else {
      Issue.record("\(String(describing: text))")
      return
    }
  }

  @Test("an error in Alamofire's form has the error that caused it, and its text")
  func causes() {
    let cause = TransferError.connectionLost(reason: "r")
    let errors: [AFError] = [
      .parameterEncodingFailed(reason: .customEncodingFailed(error: cause)),
      .parameterEncoderFailed(reason: .encoderFailed(error: cause)),
      .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: cause)),
      .sessionTaskFailed(error: cause),
    ]
    for error in errors {
      #expect(error.underlyingError as? TransferError == cause)
      #expect(error.errorDescription == cause.localizedDescription)
    }
    let form = AFError.multipartEncodingFailed(reason: .other(.noParts))
    #expect(form.underlyingError as? MultipartError == .noParts)
  }

  @Test("no text of an error in Alamofire's form shows a secret")
  func secretsOfErrors() {
    struct Refused: LocalizedError {
      let url: String
      var errorDescription: String? { "\(url) was refused." }
    }
    let url = "http://user:s3cret@h/?token=s3cret"
    let errors: [AFError?] = [
      NetworkError.requestMapping(url).asAFError, TransferError.unsupportedURL(url).asAFError,
      NetworkError.underlying(Refused(url: url), nil).asAFError,
      NetworkError.parameterEncoding(Refused(url: url)).asAFError,
    ]
    for error in errors {
      var dumped = ""
      dump(error, to: &dumped)
      let sentence = error?.localizedDescription ?? ""
      for text in [String(describing: error), String(reflecting: error), dumped, sentence] {
        #expect(text.contains("h/?token=<redacted>"))
        #expect(!text.contains("s3cret"))
      }
    }
    let shown = "\(AFError.invalidURL(url: url))"
    #expect(shown == #"invalidURL(url: "http://<redacted>@h/?token=<redacted>")"#)
  }

  @Test("a switch over Alamofire's reasons why decoding failed is complete, and each has a text")
  func serializationFailures() {
    let cause = TransferError.connectionLost(reason: "r")
    let reasons: [AFError.ResponseSerializationFailureReason] = [
      .inputDataNilOrZeroLength, .inputFileNil, .inputFileReadFailed(at: URL(fileURLWithPath: "/a/b")),
      .stringSerializationFailed(encoding: .utf8), .jsonSerializationFailed(error: cause),
      .decodingFailed(error: cause), .customSerializationFailed(error: cause),
      .invalidEmptyResponse(type: "Int"),
    ]
    let words = reasons.map { reason in
      switch reason {
      case .inputDataNilOrZeroLength: "empty"
      case .inputFileNil: "no file"
      case .inputFileReadFailed(let file): file.path
      case .stringSerializationFailed: "encoding"
      case .jsonSerializationFailed(let error), .decodingFailed(let error),
        .customSerializationFailed(let error):
        error.localizedDescription
      case .invalidEmptyResponse(let type): type
      }
    }
    for (reason, word) in zip(reasons, words) {
      let error = AFError.responseSerializationFailed(reason: reason)
      #expect(error.errorDescription?.contains(word) == true)
      #expect((error.underlyingError == nil) == (word != cause.localizedDescription))
    }
  }

  private struct EventCounter: EventMonitor {
    let log: Log

    func didObserve(_ event: RequestEvent) {
      if case .ended = event.kind { log("ended") }
    }
  }

  @Test("a session takes Alamofire's monitors and its handler of cached responses")
  func sessionParameters() {
    let log = Log()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let session = Session(
      configuration: configuration, rootQueue: .main, startRequestsImmediately: false,
      cachedResponseHandler: .doNotCache, eventMonitors: [EventCounter(log: log)])
    #expect(session.cache == nil)
    // The configuration of the caller is not changed.
    #expect(configuration.urlCache != nil)
    let provider = MoyaProvider<SampleTarget>(
      stubClosure: MoyaProvider<SampleTarget>.immediatelyStub, session: session)
    provider.request(.one(1)) { _ in }
    #expect(log.all == ["ended"])
    #expect(Session(eventMonitors: [EventCounter(log: log)]).sessionConfiguration.urlCache != nil)
    let queued = Session(requestQueue: .main, serializationQueue: .main, interceptor: QualifiedInterceptor())
    #expect(queued.interceptor is QualifiedInterceptor)
    #expect(Session(startRequestsImmediately: false, interceptor: .retryPolicy).interceptor is RetryPolicy)
  }

  @Test(
    "a session has a cache only if its handler of cached responses stores them", arguments: [false, true])
  func cachedResponses(storesResponses: Bool) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let handler = storesResponses ? ResponseCacher.cache : ResponseCacher.doNotCache
    let session = Session(configuration: configuration, cachedResponseHandler: handler)
    #expect((session.cache != nil) == storesResponses)
  }

  @Test("a session with monitors uses its trust manager")
  func monitoredTrust() async {
    var noKeys = ServerTrustPolicy()
    noKeys.publicKeys = []
    let session = Session(
      configuration: .ephemeral, serverTrustManager: ServerTrustManager(evaluators: ["h": noKeys]),
      eventMonitors: [EventCounter(log: Log())])
    let provider = MoyaProvider<SampleTarget>(session: session)
    let result = await withCheckedContinuation { done in
      provider.request(.one(1)) { done.resume(returning: $0) }
    }
    guard case .failure(let error) = result, case .other(0, let reason)? = error.transferError else {
      Issue.record("\(result)")
      return
    }
    #expect(reason.contains("publicKeys"))
  }

  private final class QualifiedInterceptor: Alamofire.RequestInterceptor {
    func adapt(
      _ urlRequest: URLRequest, for session: Alamofire.Session,
      completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
      var request = urlRequest
      request.headers.add(Alamofire.HTTPHeader.authorization(bearerToken: "t"))
      completion(.success(request))
    }

    func retry(
      _ request: Alamofire.Request, for session: Alamofire.Session, dueTo error: any Error,
      completion: @escaping @Sendable (Alamofire.RetryResult) -> Void
    ) {
      completion(.doNotRetry)
    }
  }

  @Test("names may be qualified with Alamofire's module name")
  func qualifiedNames() {
    let session = Alamofire.Session(configuration: .ephemeral, interceptor: QualifiedInterceptor())
    let logged = Log()
    let logger = NetworkLoggerPlugin(
      configuration: .init(output: { _, items in items.forEach { logged($0) } }))
    let provider = MoyaProvider<SampleTarget>(
      stubClosure: MoyaProvider.immediatelyStub, session: session, plugins: [logger])
    provider.request(.one(1)) { _ in }
    #expect(logged.all.contains { $0.contains("Authorization") })
    let encodings: [any Alamofire.ParameterEncoding] = [
      Alamofire.URLEncoding.default, Alamofire.JSONEncoding.default,
    ]
    #expect(encodings.count == 2)
    #expect(Alamofire.MultipartFormData.self == RequestMultipartFormData.self)
    #expect(Alamofire.AFError.explicitlyCancelled.isExplicitlyCancelledError)
  }

  @Test("redirect handlers have Alamofire's short names, and a method has Moya's")
  func redirects() {
    let method: Moya.Method = .query
    #expect(method.rawValue == "QUERY")
    let sessions = [
      Session(configuration: .ephemeral, redirectHandler: .doNotFollow),
      Session(configuration: .ephemeral, redirectHandler: .modify { _, request, _ in request }),
      Session(
        serverTrustManager: ServerTrustManager(evaluators: [:]),
        redirectHandler: Redirector(behavior: .follow)),
    ]
    #expect(sessions.count == 3)
    guard case .follow = Redirector.follow.behavior else {
      Issue.record("it does not follow")
      return
    }
  }

  @Test("a token that the caller creates runs its closure at the first cancel")
  func token() {
    let log = Log()
    let token = Moya.CancellableToken { log("cancelled") }
    #expect(!token.isCancelled)
    #expect(token.debugDescription == "not cancelled")
    token.cancel()
    token.cancel()
    #expect(token.isCancelled)
    #expect(log.all == ["cancelled"])
  }

  @Test("the response of another HTTP client is converted to a result as in Moya")
  func conversion() throws {
    let url = URL(staticString: "http://h")
    let head = HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil)
    let request = URLRequest(url: url)
    let good = convertResponseToResult(head, request: request, data: nil, error: nil)
    #expect(try good.get().statusCode == 404)
    #expect(try good.get().data.isEmpty)
    let bad = convertResponseToResult(
      head, request: request, data: Data("x".utf8), error: URLError(.timedOut))
    guard case .failure(.underlying(let error as URLError, let response?)) = bad else {
      Issue.record("\(bad)")
      return
    }
    #expect(error.code == .timedOut)
    #expect(response.data == Data("x".utf8))
    guard
      case .failure(.underlying(let unknown as URLError, nil)) = convertResponseToResult(
        nil, request: nil, data: nil, error: nil)
    else {
      Issue.record("a response without a head")
      return
    }
    #expect(unknown.code == .unknown)
  }
}
