import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore
import NetworkCore
import ReactiveNetwork
import RxLite

/// Starts one request for a URL; the closure is called with `true` if the request succeeded.
typealias RequestSender = (String, @escaping @Sendable (Bool) -> Void) -> Void

private struct API: TargetType {
  let baseURL: URL
  let path = ""
  let timeout: TimeInterval? = 600
}

/// The clients by name; each closure keeps alive what its client needs.
let clients: [(name: String, make: (_ requests: Int) throws -> RequestSender)] = [
  (
    "CurlTransport",
    { _ in
      let transport = try CurlTransport()
      return { url, done in
        _ = transport.start(TransportRequest(url: url, idleTimeout: 600)) { event in
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
]
