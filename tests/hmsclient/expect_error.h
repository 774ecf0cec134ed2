// An expected failure, by kind and by a part of its text.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "processor/error.h"

namespace hmsync::hmsclient {

template <typename Action>
void expect_error(ErrorKind kind, const std::string& part, const Action& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown where an error with '" << part << "' was expected";
  } catch (const Error& error) {
    EXPECT_STREQ(to_string(error.kind()), to_string(kind)) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

}  // namespace hmsync::hmsclient
