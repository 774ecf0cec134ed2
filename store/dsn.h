// Connection strings as people write them, before anybody connects.
#pragma once

#include <string>

namespace hmsync::store {

/// Whether libpq understands it. A password with an unescaped "/" in a URI, which libpq takes for
/// a port and a database, is not accepted.
bool dsn_is_understood(const std::string& dsn);

/// As it may be shown: as written if it holds no password, else as keywords with the password
/// hidden.
std::string hide_password(const std::string& dsn);

}  // namespace hmsync::store
