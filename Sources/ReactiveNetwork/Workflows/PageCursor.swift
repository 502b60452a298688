import Locking

/// The page that a pagination continues with after an error or a dispose.
///
/// A subscription to `paginate` that has a cursor begins at its page. When a page was delivered, the cursor moves to the next one, and
/// after the last one back to the first. If the closure that names the next page throws, the cursor stays at the page that was delivered.
///
/// A cursor serves one subscription at a time. It may be used on any thread.
public final class PageCursor<Page> {
  private let upcoming: Lock<Page?>
  /// What the first page of singles has asked.
  let origins = PageOrigins()

  /// Makes a cursor.
  ///
  /// - Parameter page: the page to begin with, say of an earlier launch of the program; `nil` for the first one.
  public init(_ page: Page? = nil) {
    upcoming = Lock(page)
  }

  /// The page that the next subscription begins with; `nil` if that is the first one.
  public var page: Page? { upcoming.withLock { $0 } }

  /// Returns to the first page.
  public func reset() {
    origins.reset()
    move(to: nil)
  }

  func move(to page: Page?) {
    // The former page is released outside the lock.
    let former = upcoming.withLock { exchange(&$0, with: page) }
    withExtendedLifetime(former) {}
  }
}

extension PageCursor: Sendable where Page: Sendable {}
