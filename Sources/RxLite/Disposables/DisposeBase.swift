/// The base class of RxSwift's disposables, for code that names it.
///
/// It does nothing, and only the library can create instances.
public class DisposeBase {
  init() {}
}
