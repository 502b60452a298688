// swift-tools-version: 6.1
import PackageDescription

// An application for Moya and RxSwift. This manifest alone ports it: it makes `import Moya` import
// `MoyaCompatibility`, and so on. No source file is changed.
let aliases: [SwiftSetting] = [
  .unsafeFlags([
    "-module-alias", "Moya=MoyaCompatibility",
    "-module-alias", "ReactiveMoya=ReactiveSwiftCompatibility",
    "-module-alias", "RxSwift=RxLite",
    "-module-alias", "RxTest=RxLiteTesting",
  ])
]

let package = Package(
  name: "Porting",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "porting", targets: ["App"])],
  dependencies: [.package(name: "ReactiveNetwork", path: "../..")],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [
        "RxMoya", "RxRelay",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "MoyaCompatibility", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
      ],
      path: "App", swiftSettings: [.swiftLanguageMode(.v5)] + aliases),
    .testTarget(
      name: "AppTests",
      dependencies: [
        "App", "RxBlocking",
        .product(name: "ReactiveSwiftCompatibility", package: "ReactiveNetwork"),
        .product(name: "RxLiteTesting", package: "ReactiveNetwork"),
      ],
      path: "AppTests", swiftSettings: [.swiftLanguageMode(.v5)] + aliases),
    // Only one name can be the alias of a module. These modules, one line each, supply the others.
    .target(
      name: "RxMoya", dependencies: [.product(name: "MoyaCompatibility", package: "ReactiveNetwork")],
      path: "Modules/RxMoya"),
    .target(
      name: "RxRelay", dependencies: [.product(name: "RxLite", package: "ReactiveNetwork")],
      path: "Modules/RxRelay"),
    .target(
      name: "RxBlocking", dependencies: [.product(name: "RxLite", package: "ReactiveNetwork")],
      path: "Modules/RxBlocking"),
  ]
)
