import Dispatch
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// A thread that delivers the events of other threads hands the delivery over to the next thread that sends.
@Suite("Handover of a delivery to another thread", .timeLimit(.minutes(5)))
struct DeliveryHandoverTests {
  /// A sequence that two threads feed.
  struct SharedSequence: Sendable, CustomTestStringConvertible {
    typealias Parts = (sequence: Observable<Int>, first: AnyObserver<Int>, second: AnyObserver<Int>)

    let testDescription: String
    let make: @Sendable () -> Parts

    static let all = [
      SharedSequence(testDescription: "PublishSubject") {
        let subject = PublishSubject<Int>()
        return (subject, AnyObserver(subject), AnyObserver(subject))
      },
      SharedSequence(testDescription: "ReplaySubject") {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        return (subject, AnyObserver(subject), AnyObserver(subject))
      },
      joining("merge") { .merge($0, $1) },
      joining("combineLatest") {
        .combineLatest($0.startWith(0), $1.startWith(0)) { max($0, $1) }.skip(1)
      },
    ]

    private static func joining(
      _ name: String,
      _ join: @escaping @Sendable (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>
    ) -> SharedSequence {
      SharedSequence(testDescription: name) {
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        return (join(first, second), AnyObserver(first), AnyObserver(second))
      }
    }
  }

  private let waiting = 1_000
  private let mostSent = 100_000

  @Test(
    "the delivering thread hands over to a thread that sends faster", arguments: SharedSequence.all)
  func relief(shared: SharedSequence) {
    let (sequence, first, second) = shared.make()
    let (recorder, delivery, backlog) = (RecordingObserver<Int> { _ in }, TestSemaphore(), TestSemaphore())
    let (isReleased, sender, captured) = (BooleanDisposable(), MarkedThread(), Log())
    let subscription = sequence.subscribe { event in
      recorder.on(event)
      if event.element == 1 {
        delivery.signal()
        #expect(backlog.wait())
      }
      guard sender.isCurrent else { return }
      captured.add("\(event)")
      // Delivers more slowly than the other thread sends, until that thread should have taken over.
      if event.element ?? 0 < waiting { for _ in 0..<20 { sched_yield() } }
    }
    onThreads(2) { [waiting, mostSent] thread in
      if thread == 0 {
        sender.mark()
        first.onNext(1)
        isReleased.dispose()
      } else {
        #expect(delivery.wait())
        var element = 1
        repeat {
          element += 1
          second.onNext(element)
          if element == waiting { backlog.signal() }
        } while element < waiting || !isReleased.isDisposed && element < mostSent
      }
    }
    // Usually a few hundred. A sender that is suspended while it waits misses its turn, as often happens when
    // the processors are busy.
    #expect(captured.lines.count < mostSent / 2)
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements.count >= waiting && recorder.elements == Array(1...recorder.elements.count))
    subscription.dispose()
  }

  @Test(
    "if no other thread sends, the delivering thread delivers all pending events",
    arguments: SharedSequence.all)
  func alone(shared: SharedSequence) {
    let elements = elements(of: shared) { $0 == 1 ? 2...1_000 : nil }
    #expect(elements == Array(1...1_000))
  }

  @Test("a sender does not wait for a delivery that waits for it", arguments: SharedSequence.all)
  func noDeadlock(shared: SharedSequence) {
    let elements = elements(of: shared) { element in
      switch element {
      case 1: 2...200
      // By now the delivering thread is looking for a successor.
      case 150: 201...250
      default: nil
      }
    }
    #expect(elements == Array(1...250))
  }

  /// Sends 1 and records the deliveries; each waits for another thread to send the next elements.
  private func elements(of shared: SharedSequence, followers: @escaping (Int) -> ClosedRange<Int>?) -> [Int] {
    let (sequence, first, second) = shared.make()
    let recorder = RecordingObserver<Int>()
    let subscription = sequence.subscribe { event in
      recorder.on(event)
      guard let followers = event.element.flatMap(followers) else { return }
      onThreads(1) { _ in for element in followers { second.onNext(element) } }
    }
    first.onNext(1)
    subscription.dispose()
    return recorder.elements
  }

  @Test(
    "no event is lost or reordered when several threads send",
    arguments: SharedSequence.all.dropLast())
  func storm(shared: SharedSequence) {
    let (sequence, first, second) = shared.make()
    let recorder = RecordingObserver<Int>()
    let subscription = sequence.subscribe(recorder)
    onThreads(4) { thread in
      for element in 0..<5_000 { (thread < 2 ? first : second).onNext(thread * 5_000 + element) }
    }
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements.sorted() == Array(0..<20_000))
    for thread in 0..<4 {
      let own = recorder.elements.filter { $0 / 5_000 == thread }
      #expect(own == own.sorted())
    }
    subscription.dispose()
  }
}

/// Remembers a thread.
private final class MarkedThread: Sendable {
  private let thread = Lock<pthread_t?>(nil)

  func mark() {
    thread.withLock { $0 = pthread_self() }
  }

  var isCurrent: Bool {
    thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }
}
