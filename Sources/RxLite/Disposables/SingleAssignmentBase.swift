public import Synchronization

/// A base class for subscriptions that holds one disposable, which is set once, possibly after the end.
///
/// `@unchecked Sendable` because `marks` gives `content` to one thread at a time. The assigning thread owns
/// it until it sets the mark `assigned`; then the thread whose `end()` finds that mark owns it. If the end
/// comes first, the assigning thread keeps it. A lock would cost two atomic operations at each step instead
/// of one, and 200 instructions of the runtime to destroy the value that it protects.
@usableFromInline class SingleAssignmentBase: @unchecked Sendable {
  /// The steps that have happened, each at most once.
  @usableFromInline struct Marks: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The content is disposed, or will be disposed as soon as it is assigned.
    @inlinable static var ended: Marks { Marks(rawValue: 1) }
    /// The content is set; the thread that ends the subscription disposes it.
    @inlinable static var assigned: Marks { Marks(rawValue: 2) }
    /// For subclasses: further events are ignored, although the content may remain.
    @inlinable static var closed: Marks { Marks(rawValue: 4) }
    /// For a gate: the subscriber was notified that the subscription has ended.
    @inlinable static var notified: Marks { Marks(rawValue: 8) }
    @inlinable static var all: Marks { Marks(rawValue: 15) }
  }

  @usableFromInline final let marks: Atomic<UInt8>
  // Not optional: to destroy an optional existential, Swift calls the runtime, which takes 90 instructions
  // each time.
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
  @inlinable @inline(__always) final func assign(_ disposable: consuming any Disposable) {
    // Inlined, because the compiler turns a function with an existential parameter into a generic one, which
    // copies it.
    if has(.ended) { return disposable.dispose() }
    content = disposable
    if mark(.assigned).contains(.ended) { takeContent().dispose() }
  }

  /// Disposes the content if it was assigned when `end()` returned `former`.
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
