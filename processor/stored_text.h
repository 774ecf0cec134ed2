// Text that came with an event and that the store has to take.
#pragma once

#include <string>
#include <string_view>

namespace hmsync::processor {

/// PostgreSQL's `text` holds valid UTF-8 without U+0000. Throws Error(poison) for anything else,
/// naming `what` and not its content.
std::string stored_text(std::string_view raw, std::string_view what);

/// The same for the name of a catalog, database, table or column: in lower case (ASCII letters
/// only, as the metastore compares names).
std::string stored_name(std::string_view raw, std::string_view what);

}  // namespace hmsync::processor
