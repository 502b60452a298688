import RxLite
import Testing

@Suite("RefCountDisposable")
struct RefCountDisposableTests {
  private let content = BooleanDisposable()

  @Test("unused, it disposes its content at once")
  func unused() {
    let disposable = RefCountDisposable(disposable: content)
    #expect(!disposable.isDisposed)
    disposable.dispose()
    #expect(disposable.isDisposed && content.isDisposed)
  }

  @Test("the last release disposes the content", arguments: [false, true])
  func lastOne(isPrimaryFirst: Bool) {
    let disposable = RefCountDisposable(disposable: content)
    let retained = (0..<2).map { _ in disposable.retain() }
    if isPrimaryFirst { disposable.dispose() }
    for one in retained {
      #expect(!content.isDisposed)
      one.dispose()
      one.dispose()
    }
    #expect(content.isDisposed == isPrimaryFirst)
    disposable.dispose()
    #expect(disposable.isDisposed && content.isDisposed)
  }

  @Test("a second disposal releases nothing while its content is in use")
  func disposedTwice() {
    let disposable = RefCountDisposable(disposable: content)
    let retained = disposable.retain()
    disposable.dispose()
    disposable.dispose()
    #expect(!content.isDisposed && !disposable.isDisposed)
    retained.dispose()
    #expect(content.isDisposed && disposable.isDisposed)
  }

  @Test("after its content was disposed, there is nothing to retain")
  func late() {
    let disposable = RefCountDisposable(disposable: content)
    disposable.dispose()
    disposable.retain().dispose()
    #expect(content.isDisposed)
  }

  @Test("it can be retained again if it was disposed while in use")
  func retainedAfterDisposal() {
    let disposable = RefCountDisposable(disposable: content)
    let first = disposable.retain()
    disposable.dispose()
    let second = disposable.retain()
    first.dispose()
    #expect(!content.isDisposed && !disposable.isDisposed)
    second.dispose()
    #expect(content.isDisposed)
  }
}
