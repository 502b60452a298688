// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the library never resolve the libraries that it is compared with.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "ReactiveNetwork", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .target(name: "AllocationCounter"),
    .target(name: "Measuring", dependencies: ["AllocationCounter"]),
    .executableTarget(
      name: "rx",
      dependencies: [
        "Measuring",
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "RxLiteTesting", package: "ReactiveNetwork"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "memory",
      dependencies: [
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(name: "Processes"),
    .target(name: "Disturbances"),
    .target(name: "HoldingServer"),
    .target(name: "CurlReference", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // AsyncHTTPClient takes long to build; only this product and `held` need it.
    .executableTarget(
      name: "http",
      dependencies: [
        "AllocationCounter", "CurlReference", "Measuring", "Processes",
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "held",
      dependencies: [
        "CurlReference", "HoldingServer", "Processes",
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "cancel",
      dependencies: [
        "Processes",
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
      ]),
    .executableTarget(
      name: "soak",
      dependencies: [
        "Disturbances", "Processes",
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
      ]),
    .target(name: "EchoServer"),
    .target(
      name: "CurlWebSocketReference", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "websocket",
      dependencies: [
        "CurlWebSocketReference", "EchoServer", "Processes",
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      exclude: ["PythonClient.py"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
