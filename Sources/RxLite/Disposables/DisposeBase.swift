/// What the disposables of RxSwift inherit; here for code that names it.
///
/// It does nothing, and nothing outside of the library can make one.
public class DisposeBase {
  init() {}
}
