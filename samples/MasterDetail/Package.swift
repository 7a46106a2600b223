// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "MasterDetail",
  dependencies: [.package(name: "Verso", path: "../..")],
  targets: [
    .executableTarget(
      name: "MasterDetail", dependencies: [.product(name: "VersoSplitView", package: "Verso")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
