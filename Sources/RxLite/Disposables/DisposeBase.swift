/// The base class of RxSwift's disposables, for existing code that refers to it.
///
/// It does nothing, and only the library can create instances.
public class DisposeBase {
  init() {}
}
