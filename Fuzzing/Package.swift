// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveNetwork", path: "..")],
  targets: [
    .executableTarget(
      name: "Fuzzing",
      dependencies: [
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "RxLiteTesting", package: "ReactiveNetwork"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
