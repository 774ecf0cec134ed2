// The one vocabulary of failure. Every exception that leaves a library of this project is an Error;
// its kind says what the caller does next, its text says what failed, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace hmsync {

enum class ErrorKind {
  transient,  ///< network, restart, serialisation: back off, hold no lock meanwhile, try again
  poison,     ///< this one event cannot be understood or applied: set it aside, go on
  fenced,     ///< somebody else may write now: drop everything, become a standby
  fatal,      ///< cannot be cured by trying again: an operator has to act
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// "transient", "poison", "fenced" or "fatal": the values of the metrics' label `kind`.
const char* to_string(ErrorKind kind);

}  // namespace hmsync
