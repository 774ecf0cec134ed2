// What must be true of every object on its way to the store, whatever it was read from.
#pragma once

#include <string>

#include "processor/object.h"

namespace hmsync::fuzz {

void check_name(const std::string& name);
void check(const processor::DatabaseName& name);
void check(const processor::TableName& name);
/// It is in its normal form.
void check(const std::optional<processor::Location>& location);
void check(const processor::Database& database);
void check(const processor::Table& table);
void check(const processor::Partition& partition);

}  // namespace hmsync::fuzz
