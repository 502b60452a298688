import RxLite
@testable import RxLiteTestSupport
import Testing

/// The order in which the end of a sequence is delivered and the source that ends it is disposed.
@Suite("The order of the end and the disposal of sources")
struct TerminationOrderTests {
  private let log = Log()
  private let subjects = (PublishSubject<Int>(), PublishSubject<Int>())

  private var watched: [Observable<Int>] {
    [subjects.0, subjects.1].enumerated().map { index, subject in
      subject.do(onDispose: { [log] in log.add("-\(index)") })
    }
  }

  private func lines(_ sequence: Observable<Int>, isError: Bool = false) -> [String] {
    _ = sequence.subscribe { [log] event in log.add("\(event)") }
    subjects.0.onCompleted()
    if isError { subjects.1.onError(TestError.one) } else { subjects.1.onCompleted() }
    return log.lines
  }

  @Test("combineLatest delivers its end after the last source was disposed", arguments: [false, true])
  func arities(isError: Bool) {
    let sources = watched
    let combined = Observable.merge(
      Observable.combineLatest(sources[0], sources[1]) { $0 + $1 }, Observable.never())
    #expect(lines(combined, isError: isError) == (isError ? ["-0", "-1", "error(one)"] : ["-0", "-1"]))
  }

  @Test("zip delivers its end after the last source was disposed", arguments: [false, true])
  func zip(isError: Bool) {
    let sources = watched
    let zipped = Observable.zip(sources[0], sources[1]) { $0 + $1 }
    #expect(lines(zipped, isError: isError) == ["-0", "-1", isError ? "error(one)" : "completed"])
  }

  @Test(
    "combineLatest and zip of a list deliver their end before the last source is disposed",
    arguments: [false, true])
  func lists(isError: Bool) {
    let combined = isError ? Observable.zip(watched) { $0[0] } : Observable.combineLatest(watched) { $0[0] }
    #expect(lines(combined, isError: isError) == ["-0", isError ? "error(one)" : "completed", "-1"])
  }

  @Test("merge delivers its end after the last source was disposed")
  func merge() {
    #expect(lines(.merge(watched)) == ["-0", "-1", "completed"])
  }

  @Test("concatMap delivers its end before the source is disposed, if the source ends the sequence")
  func concatMap() {
    #expect(lines(watched[0].concatMap { Observable.just($0) }) == ["completed", "-0"])
  }

  @Test("flatMap delivers its end after the source has been disposed")
  func flatMap() {
    #expect(lines(watched[0].flatMap { Observable.just($0) }) == ["-0", "completed"])
  }
}
