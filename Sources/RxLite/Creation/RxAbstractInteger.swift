/// The integer types that `interval`, `timer` and `range` can count with.
public typealias RxAbstractInteger = FixedWidthInteger
