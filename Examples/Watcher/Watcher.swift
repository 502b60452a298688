import ReactiveNetwork

/// A service to watch.
struct ServiceTarget: TargetType {
  let baseURL: URL
  var path: String { "" }
  var headers: [String: String]? { ["User-Agent": "watcher"] }
}

/// The result of one request, as a line of the output.
struct ServiceReport: Encodable {
  let time: Date
  let service: String
  var status: Int?
  var bytes: Int?
  var milliseconds: Double?
  var error: String?
}

/// Polls services.
struct Watcher {
  let provider: NetworkProvider<ServiceTarget>
  let activity = ActivityIndicator()

  init(waterfall: WaterfallPlugin? = nil) {
    provider = NetworkProvider(plugins: waterfall.map { [$0] } ?? [])
  }

  /// Emits the reports of all services, as they arrive.
  func reports(on services: [URL], every interval: TimeInterval, rounds: Int?) -> Observable<ServiceReport> {
    Observable.merge(
      services.map { url in
        let reports = report(on: url).poll(every: .milliseconds(Int(interval * 1000)))
        return rounds.map { reports.take($0) } ?? reports
      })
  }

  private func report(on url: URL) -> Single<ServiceReport> {
    provider.rx.request(ServiceTarget(baseURL: url))
      .filterSuccessfulStatusCodes()
      .retry(backoff: .exponential(initial: .milliseconds(50)), maxAttempts: 5)
      .requestTimeout(.seconds(30))
      .trackActivity(activity)
      .map { response in
        ServiceReport(
          time: Date(), service: url.absoluteString, status: response.statusCode, bytes: response.data.count,
          milliseconds: response.metrics.map { ($0.total * 1e6).rounded() / 1e3 })
      }
      .catch { error in
        .just(
          ServiceReport(
            time: Date(), service: url.absoluteString, status: (error as? NetworkError)?.response?.statusCode,
            error: error.localizedDescription))
      }
  }
}
