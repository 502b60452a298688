import AsyncHTTPClient
import CurlReference
import Foundation
import FoundationNetworking
import NIOCore
import NetworkCore
import Processes
import ReactiveNetwork
import RxLite

/// Starts one request for a URL; the closure is called with `true` if the request succeeded.
typealias RequestSender = (String, @escaping @Sendable (Bool) -> Void) -> Void

private struct API: TargetType {
  let baseURL: URL
  let path = ""
  let timeout: Duration? = .seconds(600)
}

/// The clients by name; each closure keeps alive what its client needs.
let clients: [(name: String, make: (_ requests: Int) throws -> RequestSender)] = [
  (
    "CurlTransport",
    { _ in
      let transport = try CurlTransport()
      return { url, done in
        _ = transport.start(TransportRequest(url: url, idleTimeout: .seconds(600))) { event in
          if case .finished(let error) = event { done(error == nil) }
        }
      }
    }
  ),
  (
    "rx.request",
    { _ in
      let provider = NetworkProvider<API>(transport: try CurlTransport())
      return { url, done in
        guard let url = URL(string: url) else { return done(false) }
        _ = provider.rx.request(API(baseURL: url))
          .subscribe(onSuccess: { _ in done(true) }, onFailure: { _ in done(false) })
      }
    }
  ),
  (
    "URLSession",
    { requests in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpMaximumConnectionsPerHost = requests
      configuration.timeoutIntervalForRequest = 600
      let session = URLSession(configuration: configuration)
      return { url, done in
        guard let url = URL(string: url) else { return done(false) }
        session.dataTask(with: url) { data, _, _ in done(data != nil) }.resume()
      }
    }
  ),
  (
    "AsyncHTTPClient",
    { requests in
      var configuration = HTTPClient.Configuration()
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = requests
      let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      return { url, done in
        client.get(url: url).whenComplete { result in done((try? result.get()) != nil) }
      }
    }
  ),
  ("libcurl multi in C, file", { requests in CurlBatches([1, requests]).add }),
]

/// Requests with libcurl from C, which starts a number of them together on a thread of its own.
private final class CurlBatches {
  private var sizes: [Int]
  private var waiting: [@Sendable (Bool) -> Void] = []

  /// Creates a client; `sizes` are the numbers of requests to start together, first to last.
  init(_ sizes: [Int]) { self.sizes = sizes.reversed() }

  /// Adds a request, and starts all that wait if they are enough.
  ///
  /// All of them have the same URL.
  func add(_ url: String, _ done: @escaping @Sendable (Bool) -> Void) {
    waiting.append(done)
    guard let size = sizes.last, waiting.count == size else { return }
    sizes.removeLast()
    let batch = waiting
    waiting = []
    Thread.detachNewThread {
      let result = curl_reference_run(url, systemAuthorities, 0, 0, 0, Int32(size), 0, nil, 0)
      for (index, done) in batch.enumerated() { done(index < Int(result.requests - result.failures)) }
    }
  }
}
