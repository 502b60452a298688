// Programs that send requests import only this module: it exports Foundation, for URLs and data, and the
// modules below it.
@_exported public import Foundation
@_exported public import NetworkCore
@_exported public import RxLite

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
