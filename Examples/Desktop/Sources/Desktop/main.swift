import CGTK
import Dispatch
import LoopbackServer
import MainLoops
import ReactiveNetwork

let help = """
  Searches repositories in a window whose requests are cancelled while one types and scrolls.

  usage: swift run --package-path Examples/Desktop Desktop [--url URL | --latency SECONDS]

    --url URL          a code host with GitHub's search, such as
                       https://api.github.com (default: a server in this process)
    --latency SECONDS  how long the server in this process takes to respond (0.5)

  Prints each request and how it ends. At the end, it prints how many requests it
  has sent and cancelled, and what the server in this process has seen of them;
  they must agree for status 0.
  """

/// Runs the window until it is closed; returns the exit status.
@MainActor func run(host: URL?, latency: Duration) throws -> Int32 {
  // Without this, neither the window's subscriptions nor the signal's handler would ever run.
  try GLibMainLoop.attachMainQueue()
  let server = host == nil ? try DemoServer.start(latency: latency) : nil
  guard let url = host ?? server?.baseURL,
    // Without a unique instance, no session bus is needed.
    let application = gtk_application_new("org.example.search", G_APPLICATION_NON_UNIQUE)
  else { return 1 }
  let counter = RequestCounter()
  let provider = NetworkProvider<CodeHost>(plugins: [counter])
  let pipelines = Pipelines(provider: provider, host: url)
  var window: SearchWindow?
  connect(application, "activate") {
    window = SearchWindow(of: application, pipelines, counts: counter.counts.asObservable()) { window = nil }
  }
  signal(SIGTERM, SIG_IGN)
  let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  termination.setEventHandler { window?.close() }
  termination.resume()

  let status = g_application_run(
    UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self), 0, nil)
  g_object_unref(application)
  guard status == 0 else { return status }
  // The last requests were cancelled with the window.
  let log = try server?.waitUntil { $0.pending == 0 }
  _ = try? counter.counts.filter { $0.searches.pending + $0.pictures.pending == 0 }
    .timeout(.seconds(10), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)).take(1).toBlocking()
    .first()
  let summary = Summary(counts: counter.counts.value, log: log)
  print(summary.text)
  return summary.agrees ? 0 : 1
}

let arguments = Array(CommandLine.arguments.dropFirst())
let value = arguments.count == 2 ? arguments[1] : ""
let url = arguments.first == "--url" ? URL(string: value) : nil
let latency = arguments.first == "--latency" ? Double(value) : 0.5
guard arguments.isEmpty || url != nil || arguments.first == "--latency", let latency,
  (0...60).contains(latency)
else {
  print(help)
  exit(arguments == ["--help"] ? 0 : 2)
}
do {
  exit(try run(host: url, latency: .seconds(latency)))
} catch {
  try? FileHandle.standardError.write(contentsOf: Data("desktop: \(error.localizedDescription)\n".utf8))
  exit(1)
}
