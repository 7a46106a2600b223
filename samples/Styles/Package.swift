// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Styles",
  dependencies: [.package(name: "Verso", path: "../..")],
  targets: [
    .executableTarget(
      name: "Styles", dependencies: [.product(name: "VersoSplitView", package: "Verso")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
