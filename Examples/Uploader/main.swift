import ReactiveNetworkExamples
import Foundation

launch("uploader", help: Arguments.help) { words throws(Rejection) in
  try Arguments(&words)
} run: { arguments in
  var arguments = arguments
  let canvas = try arguments.timeline.map { try Canvas(path: $0, program: "uploader") }
  let demo = arguments.place == nil ? try DemoServer(for: &arguments) : nil
  defer { demo?.tidyUp() }
  guard let place = arguments.place else { return 2 }
  let tally = Tally(timeout: arguments.timeout, field: "Upload-Offset")
  let uploader = Uploader(arguments, to: place, tally: tally, waterfall: canvas?.waterfall)
  let (failures, signal) = try follow(arguments.files.map(\.lastPathComponent), uploader.steps)
  let isDrawn = canvas?.draw(title: "Uploads to \(place.host ?? "a server")") ?? true
  if let signal {
    try? output("interrupted: the same command resumes if the server reports how much it has\n")
    return 128 + signal
  }
  let done = "\((arguments.files.count - failures).counted("file")) uploaded"
  let status = try conclude("uploader", done, failures: failures, tally, demo?.server)
  return isDrawn ? status : 1
}
