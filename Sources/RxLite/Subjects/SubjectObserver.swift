/// An observer of a subject.
@usableFromInline class SubjectObserver {
  /// Identifies the observer among those of the subject, in the order in which they were added.
  ///
  /// Set once, before other threads see the observer.
  @usableFromInline final var key = 0

  @usableFromInline init() {}
}
