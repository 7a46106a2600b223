import Foundation
import Glibc
import Testing
import VersoModel
import VersoSync
import VersoTestSupport

/// What a fetch leaves that was killed while it wrote a reference.
@Suite struct ExchangeLockTests {
  let desk: RemoteDesk

  init() throws { desk = try RemoteDesk() }

  /// An exchange with news, and the path of the lock that is in its way.
  private func locked() throws -> (exchange: Exchange, lock: String, news: ObjectID) {
    try desk.vault("a")
    try desk.vault("b")
    let news = try desk.commit("news", in: "b")
    try desk.scratch.git("-C", "b", "push", "-q", "origin", "main")
    let exchange = try desk.exchange()
    let lock = ".git/\(exchange.references.fetched).lock"
    try desk.scratch.write("", to: "a/\(lock)")
    return (exchange, desk.scratch.at("a/\(lock)"), news)
  }

  @Test func `a lock that nobody can hold any more is removed`() throws {
    let (exchange, lock, news) = try locked()
    try run(["touch", "-d", "2 minutes ago", lock])
    #expect(try exchange.fetch().after == news)
    #expect(access(lock, F_OK) != 0)
  }

  @Test func `a lock that somebody may hold is left alone`() throws {
    let (exchange, lock, _) = try locked()
    _ = try failure { try exchange.fetch() }
    #expect(access(lock, F_OK) == 0)
  }
}
