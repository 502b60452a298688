/// An event of one of two sequences.
@usableFromInline enum PairEvent<First, Second> {
  case first(Event<First>)
  case second(Event<Second>)
}
