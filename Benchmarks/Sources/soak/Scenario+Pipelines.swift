import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite

private struct Model: Decodable, Equatable, Sendable {
  var id = 7
  var name = "a model"
}

/// The failures of orders that never come from the server.
private let disturbances: Set<String?> = ["circuitOpen", "queueFull", "waitedTooLong", "cannotConnect"]

extension ServerAddresses {
  /// Pipelines of the provider with all policies.
  func pipelines(_ origin: String) -> [Scenario] {
    let suffix = origin == plain ? "" : " over HTTP/2"
    @Sendable func target(_ name: String, _ path: String, query: String? = nil) -> SoakTarget {
      SoakTarget(origin: origin, path: path, scenario: name + suffix, query: query)
    }
    func scenario(
      _ name: String, weight: Int, cancelled: Bool = false,
      _ run: @escaping @Sendable (SoakClient, Int) -> Single<Outcome>
    ) -> Scenario {
      Scenario(name: name + suffix, weight: weight, client: .pipeline(run), isCancelled: cancelled) {
        outcome in
        if cancelled { return outcome.isOfCancelledRun }
        if case .complete = outcome { return true }
        if case .failure(let error) = outcome { return error is PlannedFailure }
        return false
      }
    }
    var all = [
      scenario("model", weight: 20) { client, _ in
        client.provider.rx.request(target("model", "/model")).map(Model.self)
          .map { .comparing($0, Model()) }
      },
      scenario("cached page", weight: 10) { client, number in
        let page = number % 200
        return client.provider.rx.request(target("cached page", "/page", query: "n=\(page)")).mapString()
          .map { .comparing($0, pageText(page)) }
      },
      scenario("token", weight: 4) { client, _ in
        client.provider.rx.request(target("token", "/private")).mapString().map { .comparing($0, text) }
      },
      scenario("failing now and then", weight: 4) { client, _ in
        client.provider.rx.request(target("failing now and then", "/flaky"))
          .retry(backoff: .exponential(initial: .milliseconds(5), max: .milliseconds(50)), maxAttempts: 20)
          .mapString().map { .comparing($0, text) }
      },
      scenario("order", weight: 8) { client, number in
        var order = target("order", "/order", query: "id=\(number)")
        order.method = .post
        return client.provider.rx.request(order).map { _ in .complete }
          .catch { error in
            let kind = Outcome.failure(error).failureKind
            let isPlanned = mayFail(order: number) && !disturbances.contains(kind)
            return .error(isPlanned ? PlannedFailure() : error)
          }
      },
      scenario("upload", weight: 1) { client, _ in
        var upload = target("upload", "/upload")
        upload.method = .put
        upload.task = .uploadFile(client.upload)
        return client.provider.rx.requestWithProgress(upload).filterCompleted().asSingle().mapString()
          .map { .comparing($0, "\(checksum(pattern(uploadCount)))") }
      },
      scenario("download", weight: 1) { client, number in
        let file = client.folder.appending(path: "download-\(number)")
        return client.provider.rx.download(target("download", "/file"), to: file).filterCompleted().asSingle()
          .retry(backoff: .constant(.milliseconds(5)), maxAttempts: 20)
          .map { _ in .comparing(checksum(try Data(contentsOf: file)), checksum(pattern(fileCount))) }
          .do(onDispose: {
            for path in [file.path(), file.path() + ".part", file.path() + ".part.json"] {
              try? FileManager.default.removeItem(atPath: path)
            }
          })
      },
      scenario("lines", weight: 2) { client, _ in
        client.provider.rx.lines(target("lines", "/lines")).toArray()
          .map { .comparing($0.compactMap { Int($0) }, Array(0..<lineCount)) }
      },
      scenario("events", weight: 2) { client, _ in
        client.provider.rx.events(target("events", "/events"), reconnectionTime: .milliseconds(5))
          .take(20).toArray()
          .map { .comparing($0.compactMap { Int($0.id) }, Array(1...20)) }
      },
      scenario("search", weight: 2) { client, _ in
        Observable<Int>.interval(.milliseconds(3), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
          .take(4)
          .flatMapLatest { word in
            client.provider.rx.request(target("search", "/search", query: "word=\(word)")).mapString()
          }
          .takeLast(1).asSingle()
          .map { .comparing($0, "found 3") }
      },
      scenario("disposed model", weight: 2, cancelled: true) { client, _ in
        client.provider.rx.request(target("disposed model", "/trickle"))
          .map { .response(status: $0.statusCode, body: $0.data) }
      },
      scenario("disposed events", weight: 1, cancelled: true) { client, _ in
        client.provider.rx.events(target("disposed events", "/events")).take(1_000).toArray()
          .map { _ in .wrong("the server sends no thousand events in 20 ms") }
      },
    ]
    // LoopbackServer has WebSockets over HTTP/1.1 only.
    if origin == plain {
      all.append(
        scenario("socket", weight: 2) { client, number in
          let words = (0..<20).map { "\(number) \($0)" }
          let outgoing = Observable.from(words.map { WebSocketMessage.text($0) })
          return client.provider.rx
            .webSocket(target("socket", "/socket"), sending: outgoing, closesAfterSending: true)
            .toArray()
            .map { .comparing($0.compactMap(\.text), words) }
        })
    }
    return all
  }
}

extension Outcome {
  fileprivate static func comparing<Value: Equatable>(_ value: Value, _ expected: Value) -> Self {
    value == expected
      ? .complete : .wrong("\("\(value)".prefix(100)) instead of \("\(expected)".prefix(100))")
  }
}
