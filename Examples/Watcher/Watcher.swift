import NetworkWaterfall
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

  /// The report as a line of JSON.
  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}

/// Polls services.
struct Watcher {
  /// The limit for a request with its retries.
  static let requestLimit = Duration.seconds(30)

  let provider: NetworkProvider<ServiceTarget>
  let activity = ActivityIndicator()

  init(waterfall: WaterfallPlugin? = nil) {
    provider = NetworkProvider(plugins: waterfall.map { [$0] } ?? [])
  }

  /// Emits the reports of all services, as they arrive.
  func reports(for configuration: Configuration, rounds: Int?) -> Observable<ServiceReport> {
    Observable.merge(
      configuration.services.map { url in
        let reports = report(on: url).poll(every: .milliseconds(Int(configuration.interval * 1000)))
        return rounds.map { reports.take($0) } ?? reports
      })
  }

  private func report(on url: URL) -> Single<ServiceReport> {
    provider.rx.request(ServiceTarget(baseURL: url))
      .filterSuccessfulStatusCodes()
      .retry(backoff: .exponential(initial: .milliseconds(50)), maxAttempts: 5)
      .requestTimeout(.seconds(Int(Self.requestLimit.components.seconds)))
      .trackActivity(activity)
      .map { response in
        ServiceReport(
          time: Date(), service: url.absoluteString, status: response.statusCode, bytes: response.data.count,
          milliseconds: response.metrics.map { ($0.total / .microseconds(1)).rounded() / 1e3 })
      }
      .catch { error in
        .just(
          ServiceReport(
            time: Date(), service: url.absoluteString, status: (error as? NetworkError)?.response?.statusCode,
            error: error.localizedDescription))
      }
  }
}
