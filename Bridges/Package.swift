// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the library never resolve OpenCombine. If Combine is available, the
// library itself has these publishers, and the target here is empty.
let platforms: [Platform] = [.linux, .android, .windows]
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .define("OPENCOMBINE", .when(platforms: platforms)),
]

let package = Package(
  name: "Bridges",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ReactiveNetworkOpenCombine", targets: ["ReactiveNetworkOpenCombine"])
  ],
  dependencies: [
    .package(name: "ReactiveNetwork", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .target(
      name: "ReactiveNetworkOpenCombine",
      dependencies: [
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: platforms)),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReactiveNetworkOpenCombineTests",
      dependencies: [
        "ReactiveNetworkOpenCombine",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine", condition: .when(platforms: platforms)),
      ],
      swiftSettings: settings),
  ]
)
