#include "hmsclient/thrift_error.h"

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TProtocolException.h>
#include <thrift/transport/TTransportException.h>

#include <exception>
#include <new>

#include "metastore_types.h"

namespace hmsync::hmsclient {

using apache::thrift::TApplicationException;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TTransportException;

namespace {

[[noreturn]] void rethrow_application(const std::string& where, const TApplicationException& e) {
  const std::string text = where + e.what();
  switch (e.getType()) {
    case TApplicationException::UNKNOWN_METHOD:
      throw UnknownMethod(text);
    case TApplicationException::INTERNAL_ERROR:
    case TApplicationException::MISSING_RESULT:
      throw InternalError(text + "; the metastore's own log says why");
    default:
      throw Error(ErrorKind::transient, text);
  }
}

[[noreturn]] void rethrow_transport(const std::string& where, const TTransportException& e) {
  switch (e.getType()) {
    case TTransportException::TIMED_OUT:
      throw Error(ErrorKind::transient, where + "timed out");
    case TTransportException::END_OF_FILE:
      throw Error(ErrorKind::transient, where +
                                            "the metastore closed the connection (it stopped, "
                                            "failed, or expects SASL, TLS or HTTP)");
    case TTransportException::INTERRUPTED:
      throw Error(ErrorKind::transient, where + "interrupted");
    default:
      throw Error(ErrorKind::transient, where + e.what());
  }
}

[[noreturn]] void rethrow_protocol(const std::string& where, const TProtocolException& e) {
  if (e.getType() == TProtocolException::SIZE_LIMIT) {
    throw Error(ErrorKind::fatal,
                where + "one object of the answer is larger than metastore.max_message allows");
  }
  throw Error(ErrorKind::transient,
              where +
                  "the answer is not what a Hive Metastore sends over the plain binary protocol: " +
                  e.what());
}

}  // namespace

void rethrow_as_error(const std::string& where) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const idl::NoSuchObjectException& e) {
    throw NoSuchObject(where + e.message);
  } catch (const idl::MetaException& e) {
    throw Refusal(ErrorKind::transient, where + "the metastore failed: " + e.message);
  } catch (const idl::AlreadyExistsException& e) {
    throw Refusal(ErrorKind::fatal, where + "exists already: " + e.message);
  } catch (const idl::InvalidObjectException& e) {
    throw Refusal(ErrorKind::fatal, where + "invalid object: " + e.message);
  } catch (const idl::InvalidOperationException& e) {
    throw Refusal(ErrorKind::fatal, where + "invalid operation: " + e.message);
  } catch (const idl::InvalidInputException& e) {
    throw Refusal(ErrorKind::fatal, where + "invalid input: " + e.message);
  } catch (const idl::UnknownDBException& e) {
    throw NoSuchObject(where + e.message);
  } catch (const idl::ConfigValSecurityException& e) {
    throw Refusal(ErrorKind::fatal, where + "may not be asked: " + e.message);
  } catch (const TApplicationException& e) {
    rethrow_application(where, e);
  } catch (const TTransportException& e) {
    rethrow_transport(where, e);
  } catch (const TProtocolException& e) {
    rethrow_protocol(where, e);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::transient, where + "no memory for the answer");
  } catch (const std::exception& e) {
    throw Error(ErrorKind::transient, where + e.what());
  }
}

}  // namespace hmsync::hmsclient
