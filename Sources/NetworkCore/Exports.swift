@_exported public import NetworkCoreCurl
@_exported public import NetworkCoreTransport
