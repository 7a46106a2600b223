import Foundation

/// The path of the folder that holds `Package.swift`.
public let repositoryRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().path

/// A file of the project itself, by its path from the project's folder.
public func repositoryText(_ path: String) throws -> String {
  try String(contentsOfFile: "\(repositoryRoot)/\(path)", encoding: .utf8)
}

/// The Swift sources below a folder of the project; an error where there is none.
public func repositoryTexts(_ folder: String) throws -> [String] {
  let paths =
    FileManager.default.enumerator(atPath: "\(repositoryRoot)/\(folder)")?
    .compactMap { $0 as? String } ?? []
  let sources = paths.filter { $0.hasSuffix(".swift") }
  guard !sources.isEmpty else { throw Failure("no source lies below \(folder)") }
  return try sources.map { try repositoryText("\(folder)/\($0)") }
}
