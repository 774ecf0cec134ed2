// Thrift's exceptions and the metastore's, as this project's errors. Not for use outside this
// folder.
#pragma once

#include <string>

#include "processor/error.h"

namespace hmsync::hmsclient {

/// The server understood and refused: the connection stays usable.
class Refusal : public Error {
 public:
  using Error::Error;
};

/// The server has no such method (2.3 has no get_catalogs, 4.0 no get_table): how features are
/// found.
class UnknownMethod : public Refusal {
 public:
  explicit UnknownMethod(const std::string& text) : Refusal(ErrorKind::fatal, text) {}
};

class NoSuchObject : public Refusal {
 public:
  explicit NoSuchObject(const std::string& text) : Refusal(ErrorKind::fatal, text) {}
};

/// The server threw what the method does not declare, or answered null.
class InternalError : public Refusal {
 public:
  explicit InternalError(const std::string& text) : Refusal(ErrorKind::transient, text) {}
};

/// To be called while an exception is being handled: throws it again as an Error, with `where` in
/// front; also what the standard library throws when an answer cannot be held. Anything but a
/// Refusal may have left the connection in the middle of a message.
[[noreturn]] void rethrow_as_error(const std::string& where);

}  // namespace hmsync::hmsclient
