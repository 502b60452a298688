import Foundation
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("debug", .serialized)
struct DebugTests {
  /// Returns the lines of `body` without the date.
  private func lines(_ body: () -> Void) -> [String] {
    datedLines(body).map { String($0.dropFirst(25)) }
  }

  private func datedLines(_ body: () -> Void) -> [String] {
    let log = Log()
    let former = Hooks.debugOutput
    // There is one place to write to; what other tests write meanwhile comes from other threads.
    let thread = ObjectIdentifier(Thread.current)
    Hooks.debugOutput = { if ObjectIdentifier(Thread.current) == thread { log.add($0) } }
    defer { Hooks.debugOutput = former }
    body()
    #expect(log.lines.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}: .*/) != nil })
    return log.lines
  }

  @Test("subscription, events and disposal are written")
  func writes() {
    #expect(
      lines { _ = Observable.of(1, 2).debug("id").subscribe() } == [
        "id -> subscribed", "id -> Event next(1)", "id -> Event next(2)", "id -> Event completed",
        "id -> isDisposed",
      ])
    #expect(
      lines { Observable<Int>.never().debug("id").subscribe().dispose() } == [
        "id -> subscribed", "id -> isDisposed",
      ])
  }

  @Test("by default the lines are printed", .timeLimit(.minutes(5)))
  func defaultOutput() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      _ = Observable<Int>.empty().debug("id").subscribe()
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    #expect(output.contains("id -> subscribed\n"))
  }

  @Test("nothing is written after the disposal")
  func disposedBetweenEvents() {
    let scheduler = HistoricalScheduler()
    let written = lines {
      _ = Observable<Int>.timer(.seconds(1), scheduler: scheduler).debug("id").take(1).subscribe()
      scheduler.start()
    }
    #expect(written == ["id -> subscribed", "id -> Event next(0)", "id -> isDisposed"])
  }

  @Test("an event is written before its delivery, and a disposal before that of the source")
  func order() {
    let written = lines {
      let subject = PublishSubject<Int>()
      let subscription = subject.debug("a").debug("b").subscribe()
      subject.onNext(1)
      subscription.dispose()
    }
    #expect(
      written == [
        "b -> subscribed", "a -> subscribed", "a -> Event next(1)", "b -> Event next(1)", "b -> isDisposed",
        "a -> isDisposed",
      ])
  }

  @Test("an end during the subscription is written as a disposal before the subscription returns")
  func endsAtOnce() {
    let written = lines {
      _ = Observable.just(1).debug("id")
        .do(onSubscribed: { Hooks.debugOutput("2000-01-01 00:00:00.000: returned") })
        .subscribe()
    }
    #expect(
      written == [
        "id -> subscribed", "id -> Event next(1)", "id -> Event completed", "id -> isDisposed", "returned",
      ])
  }

  @Test("by default, a long event is written in full")
  func untrimmed() {
    let text = String(repeating: "a", count: 60)
    for written in [
      lines { _ = Observable.just(text).debug("id").subscribe() },
      lines { _ = Single.just(text).debug("id").subscribe() },
      lines { _ = Infallible.just(text).debug("id").subscribe() },
    ] {
      #expect(written.contains("id -> Event next(\(text))"))
    }
  }

  @Test("the place in the source code is the default name")
  func place() {
    let first = lines { _ = Observable<Int>.empty().debug().subscribe() }.first
    #expect(first?.wholeMatch(of: /DebugTests.swift:\d+ \(place\(\)\) -> subscribed/) != nil)
  }

  @Test("long events can be trimmed")
  func trims() {
    let text = String(repeating: "a", count: 30) + String(repeating: "b", count: 30)
    let written = lines { _ = Observable.just(text).debug("id", trimOutput: true).subscribe() }
    #expect(written[1] == "id -> Event next(aaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbbbb)")
  }

  @Test("text of 40 characters is not trimmed, text of 41 is")
  func trimLimit() {
    for (length, isTrimmed) in [(34, false), (35, true)] {
      let text = String(repeating: "a", count: length)
      let written = lines { _ = Observable.just(text).debug("id", trimOutput: true).subscribe() }
      #expect(written[1].contains("...") == isTrimmed)
    }
  }

  @Test("the events are forwarded, and an error is written unchanged", arguments: [false, true])
  func passes(fails: Bool) {
    let recorder = RecordingObserver<Int>()
    let end = fails ? Observable<Int>.error(TestError.one) : Observable<Int>.empty()
    let source = Observable.just(1).concat(end)
    let written = lines { _ = source.debug("id").subscribe(recorder) }
    #expect(recorder.events == [.next(1), fails ? .error(TestError.one) : .completed])
    #expect(
      written == [
        "id -> subscribed", "id -> Event next(1)", "id -> Event \(fails ? "error(one)" : "completed")",
        "id -> isDisposed",
      ])
  }

  @Test("disposal disposes the source")
  func disposed() {
    let subject = PublishSubject<Int>()
    let written = lines {
      let subscription = subject.debug("id").subscribe()
      #expect(subject.hasObservers)
      subscription.dispose()
    }
    #expect(!subject.hasObservers)
    #expect(written == ["id -> subscribed", "id -> isDisposed"])
  }

  @Test("a line begins with the local time")
  func time() {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyy-MM-dd HH:mm:ss"
    let before = format.string(from: Date())
    let line = datedLines { _ = Observable<Int>.empty().debug("id").subscribe() }.first ?? ""
    let after = format.string(from: Date())
    #expect((before...after).contains(String(line.prefix(19))))
  }

  @Test("singles and infallibles write the same lines")
  func traits() {
    let text = String(repeating: "a", count: 60)
    let expected = lines { _ = Observable.just(text).debug("id", trimOutput: true).subscribe() }
    let single = lines { _ = Single.just(text).debug("id", trimOutput: true).asObservable().subscribe() }
    let infallible = lines {
      _ = Infallible.just(text).debug("id", trimOutput: true).asObservable().subscribe()
    }
    #expect(expected.count == 4)
    #expect([single, infallible] == [expected, expected])
    for places in [
      lines { _ = Single.just(1).debug().subscribe() }, lines { _ = Infallible.just(1).debug().subscribe() },
    ] {
      #expect(places.first?.wholeMatch(of: /DebugTests.swift:\d+ \(traits\(\)\) -> subscribed/) != nil)
    }
  }
}
