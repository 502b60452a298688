/// An event of one of two sequences.
@usableFromInline enum Pairing<First, Second> {
  case first(Event<First>)
  case second(Event<Second>)
}
