#include "processor/object.h"

namespace hmsync::processor {

const char* to_string(OwnerType type) {
  switch (type) {
    case OwnerType::user:
      return "USER";
    case OwnerType::group:
      return "GROUP";
    case OwnerType::role:
      return "ROLE";
  }
  return "USER";
}

}  // namespace hmsync::processor
