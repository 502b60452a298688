import Foundation
import ReactiveNetwork

private struct Names: TargetType {
  let baseURL: URL
  let path = "/names"
}

/// The first mistakes with a request: nothing subscribes, or the subscription is dropped.
///
/// It is not run.
func firstFailures(_ baseURL: URL) {
  let request = NetworkProvider<Names>().rx.request(Names(baseURL: baseURL))
  NetworkProvider<Names>().rx.request(Names(baseURL: baseURL))
  // ^56 result of call to 'request(_:callbackQueue:)' is unused
  request.filterSuccessfulStatusCodes().map([String].self)
  // ^56 result of call to 'map(_:atKeyPath:using:failsOnEmptyData:)' is unused
  request.asObservable().map(\.statusCode)
  // ^56 result of call to 'map' is unused
  request.subscribe(onSuccess: { report("first failures", "\($0.statusCode)") })
  // ^56 result of call to 'subscribe(onSuccess:onFailure:onDisposed:)' is unused
  request.subscribe(onMain: { report("first failures", "\($0.statusCode)") })
  // ^56 result of call to 'subscribe(onMain:onFailure:onDisposed:)' is unused
  request.asObservable().subscribe(onNext: { report("first failures", "\($0.statusCode)") })
  // ^56 result of call to 'subscribe(onNext:onError:onCompleted:onDisposed:)' is unused
}
