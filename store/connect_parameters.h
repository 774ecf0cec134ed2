// From the options to what libpq is given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"

namespace hmsync::store {

/// In the order in which libpq shall read them: a later one wins. `dbname` holds the dsn itself and
/// is to be expanded. Reads the password file. Throws Error(fatal) for a dsn or a password file
/// that cannot be read; no text of it holds a part of either.
struct ConnectParameters {
  std::vector<std::pair<std::string, std::string>> values;
  std::string password;  ///< as far as known: to be kept out of messages
};

ConnectParameters connect_parameters(const ConnectionOptions& options);

}  // namespace hmsync::store
