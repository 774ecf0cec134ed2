# Writes OUTPUT, a source that holds every migrations/*.sql of FOLDER: cmake -DFOLDER= -DOUTPUT= -P
file(GLOB files ${FOLDER}/migrations/*.sql)
list(SORT files)
set(entries "")
foreach(file ${files})
  get_filename_component(stem ${file} NAME_WE)
  if(NOT stem MATCHES "^0*([0-9]+)_(.+)$")
    message(FATAL_ERROR "${file} is not named NUMBER_NAME.sql")
  endif()
  set(version ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  file(READ ${file} sql)
  string(APPEND entries "    {${version}, \"${name}\", R\"sql(${sql})sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"store/migrations.h\"

namespace hmsync::store {

std::span<const Migration> migrations() {
  static constexpr Migration kMigrations[] = {
${entries}  };
  return kMigrations;
}

}  // namespace hmsync::store
")
