package import CLinux
import Glibc
package import VersoDisk

/// A file store that counts the calls made through it and makes chosen ones fail or be disturbed.
///
/// Closing cannot fail and is not counted.
package final class FailingFileStore: FileStore {
  /// The kinds of calls.
  package enum Call: String, Sendable, CaseIterable {
    case open, openBeneath, read, write, pwrite, fsync, truncate, status, readLink, entries
    case rename, link, symlink, unlink, makeFolder, setMode, setOwner, setModified, setLease
    case listAttributes, attribute, setAttribute, removeAttribute, linkDescriptor, setLinkOwner
    case tryLock, unlock, fileSystem
  }

  /// One call that is about to be made.
  package struct Event: Sendable {
    package let call: Call
    /// Among all calls, from 1.
    package let number: Int
    /// Among those of its kind, from 1.
    package let numberOfKind: Int
    /// The path as given; for a descriptor, the path it was opened with; for a rename, the new one.
    package let path: String
    /// Of `open`, `openBeneath` and `rename`; the type of a lease; 0 otherwise.
    package let flags: Int32
  }

  private struct State {
    var total = 0
    var counts: [Call: Int] = [:]
    var paths: [Int32: String] = [:]
  }

  private let base: any FileStore
  private let rule: @Sendable (Event) -> Int32?
  private let state = Locked(State())

  /// Makes a store that asks `rule` before each call.
  ///
  /// The rule returns the `errno` to fail with, or `nil` to let the call through. It may do something
  /// to the disk first, as another program would. It is called from any thread.
  package init(
    over base: any FileStore = SystemFileStore(), rule: @escaping @Sendable (Event) -> Int32?
  ) {
    self.base = base
    self.rule = rule
  }

  /// Makes a store in which the `number`th matching call fails.
  ///
  /// The number counts, from 1, the calls that match: those of kind `call`, if it is given, whose path
  /// contains `path`. With `onwards` every later matching call fails too.
  package convenience init(
    over base: any FileStore = SystemFileStore(), failing number: Int, with code: Int32,
    call: Call? = nil, path: String = "", onwards: Bool = false
  ) {
    let counter = Locked(0)
    self.init(over: base) { event in
      guard call == nil || event.call == call, path.isEmpty || event.path.contains(path) else {
        return nil
      }
      let count = counter.withLock { count in
        count += 1
        return count
      }
      return count == number || (onwards && count > number) ? code : nil
    }
  }

  /// How many calls were made, failed ones included.
  package var callCount: Int { state.withLock { $0.total } }
  /// How many calls of a kind were made, failed ones included.
  package func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

  private func verdict(_ call: Call, _ path: String, flags: Int32 = 0) -> Int32? {
    let event = state.withLock { state in
      state.total += 1
      state.counts[call, default: 0] += 1
      return Event(
        call: call, number: state.total, numberOfKind: state.counts[call] ?? 0, path: path,
        flags: flags)
    }
    return rule(event).map { -$0 }
  }

  private func text(_ path: UnsafePointer<CChar>) -> String { String(cString: path) }
  private func text(_ descriptor: Int32) -> String {
    state.withLock { $0.paths[descriptor] ?? "" }
  }
  /// A path, or where it is empty that of the descriptor.
  private func text(_ directory: Int32, _ path: UnsafePointer<CChar>) -> String {
    path.pointee == 0 ? text(directory) : text(path)
  }
  private func remember(_ descriptor: Int32, _ path: UnsafePointer<CChar>) -> Int32 {
    if descriptor >= 0 { state.withLock { $0.paths[descriptor] = text(path) } }
    return descriptor
  }

  package func open(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32
  ) -> Int32 {
    verdict(.open, text(path), flags: flags)
      ?? remember(base.open(directory, path, flags, mode), path)
  }
  package func openBeneath(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32
  ) -> Int32 {
    verdict(.openBeneath, text(path), flags: flags)
      ?? remember(base.openBeneath(directory, path, flags, mode), path)
  }
  package func close(_ descriptor: Int32) {
    state.withLock { $0.paths[descriptor] = nil }
    base.close(descriptor)
  }
  package func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    verdict(.read, text(descriptor)).map(Int.init) ?? base.read(descriptor, buffer, count)
  }
  package func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    verdict(.write, text(descriptor)).map(Int.init) ?? base.write(descriptor, buffer, count)
  }
  package func pwrite(
    _ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int
  ) -> Int {
    verdict(.pwrite, text(descriptor)).map(Int.init)
      ?? base.pwrite(descriptor, buffer, count, offset)
  }
  package func fsync(_ descriptor: Int32) -> Int32 {
    verdict(.fsync, text(descriptor)) ?? base.fsync(descriptor)
  }
  package func syncFileSystem(_ descriptor: Int32) -> Int32 {
    verdict(.fsync, text(descriptor)) ?? base.syncFileSystem(descriptor)
  }
  package func truncate(_ descriptor: Int32, _ size: Int) -> Int32 {
    verdict(.truncate, text(descriptor)) ?? base.truncate(descriptor, size)
  }
  package func status(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ result: inout verso_stat
  ) -> Int32 {
    verdict(.status, text(directory, path)) ?? base.status(directory, path, &result)
  }
  package func readLink(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer,
    _ count: Int
  ) -> Int {
    verdict(.readLink, text(path)).map(Int.init) ?? base.readLink(directory, path, buffer, count)
  }
  package func entries(
    _ directory: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int
  ) -> Int {
    verdict(.entries, text(directory)).map(Int.init) ?? base.entries(directory, buffer, count)
  }
  package func rename(
    _ from: Int32, _ old: UnsafePointer<CChar>, _ to: Int32, _ new: UnsafePointer<CChar>,
    _ flags: UInt32
  ) -> Int32 {
    verdict(.rename, text(new), flags: Int32(flags)) ?? base.rename(from, old, to, new, flags)
  }
  package func link(
    _ from: Int32, _ old: UnsafePointer<CChar>, _ to: Int32, _ new: UnsafePointer<CChar>
  ) -> Int32 { verdict(.link, text(new)) ?? base.link(from, old, to, new) }
  package func symlink(
    _ target: UnsafePointer<CChar>, _ directory: Int32, _ path: UnsafePointer<CChar>
  ) -> Int32 { verdict(.symlink, text(path)) ?? base.symlink(target, directory, path) }
  package func unlink(
    _ directory: Int32, _ path: UnsafePointer<CChar>, folder: Bool
  ) -> Int32 { verdict(.unlink, text(path)) ?? base.unlink(directory, path, folder: folder) }
  package func makeFolder(_ directory: Int32, _ path: UnsafePointer<CChar>, _ mode: UInt32) -> Int32
  {
    verdict(.makeFolder, text(path)) ?? base.makeFolder(directory, path, mode)
  }
  package func setMode(_ descriptor: Int32, _ mode: UInt32) -> Int32 {
    verdict(.setMode, text(descriptor)) ?? base.setMode(descriptor, mode)
  }
  package func setOwner(_ descriptor: Int32, _ owner: UInt32, _ group: UInt32) -> Int32 {
    verdict(.setOwner, text(descriptor)) ?? base.setOwner(descriptor, owner, group)
  }
  package func setModified(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ time: Timestamp
  ) -> Int32 {
    verdict(.setModified, text(directory, path)) ?? base.setModified(directory, path, time)
  }
  package func setLease(_ descriptor: Int32, _ type: Int32) -> Int32 {
    verdict(.setLease, text(descriptor), flags: type) ?? base.setLease(descriptor, type)
  }
  package func listAttributes(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    verdict(.listAttributes, text(descriptor)).map(Int.init)
      ?? base.listAttributes(descriptor, buffer, count)
  }
  package func attribute(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer?,
    _ count: Int
  ) -> Int {
    verdict(.attribute, text(name)).map(Int.init)
      ?? base.attribute(descriptor, name, buffer, count)
  }
  package func setAttribute(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int
  ) -> Int32 {
    verdict(.setAttribute, text(name)) ?? base.setAttribute(descriptor, name, value, count)
  }
  package func removeAttribute(_ descriptor: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
    verdict(.removeAttribute, text(name)) ?? base.removeAttribute(descriptor, name)
  }
  package func linkDescriptor(
    _ descriptor: Int32, _ to: Int32, _ new: UnsafePointer<CChar>
  ) -> Int32 {
    verdict(.linkDescriptor, text(new)) ?? base.linkDescriptor(descriptor, to, new)
  }
  package func setLinkOwner(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ owner: UInt32, _ group: UInt32
  ) -> Int32 {
    verdict(.setLinkOwner, text(path)) ?? base.setLinkOwner(directory, path, owner, group)
  }
  package func tryLock(_ descriptor: Int32) -> Int32 {
    verdict(.tryLock, text(descriptor)) ?? base.tryLock(descriptor)
  }
  package func unlock(_ descriptor: Int32) -> Int32 {
    verdict(.unlock, text(descriptor)) ?? base.unlock(descriptor)
  }
  package func fileSystem(
    _ descriptor: Int32, _ type: inout UInt64, _ identity: inout UInt64
  ) -> Int32 {
    verdict(.fileSystem, text(descriptor)) ?? base.fileSystem(descriptor, &type, &identity)
  }
}
