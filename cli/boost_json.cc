// Boost.JSON is compiled here, once, so that no library of it has to be installed.
#include <boost/json/src.hpp>
