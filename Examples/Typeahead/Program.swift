import ReactiveNetwork
import ReactiveNetworkExamples
import Dispatch
import ReactiveNetworkLock
import LoopbackServer

/// Assembles the parts, runs them and prints the summary.
struct Program {
  let arguments: Arguments

  /// Runs the program; returns the exit status.
  func run() throws -> Int32 {
    let timeline = try arguments.timeline.map { try TimelineFile(path: $0, program: "typeahead") }
    let server = arguments.baseURL == nil ? try SearchServer.start() : nil
    defer { server?.stop() }
    guard let host = arguments.baseURL ?? server?.baseURL else { return 1 }
    let name = server == nil ? host.absoluteString : "the built-in catalogue"

    let isFullScreen =
      arguments.isInteractive && Console.isTerminal(STDIN_FILENO) && Console.isTerminal(STDOUT_FILENO)
    let screen = isFullScreen ? Screen(host: name) : nil
    let transcript = Transcript()
    let marks = timeline.map { TimelineMarks(waterfall: $0.waterfall) }
    let counter = EventCounter(views: [screen ?? transcript] + (marks.map { [$0] } ?? []))
    let (keys, quit) = (PublishSubject<Key>(), PublishSubject<Void>())
    let finished = DispatchSemaphore(value: 0)
    let pipeline = SearchPipeline(
      provider: provider([counter] + (timeline.map { [$0.waterfall] } ?? [])), host: host,
      quietInterval: .milliseconds(arguments.isInteractive ? 250 : 120), typed: counter.typed)
    let subscription = pipeline.outcomes(keys: keys, quit: quit).subscribe(
      onNext: counter.rendered, onDisposed: { finished.signal() })
    defer { subscription.dispose() }

    let signal = Lock<Int32?>(nil)
    if arguments.isInteractive {
      let signals = terminationSignals().subscribe(onNext: { number in
        signal.withLock { $0 = number }
        quit.onNext(())
      })
      defer { signals.dispose() }
      let terminal = RawTerminalMode()
      if let screen { screen.open() } else { transcript.begin(name) }
      Keyboard.start(into: keys, quit: quit)
      finished.wait()
      screen?.close()
      terminal?.restore()
    } else {
      transcript.begin(name)
      TypingScript.standard.play(into: keys, counter: counter, server: server, timeout: arguments.timeout)
      quit.onNext(())
      finished.wait()
    }
    counter.wait(2, until: \.allRequestsEnded)
    _ = try? server?.waitUntil(timeout: .seconds(2)) { $0.pending == 0 }
    let summary = Summary(counts: counter.current, log: server?.log)
    let isTimelineWritten = timeline?.write(title: "Searching \(name)") ?? true
    if let signal = signal.withLock({ $0 }) { return 128 + signal }
    return report(summary) == 0 && isTimelineWritten ? 0 : 1
  }

  private func provider(_ plugins: [any PluginType]) -> NetworkProvider<CodeHost> {
    let timeout = arguments.timeout
    return NetworkProvider(
      requestClosure: { endpoint, done in
        NetworkProvider<CodeHost>.defaultRequestMapping(for: endpoint) { built in
          done(built.map { $0.timingOut(after: timeout) })
        }
      }, plugins: plugins)
  }

  private func report(_ summary: Summary) -> Int32 {
    let text =
      Console.isTerminal(STDOUT_FILENO) ? summary.text.wrapped(to: Console.size.columns) : summary.text
    write("\n\(text)\n")
    let disagreements = summary.disagreements(isExact: !arguments.isInteractive)
    for disagreement in disagreements { printError("the numbers disagree: \(disagreement)", "typeahead") }
    return disagreements.isEmpty ? 0 : 1
  }
}
