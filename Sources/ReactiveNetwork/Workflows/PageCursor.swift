import ReactiveNetworkLock

/// The page at which a pagination continues after an error or a disposal.
///
/// A subscription to `paginate` with a cursor begins at the cursor's page. After a page has been delivered,
/// the cursor moves to the next one, and after the last one back to the first. If the closure that returns
/// the next page throws, the cursor stays at the page that was delivered.
///
/// A page also counts as delivered if an operator after `paginate` fails with it, so a `retry` with a delay skips
/// it. To request such a page again, decode it in the single itself: `paginate` then does not deliver it.
///
/// A cursor serves one subscription at a time. It may be used on any thread.
public final class PageCursor<Page> {
  private let upcoming: Lock<Page?>
  /// The origins of the requests of the first page, for a pagination of singles.
  let origins = FirstPageOrigins()

  /// Creates a cursor.
  ///
  /// - Parameter page: the page to begin with, such as one from an earlier launch of the program; `nil` for
  ///   the first one.
  public init(_ page: Page? = nil) {
    upcoming = Lock(page)
  }

  /// The page at which the next subscription begins; `nil` for the first one.
  public var page: Page? { upcoming.withLock { $0 } }

  /// Returns to the first page.
  public func reset() {
    origins.reset()
    move(to: nil)
  }

  func move(to page: Page?) {
    // The previous page is released outside the lock.
    let former = upcoming.withLock { exchange(&$0, with: page) }
    withExtendedLifetime(former) {}
  }
}

extension PageCursor: Sendable where Page: Sendable {}
