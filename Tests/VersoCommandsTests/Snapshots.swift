import Foundation
import Testing
import VersoTestSupport

/// Compares text with what was recorded in the folder `Snapshots`.
///
/// A snapshot that is missing is written, and fails all the same, so that someone looks at it.
/// `VERSO_RECORD=1` writes them all anew.
func expectSnapshot(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  let file = folder.appendingPathComponent("Snapshots").appendingPathComponent(name)
  let isRecording = ProcessInfo.processInfo.environment["VERSO_RECORD"] == "1"
  guard !isRecording, let recorded = try? String(contentsOf: file, encoding: .utf8) else {
    try Data(text.utf8).write(to: file)
    if !isRecording {
      Issue.record("\(name) was missing and is written now", sourceLocation: sourceLocation)
    }
    return
  }
  if recorded == text { return }
  let (old, new) = (recorded.split(separator: "\n"), text.split(separator: "\n"))
  let line = zip(old, new).prefix { $0 == $1 }.count
  Issue.record(
    """
    \(name) differs, first after line \(line) that is not empty:
    - \(line < old.count ? old[line] : "")
    + \(line < new.count ? new[line] : "")
    VERSO_RECORD=1 records it anew.
    """, sourceLocation: sourceLocation)
}

/// The path of a program, where it is installed.
func installed(_ program: String) -> String? {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  return folders.map { "\($0)/\(program)" }.first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}
