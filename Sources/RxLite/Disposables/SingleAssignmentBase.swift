public import Synchronization

/// A base class for subscriptions that holds one disposable, which is set once, possibly after the end.
///
/// Any thread may end it, because `flags` gives `content` to one thread at a time; subclasses that are
/// `Sendable` rely on this. The assigning thread owns it until it sets the flag `assigned`; then the thread
/// whose `end()` finds that flag owns it. If the end comes first, the assigning thread keeps it. A lock would
/// cost two atomic operations at each step instead of one, and 200 instructions of the runtime to destroy the
/// value that it protects.
@usableFromInline class SingleAssignmentBase {
  /// The steps that have happened, each at most once.
  @usableFromInline struct Flags: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The content is disposed, or will be disposed as soon as it is assigned.
    @inlinable static var ended: Flags { Flags(rawValue: 1) }
    /// The content is set; the thread that ends the subscription disposes it.
    @inlinable static var assigned: Flags { Flags(rawValue: 2) }
    /// For subclasses: further events are ignored, although the content may remain.
    @inlinable static var closed: Flags { Flags(rawValue: 4) }
    /// For a gate: the subscriber was notified that the subscription has ended.
    @inlinable static var notified: Flags { Flags(rawValue: 8) }
    @inlinable static var all: Flags { Flags(rawValue: 15) }
  }

  @usableFromInline final let flags: Atomic<UInt8>
  // Not optional: to destroy an optional existential, Swift calls the runtime, which takes 90 instructions
  // each time.
  @exclusivity(unchecked) @usableFromInline final var content: any Disposable = NopDisposable()

  @inlinable init(_ flags: Flags = []) {
    self.flags = Atomic(flags.rawValue)
  }

  @inlinable final func isSet(_ flag: Flags) -> Bool {
    Flags(rawValue: flags.load(ordering: .relaxed)).contains(flag)
  }

  @inlinable final func isClear(of unwanted: Flags) -> Bool {
    Flags(rawValue: flags.load(ordering: .relaxed)).isDisjoint(with: unwanted)
  }

  /// Sets flags.
  ///
  /// Returns the flags that were set before.
  @discardableResult
  @inlinable final func set(_ new: Flags) -> Flags {
    Flags(rawValue: flags.bitwiseOr(new.rawValue, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Sets all flags.
  ///
  /// Returns the flags that were set before, or `nil` if `ended` was among them.
  @inlinable final func end() -> Flags? {
    let former = Flags(rawValue: flags.exchange(Flags.all.rawValue, ordering: .acquiringAndReleasing))
    return former.contains(.ended) ? nil : former
  }

  /// Sets the content.
  ///
  /// Called at most once.
  @inlinable @inline(__always) final func assign(_ disposable: consuming any Disposable) {
    // Inlined, because the compiler turns a function with an existential parameter into a generic one, which
    // copies it.
    if isSet(.ended) { return disposable.dispose() }
    content = disposable
    if set(.assigned).contains(.ended) { takeContent().dispose() }
  }

  /// Disposes the content if it was assigned when `end()` returned `former`.
  @inlinable final func disposeContent(after former: Flags) {
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
