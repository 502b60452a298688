public import Foundation

/// The namespace of a type's reactive members: `provider.rx`.
///
/// Every settable property of a class is available as a `Binder`: `text.bind(to: label.rx.text)`.
@dynamicMemberLookup public struct Reactive<Base> {
  /// The extended value.
  public let base: Base

  /// Creates the namespace of a value.
  public init(_ base: Base) {
    self.base = base
  }

  /// Returns a binder that sets a property of the object on the main scheduler.
  public subscript<Property>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
  ) -> Binder<Property> where Base: AnyObject {
    Binder(base, on: MainScheduler()) { base, value in base[keyPath: keyPath] = value }
  }
}

extension Reactive: Sendable where Base: Sendable {}

/// A type with a namespace `rx`.
public protocol ReactiveCompatible {
  /// The extended type, which is the conforming type itself.
  associatedtype ReactiveBase

  /// The namespace of the type.
  static var rx: Reactive<ReactiveBase>.Type { get set }

  /// The namespace of the value.
  var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
  /// The namespace of the type.
  public static var rx: Reactive<Self>.Type {
    get { Reactive<Self>.self }
    // Settable so that a member of the namespace can be assigned to.
    set {}
  }

  /// The namespace of the value.
  public var rx: Reactive<Self> {
    get { Reactive(self) }
    // Settable so that a member of the namespace can be assigned to.
    set {}
  }
}

/// Every `NSObject` has a namespace `rx`.
extension NSObject: ReactiveCompatible {}
