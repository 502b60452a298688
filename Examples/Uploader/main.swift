import ReactiveNetworkExamples
import Foundation

launch("uploader", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  var arguments = arguments
  let timeline = try arguments.timeline.map { try TimelineFile(path: $0, program: "uploader") }
  let demo = arguments.destination == nil ? try DemoServer(for: &arguments) : nil
  defer { demo?.removeFiles() }
  guard let destination = arguments.destination else { return 2 }
  let counter = RequestCounterPlugin(timeout: arguments.timeout, field: "Upload-Offset")
  let uploader = Uploader(arguments, to: destination, counter: counter, waterfall: timeline?.waterfall)
  let (failures, signal) = try showProgress(of: arguments.files.map(\.lastPathComponent), uploader.updates)
  let isTimelineWritten = timeline?.write(title: "Uploads to \(destination.host ?? "a server")") ?? true
  if let signal {
    try? output("interrupted: the same command resumes if the server reports how much it has\n")
    return 128 + signal
  }
  let done = "\((arguments.files.count - failures).counted("file")) uploaded"
  let status = try printSummary("uploader", done, failures: failures, counter, demo?.server)
  return isTimelineWritten ? status : 1
}
