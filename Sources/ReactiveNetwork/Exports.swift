// One import for programs that send requests: what the modules below hand on, and Foundation for URLs and data.
@_exported public import Foundation
@_exported public import NetworkCore
@_exported public import RxLite

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
