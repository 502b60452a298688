import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock
import LoopbackServer

launch("watcher", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  let timeline = try arguments.timeline.map { try TimelineFile(path: $0, program: "watcher") }
  // The built-in services: one responds at once, one is slow, and one fails every other time.
  let server = arguments.urls.isEmpty ? try LoopbackServer { _ in .json(#"{"queue": 3}"#) } : nil
  server?.route("/weather") { _ in .json(#"{"degrees": 21}"#).delayed(by: .milliseconds(50)) }
  let isBroken = Lock(false)
  server?.route("/builds") { _ in
    isBroken.withLock { isBroken in
      isBroken.toggle()
      return isBroken
    } ? .status(503) : .json(#"{"green": true}"#)
  }
  let services =
    server.map { server in ["queue", "weather", "builds"].map { server.baseURL.appending(path: $0) } }
    ?? arguments.urls

  let encoder = JSONEncoder()
  encoder.dateEncodingStrategy = .iso8601
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]

  let watcher = Watcher(waterfall: timeline?.waterfall)
  let latest = Lock([String: ServiceReport]())
  let end = watcher.reports(on: services, every: arguments.interval, rounds: arguments.rounds)
    .take(until: terminationSignals())
    // Serialized, because the reports come from several requests at a time.
    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "output"))
    .do(onNext: { report in
      latest.withLock { $0[report.service] = report }
      try output(String(decoding: encoder.encode(report), as: UTF8.self) + "\n")
    })
    .ignoreElements()
    .toBlocking().materialize()

  // The requests are released only after the sequence has ended.
  let idle = try? watcher.activity.inFlight.filter { $0 == 0 }.toBlocking(timeout: 1).first()
  if case .failed(_, let error) = end { throw error }
  let isTimelineWritten = timeline?.write(title: "Watching \(services.count.counted("service"))") ?? true
  let isWell = latest.withLock { $0.values.allSatisfy { $0.error == nil } }
  return isTimelineWritten && idle == 0 && isWell ? 0 : 1
}
