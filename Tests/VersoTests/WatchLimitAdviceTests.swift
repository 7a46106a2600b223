import Testing
import VersoDisk

@testable import Verso

/// What is advised where more folders are to be watched than the kernel allows.
@Suite struct WatchLimitAdviceTests {
  private func advice(_ folders: Int, _ present: Int?) -> String {
    WatchLimit.command(toWatch: folders, insteadOf: present.map(WatchLimit.init))
  }

  @Test(arguments: [
    (200, nil, 65_536), (200, 8_192, 65_536), (100_000, 65_536, 524_288),
    // Used up by other programs: less than what is allowed now would make it worse.
    (200, 65_536, 131_072), (200, 192_536, 262_144), (8_000, 1 << 20, 1 << 21),
  ])
  func `the advice has room for all folders, and is more than what is allowed`(
    folders: Int, present: Int?, wanted: Int
  ) {
    #expect(advice(folders, present) == "sudo sysctl fs.inotify.max_user_watches=\(wanted)")
  }

  @Test func `the kernel's limit is read`() throws {
    #expect(try #require(try WatchLimit.present(SystemFileStore())).watches > 0)
  }

  @Test func `doctor and watch advise the same`() {
    var doctor = Doctor(root: "/")
    doctor.judge(watches: 8_192, folders: 8_000)
    #expect(doctor.findings.last?.hint == "run: " + advice(8_000, 8_192))
  }
}
