public import Synchronization

/// A base class for subscriptions that holds one disposable, which is set once, possibly after the end.
///
/// `@unchecked Sendable` because `marks` gives `content` to one thread at a time: first to the thread that
/// assigns it, until it is marked as assigned, then to the thread whose `end()` finds that mark. If the end
/// comes first, the assigning thread keeps it. A lock would cost two atomic operations at each step instead
/// of one, and 200 instructions of the runtime to destroy the value it protects.
@usableFromInline class SingleAssignmentBase: @unchecked Sendable {
  /// The steps that have happened, each at most once.
  @usableFromInline struct Marks: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The content is disposed, or will be disposed as soon as it is assigned.
    @inlinable static var ended: Marks { Marks(rawValue: 1) }
    /// The content may be disposed.
    @inlinable static var assigned: Marks { Marks(rawValue: 2) }
    /// For subclasses: further events are ignored, though the content may remain.
    @inlinable static var closed: Marks { Marks(rawValue: 4) }
    /// For a gate: the subscriber was notified that the subscription has ended.
    @inlinable static var notified: Marks { Marks(rawValue: 8) }
    @inlinable static var all: Marks { Marks(rawValue: 15) }
  }

  @usableFromInline final let marks: Atomic<UInt8>
  // Not optional: Swift asks the runtime how to destroy an optional existential, at 90 instructions each
  // time.
  @exclusivity(unchecked) @usableFromInline final var content: any Disposable = NopDisposable()

  @inlinable init(_ marks: Marks = []) {
    self.marks = Atomic(marks.rawValue)
  }

  @inlinable final func has(_ mark: Marks) -> Bool {
    Marks(rawValue: marks.load(ordering: .relaxed)).contains(mark)
  }

  /// Adds marks.
  ///
  /// Returns the marks that were set before.
  @discardableResult
  @inlinable final func mark(_ new: Marks) -> Marks {
    Marks(rawValue: marks.bitwiseOr(new.rawValue, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Adds all marks.
  ///
  /// Returns the marks that were set before, or `nil` if `ended` was among them.
  @inlinable final func end() -> Marks? {
    let former = Marks(rawValue: marks.exchange(Marks.all.rawValue, ordering: .acquiringAndReleasing))
    return former.contains(.ended) ? nil : former
  }

  /// Sets the content.
  ///
  /// Called at most once.
  // Inlined, because the compiler makes a generic function of one that takes an existential, which copies it.
  @inlinable @inline(__always) final func assign(_ disposable: consuming any Disposable) {
    if has(.ended) { return disposable.dispose() }
    content = disposable
    if mark(.assigned).contains(.ended) { takeContent().dispose() }
  }

  /// Disposes the content, for the caller whose `end()` has returned `former`.
  @inlinable final func disposeContent(after former: Marks) {
    if former.contains(.assigned) { takeContent().dispose() }
  }

  /// Disposes the content, now or when it is assigned.
  @inlinable final func disposeContent() {
    if let former = end() { disposeContent(after: former) }
  }

  @usableFromInline final func takeContent() -> any Disposable {
    var content: any Disposable = NopDisposable()
    swap(&self.content, &content)
    return content
  }
}
