import NetworkWaterfall
import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// A request to the server.
struct UploadTarget: TargetType, AccessTokenAuthorizable {
  let baseURL: URL
  var path = ""
  var method = HTTPMethod.post
  var task = HTTPTask.requestPlain
  var headers: [String: String]? = ["User-Agent": "uploader"]
  var authorizationType: AuthorizationType? = .bearer
}

/// Uploads files; the core of the program.
struct Uploader {
  let arguments: Arguments
  let destination: URL
  let provider: NetworkProvider<UploadTarget>
  let refresher: TokenRefresher

  init(
    _ arguments: Arguments, to destination: URL, counter: RequestCounterPlugin,
    waterfall: WaterfallPlugin? = nil
  ) {
    let token = Lock(arguments.token)
    let tokens = AccessTokenPlugin { _ in token.withLock { $0 } }
    let common: [any PluginType] = [counter] + (waterfall.map { [$0] } ?? [])
    let provider = NetworkProvider<UploadTarget>(
      plugins: arguments.token.isEmpty ? common : common + [tokens])
    let tokenURL = arguments.tokenURL
    refresher = TokenRefresher(isRefusal: { $0.isUnauthorized && tokenURL != nil }) {
      provider.rx.request(UploadTarget(baseURL: tokenURL ?? destination, authorizationType: nil))
        .filterSuccessfulStatusCodes()
        .map(String.self, atKeyPath: "token")
        .map { new in token.withLock { $0 = new } }
    }
    (self.arguments, self.destination, self.provider) = (arguments, destination, provider)
  }

  /// The events of the files, of which at most `concurrency` are uploaded at a time.
  var updates: Observable<TransferUpdate> {
    Observable.from(Array(arguments.files.enumerated()))
      .map { index, file in events(of: file).map { TransferUpdate(index, $0) } }
      .merge(maxConcurrent: arguments.concurrency)
  }

  /// Uploads one file; an error becomes an event, so that the other files continue.
  private func events(of file: URL) -> Observable<TransferUpdate.Event> {
    Observable.create { observer in
      Single.deferred { attempt(file, try length(of: file)) { observer.onNext($0) } }
        .do(onError: { if $0.isUnauthorized { observer.onNext(.note(explanation(of: $0))) } })
        .refreshingToken(with: refresher)
        // Hashing takes time, so it does not run on the thread that serves all transfers.
        .observe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
        .map { try outcome(of: file, $0) }
        .asObservable()
        .subscribe(observer)
    }
    .retryingWhileProgressing()
    .catch { .just(.failed(explanation(of: $0))) }
  }

  /// Asks how much of the file the server has, and sends the rest.
  private func attempt(
    _ file: URL, _ length: Int64, _ report: @escaping @Sendable (TransferUpdate.Event) -> Void
  ) -> Single<Response> {
    provider.rx.request(UploadTarget(baseURL: destination, path: file.lastPathComponent, method: .head))
      .map { try $0.offset(in: length) }
      .flatMap { offset in
        provider.rx.upload(rest(of: file, offset, length))
          .do(onNext: {
            report(
              .transferred($0.completed ? length : min(length, offset + $0.completedUnitCount), of: length))
          })
          .filterCompleted()
          .asSingle()
      }
      .filterSuccessfulStatusCodes()
  }

  private func rest(of file: URL, _ offset: Int64, _ length: Int64) -> UploadTarget {
    let rest = BodyStream(length: length - offset) { [rate = arguments.rate] onBytesAvailable in
      try RateLimitedFileReader(file, from: offset, rate: rate, onBytesAvailable: onBytesAvailable)
    }
    let part = MultipartFormBodyPart(
      provider: .stream(rest), name: arguments.field, fileName: file.lastPathComponent)
    return UploadTarget(
      baseURL: destination, task: .uploadMultipartFormData([part]),
      headers: ["User-Agent": "uploader", "Upload-Offset": "\(offset)", "Upload-Length": "\(length)"])
  }

  /// Compares the SHA-256 in the response, if there is one, with that of the local file.
  private func outcome(of file: URL, _ response: Response) throws -> TransferUpdate.Event {
    guard let sum = try? response.map(String.self, atKeyPath: "sha256") else { return .done("") }
    let own = try SHA256.hex(ofFile: file)
    return sum == own ? .done("SHA-256 matches") : .failed("the server has SHA-256 \(sum), this file \(own)")
  }
}

/// Returns the size of a file in bytes; throws if it is not a regular file.
private func length(of file: URL) throws -> Int64 {
  let attributes = try FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
  guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int64 else {
    throw ProgramError("not a file")
  }
  return size
}

extension Response {
  /// Returns the number of bytes that the server has of a file of this length; 0 if the server does not say.
  fileprivate func offset(in length: Int64) throws -> Int64 {
    let refusal = NetworkError.statusCode(self)
    if refusal.isTransient || refusal.isUnauthorized { throw refusal }
    let offset = headers["Upload-Offset"].flatMap { Int64($0) } ?? 0
    return headers["Upload-Length"] == "\(length)" && (0...length).contains(offset) ? offset : 0
  }
}
