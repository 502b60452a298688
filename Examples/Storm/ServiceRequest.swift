import ReactiveNetwork

/// The request that the clients send.
struct ServiceRequest: TargetType {
  let baseURL: URL
  let path: String
  var headers: [String: String]?
  var method = HTTPMethod.get
}
