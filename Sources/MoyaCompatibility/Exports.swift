@_exported public import ReactiveNetwork
