import ReactiveNetwork

/// A service to watch.
struct Service: TargetType {
  let baseURL: URL
  var path: String { "" }
  var headers: [String: String]? { ["User-Agent": "watcher"] }
}

/// The result of one request, as a line of the output.
struct Report: Encodable {
  let time: Date
  let service: String
  var status: Int?
  var bytes: Int?
  var milliseconds: Double?
  var error: String?
}

/// Polls services.
struct Watcher {
  let provider: NetworkProvider<Service>
  let activity = ActivityIndicator()

  init(waterfall: WaterfallPlugin? = nil) {
    provider = NetworkProvider(plugins: waterfall.map { [$0] } ?? [])
  }

  /// Emits the reports of all services, as they arrive.
  func reports(on services: [URL], every interval: TimeInterval, rounds: Int?) -> Observable<Report> {
    Observable.merge(
      services.map { url in
        let reports = question(to: url).poll(every: .milliseconds(Int(interval * 1000)))
        return rounds.map { reports.take($0) } ?? reports
      })
  }

  private func question(to url: URL) -> Single<Report> {
    provider.rx.request(Service(baseURL: url))
      .filterSuccessfulStatusCodes()
      .retry(backoff: .exponential(initial: .milliseconds(50)), maxAttempts: 5)
      .requestTimeout(.seconds(30))
      .trackActivity(activity)
      .map { response in
        Report(
          time: Date(), service: url.absoluteString, status: response.statusCode, bytes: response.data.count,
          milliseconds: response.metrics.map { ($0.total * 1e6).rounded() / 1e3 })
      }
      .catch { error in
        .just(
          Report(
            time: Date(), service: url.absoluteString, status: (error as? NetworkError)?.response?.statusCode,
            error: error.localizedDescription))
      }
  }
}
