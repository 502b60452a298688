// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "hello",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveNetwork", path: "../ReactiveNetwork")],
  targets: [
    .executableTarget(
      name: "hello",
      dependencies: [
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
      ]),
    .testTarget(name: "helloTests", dependencies: ["hello"]),
  ]
)
