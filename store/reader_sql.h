// The queries of Reader. Each answers rows of one JSON text but for the last two.
#pragma once

#include <string>

namespace hmsync::store {

/// $1 server, $2 catalog, $3 database; null: any.
std::string database_lines();
/// $1 server, $2 catalog, $3 database, $4 table; null: any.
std::string table_lines();
/// $1 server.
std::string partition_lines();
/// $1 server. Suspended grants are among them.
std::string grant_lines();
/// No parameter.
std::string role_lines();
/// $1 server, $2 role, $3 database, $4 table (null: any), $5 suspended or not.
std::string held_grant_lines();
/// $1 server, $2 scheme ('': any scheme and authority), $3 authority, $4 what the path begins with.
std::string path_lines();
/// $1 server, $2 scheme, $3 authority ('': none), $4 array of the paths that may own, $5 the path
/// that is shown.
std::string owner_line();

/// $1 server; the generation, and the cursor or what is below the first pending re-read.
extern const char* const kPosition;
/// $1 server; the fields of FollowerRow, in its order.
extern const char* const kFollowerRow;

}  // namespace hmsync::store
