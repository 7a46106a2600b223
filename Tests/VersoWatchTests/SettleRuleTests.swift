import Testing
import VersoDisk
import VersoWatch

@Suite struct SettleRuleTests {
  private func delay(
    quiet: Double, closed: Bool = true, writers: Writers = .none, from: UInt64 = 9, to: UInt64 = 9
  ) -> Double? {
    SettleRule().delay(
      for: .init(quiet: quiet, isClosed: closed, writers: writers, savedSize: from, size: to))
  }

  @Test func `a closed file is ready after 300 ms and a written one after two seconds`() {
    #expect(delay(quiet: 0.3) == 0)
    #expect(delay(quiet: 0.1) ?? 0 > 0.19)
    #expect(delay(quiet: 0.3, closed: false) ?? 0 > 1.6)
    #expect(delay(quiet: 2, closed: false) == 0)
  }

  @Test func `a file with a writer waits for it`() {
    #expect(delay(quiet: 100, writers: .some) == nil)
    #expect(delay(quiet: 100, writers: .unknown) == 0)
  }

  @Test func `a file that became empty waits five seconds more`() {
    #expect(delay(quiet: 0.3, to: 0) == 5)
    #expect(delay(quiet: 0.3, from: 0, to: 0) == 0)
  }
}
