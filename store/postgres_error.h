// The one place where PostgreSQL's errors become Errors.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

#include "processor/error.h"

namespace hmsync::store {

/// What a SQLSTATE means for the caller. An empty one stands for a lost connection.
ErrorKind kind_of_sqlstate(std::string_view sqlstate);

/// Whether a statement was refused because the database, or this session of it, is read-only.
bool tells_of_read_only_database(const PGresult* result);

/// The error that a result carries, and what to do where the server does not say it.
Error statement_error(const PGresult* result);

/// Why a connection was not made. `message` is libpq's, made with PQERRORS_VERBOSE, since libpq 15
/// tells the SQLSTATE of a failed connect in no other way; `password` is blotted out of it.
Error connect_error(std::string_view message, std::string_view password);

/// libpq repeats pieces of a connection string that it cannot read in quotes: they may be secret.
std::string without_quoted(std::string_view message);

/// libpq's messages end in a line's end, and some have several lines.
std::string one_line(std::string_view text);

}  // namespace hmsync::store
