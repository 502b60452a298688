public import Synchronization

/// What holds one disposable that is set once, possibly after the end: the inside of a subscription, to be inherited.
///
/// `@unchecked Sendable` because `marks` gives `content` to one thread at a time: to the one that assigns it until it is marked as
/// assigned, then to the one whose `end()` finds that mark; when the end comes first, the assigning thread keeps it. A lock would cost
/// two atomic operations at each step instead of one, and 200 instructions of the runtime to destroy what it protects.
@usableFromInline class Assignment: @unchecked Sendable {
  /// What has happened, each once.
  @usableFromInline struct Marks: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What is assigned is disposed, or is to be when it comes.
    @inlinable static var ended: Marks { Marks(rawValue: 1) }
    /// The content may be disposed.
    @inlinable static var assigned: Marks { Marks(rawValue: 2) }
    /// For subclasses: no further event counts, though the content may last.
    @inlinable static var closed: Marks { Marks(rawValue: 4) }
    /// For a gate: the subscriber knows that the subscription has ended.
    @inlinable static var told: Marks { Marks(rawValue: 8) }
    @inlinable static var all: Marks { Marks(rawValue: 15) }
  }

  @usableFromInline final let marks: Atomic<UInt8>
  // Not optional: Swift asks the runtime how to destroy an optional existential, at 90 instructions each time.
  @exclusivity(unchecked) @usableFromInline final var content: any Disposable = NopDisposable()

  @inlinable init(_ marks: Marks = []) {
    self.marks = Atomic(marks.rawValue)
  }

  @inlinable final func has(_ mark: Marks) -> Bool {
    Marks(rawValue: marks.load(ordering: .relaxed)).contains(mark)
  }

  /// Adds marks; returns those that were there.
  @discardableResult
  @inlinable final func mark(_ new: Marks) -> Marks {
    Marks(rawValue: marks.bitwiseOr(new.rawValue, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Adds all marks; returns those that were there, `nil` if it had ended before.
  @inlinable final func end() -> Marks? {
    let former = Marks(rawValue: marks.exchange(Marks.all.rawValue, ordering: .acquiringAndReleasing))
    return former.contains(.ended) ? nil : former
  }

  /// Called at most once.
  // Inlined, since the compiler makes a generic function of one that takes an existential, which copies it.
  @inlinable @inline(__always) final func assign(_ disposable: consuming any Disposable) {
    if has(.ended) { return disposable.dispose() }
    content = disposable
    if mark(.assigned).contains(.ended) { takeContent().dispose() }
  }

  /// Disposes what is assigned, for the caller whose `end()` has returned `former`.
  @inlinable final func disposeContent(after former: Marks) {
    if former.contains(.assigned) { takeContent().dispose() }
  }

  /// Disposes what is assigned, now or when it is.
  @inlinable final func disposeContent() {
    if let former = end() { disposeContent(after: former) }
  }

  @usableFromInline final func takeContent() -> any Disposable {
    var content: any Disposable = NopDisposable()
    swap(&self.content, &content)
    return content
  }
}
