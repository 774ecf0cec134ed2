// What PostgreSQL takes as text: UTF-8 without U+0000.
#pragma once

#include <optional>
#include <string>

#include "processor/object.h"
#include "store/connection.h"

namespace hmsync::store {

/// U+FFFD in place of each byte that PostgreSQL refuses.
std::string storable(const std::string& text);
Parameter storable(const std::optional<std::string>& text);

/// False: no stored object can have this name, since a key cannot hold it.
bool is_storable_name(const processor::TableName& name);

}  // namespace hmsync::store
