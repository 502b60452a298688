import AsyncHTTPClient
import CurlReference
import Foundation
import FoundationNetworking
import NIOCore
import NIOSSL
import NetworkCore
import ReactiveNetwork
import RxLite

/// The value that is decoded from each response.
struct Model: Decodable {
  let id: Int
  let name: String
  let stars: Int
}

struct API: TargetType {
  let baseURL: URL
  let path = ""
}

/// The library as users call it: a provider and its reactive extension.
func library(_ url: String, over transport: CurlTransport) throws -> RequestSender {
  let provider = NetworkProvider<API>(transport: transport)
  guard let baseURL = URL(string: url) else { throw URLError(.badURL) }
  let target = API(baseURL: baseURL)
  return { done in
    _ = provider.rx.request(target).map(Model.self)
      .subscribe(onSuccess: { _ in done(true) }, onFailure: { _ in done(false) })
  }
}

/// The transport alone.
func transport(_ url: String, over transport: CurlTransport) -> RequestSender {
  let request = TransportRequest(url: url)
  return { done in
    _ = transport.start(request) { event in
      if case .finished(let error) = event { done(error == nil) }
    }
  }
}

func urlSession(_ url: String) throws -> RequestSender {
  guard let url = URL(string: url) else { throw URLError(.badURL) }
  let session = URLSession(configuration: .ephemeral)
  return { done in
    session.dataTask(with: url) { data, _, _ in
      done(data.flatMap { try? JSONDecoder().decode(Model.self, from: $0) } != nil)
    }.resume()
  }
}

func asyncHTTPClient(_ url: String, _ client: HTTPClient) -> RequestSender {
  { done in
    client.get(url: url).whenComplete { result in
      let body = (try? result.get())?.body
      let data = body.map { Data($0.readableBytesView) }
      done(data.flatMap { try? JSONDecoder().decode(Model.self, from: $0) } != nil)
    }
  }
}

/// Creates a client that trusts a certificate, or the system's authorities.
func asyncHTTPClient(trusting certificate: String? = nil) -> HTTPClient {
  var tls = TLSConfiguration.makeClientConfiguration()
  tls.trustRoots = certificate.map { .file($0) } ?? .default
  var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
  configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
  return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}

/// Sends requests with libcurl from C, on this thread or on another; `nil` authorities are libcurl's defaults, and
/// 0 connections are any number.
func reference(
  _ url: String, authorities: String?, hasThread: Bool = false, connections: Int = 0, concurrency: Int,
  seconds: Double
) -> (latencies: [UInt64], failures: Int) {
  var latencies = [UInt64](repeating: 0, count: 2_000_000)
  let result = curl_reference_run(
    url, authorities, 1, hasThread ? 1 : 0, Int32(connections), Int32(concurrency), seconds, &latencies,
    UInt64(latencies.count))
  return (Array(latencies.prefix(Int(result.requests))), Int(result.failures))
}
