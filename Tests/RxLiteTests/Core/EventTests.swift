import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Event")
struct EventTests {
  private let all: [Event<Int>] = [.next(1), .error(TestError.one), .completed]

  @Test("map transforms the element and does not change stop events")
  func map() {
    #expect(all.map { $0.map { "\($0)" } } == [.next("1"), .error(TestError.one), .completed])
  }

  @Test("an error that the closure of map throws becomes an error event")
  func mapThrows() {
    let mapped = all.map { event in event.map { _ -> Int in throw TestError.two } }
    #expect(mapped == [.error(TestError.two), .error(TestError.one), .completed])
  }

  @Test("each property returns its part of the event")
  func parts() {
    #expect(all.map(\.element) == [1, nil, nil])
    #expect(all.map { $0.error as? TestError } == [nil, .one, nil])
    #expect(all.map(\.isCompleted) == [false, false, true])
    #expect(all.map(\.isStopEvent) == [false, true, true])
  }

  @Test("its description names its kind and content")
  func description() {
    #expect(all.map { "\($0)" } == ["next(1)", "error(one)", "completed"])
  }

  @Test("mapObserver delivers the results of its closure, and its thrown errors as error events")
  func mapObserver() {
    let recorder = RecordingObserver<Int>()
    let observer = recorder.mapObserver { (text: String) in
      guard let number = Int(text) else { throw TestError.one }
      return number
    }
    observer.onNext("1")
    observer.onNext("x")
    observer.onError(TestError.two)
    observer.onCompleted()
    #expect(recorder.events == [.next(1), .error(TestError.one), .error(TestError.two), .completed])
  }
}
