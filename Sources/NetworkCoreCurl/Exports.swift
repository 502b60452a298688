@_exported public import NetworkCoreTransport
