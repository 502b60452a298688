@_exported import MoyaCompatibility
