import CLinux
import Glibc

extension SystemFileStore {
  package func listAttributes(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int { verso_list_attributes(descriptor, buffer, count) }

  package func attribute(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer?,
    _ count: Int
  ) -> Int { verso_attribute(descriptor, name, buffer, count) }

  package func setAttribute(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int
  ) -> Int32 { verso_set_attribute(descriptor, name, value, count) }

  package func removeAttribute(_ descriptor: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
    verso_remove_attribute(descriptor, name)
  }

  package func linkDescriptor(
    _ descriptor: Int32, _ to: Int32, _ new: UnsafePointer<CChar>
  ) -> Int32 { verso_link_descriptor(descriptor, to, new) }

  package func setLinkOwner(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ owner: UInt32, _ group: UInt32
  ) -> Int32 {
    Glibc.fchownat(directory, path, owner, group, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0
  }

  package func tryLock(_ descriptor: Int32) -> Int32 { verso_try_flock(descriptor) }
  package func unlock(_ descriptor: Int32) -> Int32 { verso_unlock(descriptor) }

  package func fileSystem(
    _ descriptor: Int32, _ type: inout UInt64, _ identity: inout UInt64
  ) -> Int32 {
    var free: UInt64 = 0
    return verso_statfs(descriptor, &type, &identity, &free)
  }
}
