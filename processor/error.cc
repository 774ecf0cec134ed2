#include "processor/error.h"

namespace hmsync {

const char* to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::transient:
      return "transient";
    case ErrorKind::poison:
      return "poison";
    case ErrorKind::fenced:
      return "fenced";
    case ErrorKind::fatal:
      return "fatal";
  }
  return "fatal";
}

}  // namespace hmsync
