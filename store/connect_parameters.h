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
  using Values = std::vector<std::pair<std::string, std::string>>;

  Values values;
  /// To be added to `values` for each host of the dsn in turn, so that each can be given its own
  /// time; a single empty one where there is one host, or where libpq alone can tell them apart.
  std::vector<Values> hosts;
  std::string password;  ///< as far as known: to be kept out of messages
};

ConnectParameters connect_parameters(const ConnectionOptions& options);

}  // namespace hmsync::store
