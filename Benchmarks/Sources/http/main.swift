import Foundation
import NetworkCore
import Processes

// `--seconds 1` shortens each run; `--bursts` measures only requests that start at the same time.
let seconds = numericOption("--seconds", default: 2.0)

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--new-connections", words.count > 1 {
  try measureNewConnections(words[1], seconds: seconds)
  exit(0)
}

let answer =
  #"{"id":123456,"stars":42,"name":"an object of about two hundred bytes","list":[1,2,3,4,5,6,7,8,9,10],"#
  + #""nested":{"a":1.5,"b":true,"c":null},"text":"Enough words to make two hundred bytes of it."}"#
if words.first == "--bursts" {
  try measureBursts(answer: answer)
  exit(0)
}
let server: Nginx
do { server = try Nginx(location: "return 200 '\(answer)';") } catch let unavailable as Nginx.UnavailableError
{
  print(unavailable)
  exit(0)
}
defer { server.stop() }

var configuration = CurlConfiguration()
configuration.tls.authorities = .file(server.certificate)
let curl = try CurlTransport(configuration: configuration)
// As many threads as AsyncHTTPClient has.
configuration.threads = ProcessInfo.processInfo.activeProcessorCount
let threaded = try CurlTransport(configuration: configuration)
let peer = asyncHTTPClient(trusting: server.certificate)
defer { try? peer.syncShutdown() }

LoadResultTable.printHead()
var loadResults: [LoadResult] = []
for (version, url) in [("HTTP/1.1", server.plainURL), ("HTTP/2", server.secureURL)] {
  var clients: [(String, RequestSender)] = [
    ("rx.request.map", try library(url, over: curl)),
    ("rx.request.map, \(configuration.threads) threads", try library(url, over: threaded)),
    ("CurlTransport", transport(url, over: curl)),
    ("AsyncHTTPClient + JSONDecoder", asyncHTTPClient(url, peer)),
  ]
  // FoundationNetworking can only trust the system's certificates.
  if version == "HTTP/1.1" { clients.append(("URLSession + JSONDecoder", try urlSession(url))) }
  for concurrency in [1, 16, 64, 256] {
    let references = [("libcurl multi in C", false), ("libcurl multi in C, own thread", true)]
    var row = references.map { name, hasThread in
      measure(name, version: version, concurrency: concurrency) {
        reference(
          url, authorities: server.certificate, hasThread: hasThread, concurrency: concurrency,
          seconds: seconds)
      }
    }
    for (name, send) in clients {
      _ = LoadGenerator.run(concurrency: concurrency, seconds: seconds / 10, send: send)
      row.append(
        measure(name, version: version, concurrency: concurrency) {
          LoadGenerator.run(concurrency: concurrency, seconds: seconds, send: send)
        })
    }
    if concurrency == 1 {
      for (name, send) in clients {
        row.append(
          measure("\(name), awaited", version: version, concurrency: 1) {
            LoadGenerator.runAwaited(seconds: seconds, send: send)
          })
      }
    }
    LoadResultTable.print(row)
    loadResults += row
  }
}

let closingServer = try Nginx(location: "keepalive_timeout 0; return 200 '\(answer)';")
defer { closingServer.stop() }
let newConnections = try newConnectionResults(closingServer, seconds: seconds)
if newConnections.isEmpty { print("skipped: new TLS connections, which need unshare and mount") }
for concurrency in [1, 16] {
  LoadResultTable.print(newConnections.filter { $0.concurrency == concurrency })
}
loadResults += newConnections

try measureBursts(answer: answer)

let results = URL(filePath: #filePath).appending(path: "../../../results").standardizedFileURL
let file = results.appending(path: "http.json")
let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
try encoder.encode(loadResults).write(to: file, options: .atomic)
try chart(of: loadResults).svg
  .write(to: results.appending(path: "http.svg"), atomically: true, encoding: .utf8)
print("\nwritten: \(file.path()) and http.svg in the same folder")
