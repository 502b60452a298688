import ReactiveNetwork
import ReactiveNetworkExamples

launch("downloader", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  let timeline = try arguments.timeline.map { try TimelineFile(path: $0, program: "downloader") }
  let demo = arguments.items.isEmpty ? try DemoServer() : nil
  let items = demo?.items ?? arguments.items
  let directory = arguments.directory ?? demo?.folder ?? URL(fileURLWithPath: ".")

  let counter = RequestCounterPlugin(timeout: arguments.timeout, field: "Range")
  let plugins: [any PluginType] = [counter] + (timeline.map { [$0.waterfall] } ?? [])
  let downloader = Downloader(provider: NetworkProvider(plugins: plugins), directory: directory)
  let (failures, signal) = try showProgress(
    of: items.map(\.name), downloader.updates(of: items, concurrency: arguments.concurrency))
  let isTimelineWritten = timeline?.write(title: "Downloads to \(directory.path)") ?? true
  if let signal {
    try? output("interrupted: the same command resumes the files in \(directory.path)\n")
    return 128 + signal
  }

  if let demo, failures == 0 { try? FileManager.default.removeItem(at: demo.folder) }
  let done = "\((items.count - failures).counted("file")) complete"
  let status = try printSummary("downloader", done, failures: failures, counter, demo?.server)
  return isTimelineWritten ? status : 1
}
