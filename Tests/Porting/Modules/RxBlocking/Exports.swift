@_exported import RxLite
