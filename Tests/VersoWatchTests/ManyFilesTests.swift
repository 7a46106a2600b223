import CLinux
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import VersoWatch

/// What must not become slow, or large, with the number of files.
@Suite(.serialized) struct ManyFilesTests {
  private static func time(_ body: () -> Void) -> Double {
    let start = MonotonicTime.now()
    body()
    return MonotonicTime.now() - start
  }

  /// Seconds for the questions of one round while so many files wait to be saved.
  private func secondsForRounds(_ count: Int, waiting: Int) -> Double {
    let desk = Desk([:])
    desk.disk.queueLimit = .max
    for number in 0..<waiting { desk.disk.write("\(number).md", "\(number)") }
    desk.wait(0.5)
    var names = 0
    return Self.time {
      for _ in 0..<count {
        desk.disk.touch("\(names % waiting).md")
        names += 1
        desk.step()
        _ = desk.reconciler.nextDeadline
        _ = desk.reconciler.isSettled(at: desk.now)
        desk.disk.now += 0.0001
      }
    }
  }

  @Test func `a round costs the same whether a hundred files wait or 20,000`() {
    let few = secondsForRounds(2000, waiting: 100)
    let many = secondsForRounds(2000, waiting: 20_000)
    print("2,000 rounds: \(few) s with 100 files waiting, \(many) s with 20,000")
    #expect(many < 5 * few + 0.2)
  }

  private static var residentBytes: Int {
    let text = (try? run(["cat", "/proc/\(getpid())/statm"]).text) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
  }

  @Test(.enabled(if: isFullRun)) func `a million files take at most 150 bytes each`() {
    let status = FakeDisk.status(FakeDisk().root)
    var file = status
    file.mode = S_IFREG | 0o644
    let folders = (0..<20_000).map { _ in LiveFolder() }
    let before = Self.residentBytes
    for (number, folder) in folders.enumerated() {
      folder.files.reserveCapacity(50)
      for index in 0..<50 {
        folder.files[Array("note-\(number)-\(index).md".utf8)] = LiveFile(file)
      }
    }
    let bytes = (Self.residentBytes - before) / 1_000_000
    print("\(bytes) bytes a file")
    #expect(bytes <= 150)
    withExtendedLifetime(folders) {}
  }
}
