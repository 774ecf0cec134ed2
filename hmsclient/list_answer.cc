#include "hmsclient/list_answer.h"

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TProtocolException.h>

#include <exception>

#include "metastore_types.h"

namespace hmsync::hmsclient {

using apache::thrift::TApplicationException;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::protocol::TType;

namespace {

void read_header(Protocol& protocol, const std::string& method) {
  std::string name;
  apache::thrift::protocol::TMessageType type{};
  int32_t sequence = 0;
  protocol.readMessageBegin(name, type, sequence);
  if (type == apache::thrift::protocol::T_EXCEPTION) {
    TApplicationException exception;
    exception.read(&protocol);
    protocol.readMessageEnd();
    throw exception;
  }
  if (type != apache::thrift::protocol::T_REPLY) {
    throw TApplicationException(TApplicationException::INVALID_MESSAGE_TYPE);
  }
  if (name != method) {
    throw TApplicationException(TApplicationException::WRONG_METHOD_NAME,
                                "the answer is to '" + name + "'");
  }
}

template <typename Exception>
std::exception_ptr read_exception(Protocol& protocol) {
  Exception exception;
  exception.read(&protocol);
  return std::make_exception_ptr(exception);
}

std::exception_ptr read_declared(Protocol& protocol, Declared declared) {
  switch (declared) {
    case Declared::no_such_object:
      return read_exception<idl::NoSuchObjectException>(protocol);
    case Declared::invalid_object:
      return read_exception<idl::InvalidObjectException>(protocol);
    case Declared::invalid_operation:
      return read_exception<idl::InvalidOperationException>(protocol);
    case Declared::meta:
      break;
  }
  return read_exception<idl::MetaException>(protocol);
}

/// Lists of any length are welcome while their elements are read one by one.
uint32_t read_list_begin(Protocol& protocol, TType wanted) {
  int8_t type = 0;
  int32_t size = 0;
  protocol.readByte(type);
  protocol.readI32(size);
  if (size < 0 || (size > 0 && type != static_cast<int8_t>(wanted))) {
    throw TProtocolException(TProtocolException::INVALID_DATA, "not the list that was asked for");
  }
  return static_cast<uint32_t>(size);
}

/// False: the rest of the answer is not wanted.
bool read_elements(Connection& connection, Protocol& protocol, TType type,
                   const ReadElement& read) {
  const uint32_t size = read_list_begin(protocol, type);
  for (uint32_t index = 0; index < size; ++index) {
    connection.begin_element();
    if (!read(protocol, index, size)) {
      connection.abandon();
      return false;
    }
  }
  connection.begin_element();
  return true;
}

/// Calls on_field(id, type) for each field; it reads the field and returns true, or returns false.
template <typename OnField>
bool read_fields(Protocol& protocol, const OnField& on_field) {
  std::string name;
  protocol.readStructBegin(name);
  for (;;) {
    TType type{};
    int16_t id = 0;
    protocol.readFieldBegin(name, type, id);
    if (type == apache::thrift::protocol::T_STOP) {
      protocol.readStructEnd();
      return true;
    }
    if (!on_field(id, type)) {
      return false;
    }
    protocol.readFieldEnd();
  }
}

}  // namespace

void read_list_answer(Connection& connection, Protocol& protocol, const ListAnswer& answer,
                      const ReadElement& read) {
  read_header(protocol, answer.method);
  const auto on_list = [&](TType type) {
    if (type != apache::thrift::protocol::T_LIST) {
      protocol.skip(type);
      return true;
    }
    return read_elements(connection, protocol, answer.element, read);
  };
  const auto on_success_field = [&](int16_t id, TType type) {
    if (id == answer.field) {
      return on_list(type);
    }
    protocol.skip(type);
    return true;
  };
  std::exception_ptr thrown = std::make_exception_ptr(
      TApplicationException(TApplicationException::MISSING_RESULT, "the answer is null"));
  const auto on_result_field = [&](int16_t id, TType type) {
    if (id == 0) {
      thrown = nullptr;
    }
    if (id == 0 && answer.in_struct && type == apache::thrift::protocol::T_STRUCT) {
      return read_fields(protocol, on_success_field);
    }
    if (id == 0 && !answer.in_struct) {
      return on_list(type);
    }
    for (const auto& [exception_id, declared] : answer.exceptions) {
      if (id == exception_id && type == apache::thrift::protocol::T_STRUCT) {
        thrown = read_declared(protocol, declared);
        return true;
      }
    }
    protocol.skip(type);
    return true;
  };
  if (read_fields(protocol, on_result_field)) {
    protocol.readMessageEnd();
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace hmsync::hmsclient
