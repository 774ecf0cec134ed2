#include "hmsclient/thrift_output.h"

#include <thrift/Thrift.h>

namespace hmsync::hmsclient {

void route_thrift_output(void (*line)(const char* text)) {
  apache::thrift::GlobalOutput.setOutputFunction(line);
}

}  // namespace hmsync::hmsclient
