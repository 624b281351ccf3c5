// A file mapped into memory whose file may be truncated by somebody else. Reading beyond the file's end then gives
// zeros and a mark instead of a signal that ends the process (SIGBUS); whoever reads must expect any bytes, and ask
// require_whole() before it believes what it has computed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace binyan {

class MappedRegion {
 public:
  // Watches [address, address + size), which stays mapped for longer than this object; `name` is for messages.
  // Throws InputError where too many regions are watched.
  MappedRegion(const void* address, size_t size, std::string name);
  ~MappedRegion();
  MappedRegion(const MappedRegion&) = delete;
  MappedRegion& operator=(const MappedRegion&) = delete;

  bool is_whole() const;
  // Throws InputError where anything was read that is no longer in the file.
  void require_whole() const {
    if (!is_whole()) fail();
  }

 private:
  [[noreturn]] void fail() const;

  size_t slot_;
  std::string name_;
};

}  // namespace binyan
