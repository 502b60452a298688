import ReactiveNetwork
import ReactiveNetworkExamples

launch("watcher", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  let timeline = try arguments.timeline.map { try TimelineFile(path: $0, program: "watcher") }
  let demo = arguments.urls.isEmpty ? try DemoServices() : nil
  let services = demo?.urls ?? arguments.urls
  let program = Program(
    watcher: Watcher(waterfall: timeline?.waterfall), rounds: arguments.rounds, file: arguments.file)
  let isWell = try program.run(Configuration(services: services, interval: arguments.interval))
  let isTimelineWritten = timeline?.write(title: "Watching \(services.count.counted("service"))") ?? true
  return isTimelineWritten && isWell ? 0 : 1
}
