import ReactiveNetworkExamples
import ReactiveNetwork

/// The latest result of each watched service.
struct Health {
  private struct Entry {
    /// The time of the latest report, or of the beginning.
    var reported = SuspendingClock.now
    var isFailing = false
  }

  private var entries: [String: Entry] = [:]
  private var longestSilence = Duration.zero

  /// Begins to watch the services of a configuration, and keeps what is known about them.
  mutating func watch(_ configuration: Configuration) {
    let names = configuration.services.map(\.absoluteString)
    let isFailing = Set(entries.filter(\.value.isFailing).keys)
    entries = Dictionary(names.map { ($0, Entry(isFailing: isFailing.contains($0))) }) { $1 }
    // The rest is for a machine that is too busy to run the pipeline in time.
    longestSilence = .seconds(configuration.interval) + Watcher.requestLimit + .seconds(10)
  }

  /// Records a report; returns a message if the service has begun to fail, or has recovered.
  mutating func record(_ report: ServiceReport) -> (level: LogLevel, text: String)? {
    // A report may arrive after a reload has removed its service.
    guard let entry = entries[report.service] else { return nil }
    entries[report.service] = Entry(isFailing: report.error != nil)
    switch (entry.isFailing, report.error) {
    case (false, let error?): return (.warning, "\(report.service) fails: \(error)")
    case (true, nil): return (.notice, "\(report.service) has recovered")
    default: return nil
    }
  }

  /// `true` if the latest result of each service is a success.
  var isWell: Bool { entries.values.allSatisfy { !$0.isFailing } }

  /// `true` if each service has been reported on within the time that its request and the interval may take.
  var isAlive: Bool {
    let now = SuspendingClock.now
    return entries.values.allSatisfy { $0.reported.duration(to: now) < longestSilence }
  }

  /// A line for the service manager.
  var status: String {
    let failing = entries.values.count(where: \.isFailing)
    return entries.count.counted("service") + (failing == 0 ? ", all well" : ", \(failing) failing")
  }
}
