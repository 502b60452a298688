import RxLite
@testable import RxLiteTestSupport
import Testing

/// The order of the elements of sources that send at once and share the current thread.
///
/// Each element is a step on the current thread, and a step is queued when the previous one has been
/// delivered, so sources take turns.
@Suite("Sources that send at the same time on one thread")
struct InterleavingTests {
  private func elements(_ sequence: Observable<Int>) -> [Int] {
    let recorder = RecordingObserver<Int>()
    _ = sequence.subscribe(recorder)
    #expect(recorder.events.last == .completed)
    return recorder.elements
  }

  @Test("sources take turns in merge; those that need no step come first")
  func merge() {
    #expect(elements(.merge(.of(1, 2), .of(3, 4))) == [1, 3, 2, 4])
    #expect(elements(.merge(.just(1), .of(2, 3), .just(4))) == [1, 4, 2, 3])
  }

  @Test("inner sequences take turns with their source in flatMap")
  func flatMap() {
    let nested = Observable.of(10, 20, 30).flatMap { Observable.of($0, $0 + 1, $0 + 2) }
    #expect(elements(nested) == [10, 11, 20, 12, 21, 30, 22, 31, 32])
  }

  @Test("inner sequences yield to a newer one in flatMapLatest, and to an older one in flatMapFirst")
  func flatMapOne() {
    let source = Observable.of(10, 20)
    #expect(elements(source.flatMapLatest { Observable.of($0, $0 + 1) }) == [10, 20, 21])
    #expect(elements(source.flatMapFirst { Observable.of($0, $0 + 1, $0 + 2) }) == [10, 11, 12])
  }

  @Test("inner sequences follow each other in concatMap")
  func concatMap() {
    let nested = Observable.of(10, 20).concatMap { Observable.of($0, $0 + 1) }
    #expect(elements(nested) == [10, 11, 20, 21])
  }

  @Test("sources take turns in combineLatest and withLatestFrom")
  func combining() {
    let (ones, tens) = (Observable.of(1, 2), Observable.of(10, 20))
    #expect(elements(.combineLatest(ones, tens) { $0 + $1 }) == [11, 12, 22])
    // The other sequence is subscribed to first.
    #expect(elements(ones.withLatestFrom(tens) { $0 + $1 }) == [11, 22])
    #expect(elements(ones.sample(tens)) == [1, 2])
  }

  @Test("elements reach all observers of a shared sequence one by one")
  func sharing() {
    let shared = Observable.of(1, 2).share()
    #expect(elements(.merge(shared, shared.map { -$0 })) == [1, -1, 2, -2])
  }
}
