// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that who uses the library never resolves the libraries it is measured against.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "ReactiveNetwork", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
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
  ]
)
