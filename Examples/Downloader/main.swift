import ReactiveNetwork
import ReactiveNetworkExamples

launch("downloader", help: Arguments.help) { words throws(Rejection) in
  try Arguments(&words)
} run: { arguments in
  let canvas = try arguments.timeline.map { try Canvas(path: $0, program: "downloader") }
  let demo = arguments.items.isEmpty ? try DemoServer() : nil
  let items = demo?.items ?? arguments.items
  let directory = arguments.directory ?? demo?.folder ?? URL(fileURLWithPath: ".")

  let tally = Tally(timeout: arguments.timeout, field: "Range")
  let plugins: [any PluginType] = [tally] + (canvas.map { [$0.waterfall] } ?? [])
  let downloader = Downloader(provider: NetworkProvider(plugins: plugins), directory: directory)
  let (failures, signal) = try follow(
    items.map(\.name), downloader.steps(of: items, concurrency: arguments.concurrency))
  let isDrawn = canvas?.draw(title: "Downloads to \(directory.path)") ?? true
  if let signal {
    try? output("interrupted: the same command resumes the files in \(directory.path)\n")
    return 128 + signal
  }

  if let demo, failures == 0 { try? FileManager.default.removeItem(at: demo.folder) }
  let done = "\((items.count - failures).counted("file")) complete"
  let status = try conclude("downloader", done, failures: failures, tally, demo?.server)
  return isDrawn ? status : 1
}
