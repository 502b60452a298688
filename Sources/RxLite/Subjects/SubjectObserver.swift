/// An observer of a subject.
@usableFromInline class SubjectObserver {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  /// Identifies the observer among those of the subject, in the order in which they were added.
  ///
  /// Set once, before other threads see the observer.
  @usableFromInline final var key = 0

  @usableFromInline init() {}
}
