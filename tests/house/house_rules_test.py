#!/usr/bin/env python3
"""Shows for each rule of the house that it passes a good tree and fails a bad one."""

import pathlib
import subprocess
import tempfile
import unittest

import house_rules

FORMAT = "BasedOnStyle: Google\n"


class HouseRules(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory(prefix="hmsync-house-")
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        for name, text in {".clang-format": FORMAT, **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return house_rules.Tree(root)

    def found(self, rule, files):
        return list(rule(self.tree(files)))

    def assert_breaks(self, rule, files, *words):
        """Exactly one line is found, and the words are in it."""
        found = self.found(rule, files)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def assert_keeps(self, rule, files):
        self.assertEqual(self.found(rule, files), [])

    def test_a_folder_includes_only_what_it_may(self):
        rule = house_rules.check_includes
        self.assert_breaks(rule, {"processor/a.cc": '#include "store/b.h"\n'},
                           "processor/a.cc:1", "may not use store")
        self.assert_breaks(rule, {"cli/a.cc": '#include "processor/b.h"\n'}, "cli may not use")
        self.assert_breaks(rule, {"metrics/a.h": "#include <follower/b.h>\n"}, "metrics may not")
        self.assert_breaks(rule, {"store/a.h": '#  include "leader/b.h"\n'}, "store may not")
        self.assert_breaks(rule, {"daemon/a.h": '#include "cli/b.h"\n'}, "daemon may not use cli")
        self.assert_breaks(rule, {"daemon/a.h": '#include "tests/fixtures/b.h"\n'}, "only tests")
        self.assert_keeps(rule, {"follower/a.h": '#include "processor/b.h"\n#include <vector>\n',
                                 "leader/a.h": '#include "store/b.h"\n',
                                 "tests/processor/a.cc": '#include "store/b.h"\n'})

    def test_includes_are_paths_from_the_root(self):
        rule = house_rules.check_include_paths
        self.assert_breaks(rule, {"store/a.cc": '#include "a.h"\n', "store/a.h": ""}, '"a.h"')
        self.assert_breaks(rule, {"store/a.cc": '#include "../processor/a.h"\n'}, "../processor")
        self.assert_keeps(rule, {"store/a.cc": '#include "store/a.h"\n', "store/a.h": ""})

    def test_a_folder_links_only_what_it_may(self):
        rule = house_rules.check_links
        self.assert_breaks(
            rule, {"follower/CMakeLists.txt": "hmsync_folder(follower SOURCES a.cc\n PUBLIC hmsync::store)\n"},
            "follower may not use store")
        self.assert_breaks(
            rule, {"cli/CMakeLists.txt": "target_link_libraries(hmsyncctl PRIVATE hmsync_daemon)\n"},
            "cli may not use daemon")
        self.assert_breaks(
            rule, {"daemon/CMakeLists.txt": "target_link_libraries(hmsyncd PRIVATE hmsync::ddl)\n"},
            "never writes")
        self.assert_keeps(rule, {
            "store/CMakeLists.txt":
                "hmsync_folder(store SOURCES leader.cc PUBLIC hmsync::follower)\n"
                "# target_link_libraries(hmsync_store PRIVATE hmsync::daemon)\n",
            "hmsclient/CMakeLists.txt":
                "target_link_libraries(hmsync-ddl PRIVATE hmsync_build hmsync::ddl CLI11::CLI11)\n"})

    def test_libraries_stay_behind_their_folder(self):
        rule = house_rules.check_libraries
        self.assert_breaks(rule, {"daemon/a.cc": "#include <thrift/Thrift.h>\n"}, "Thrift stays")
        self.assert_breaks(rule, {"store/a.cc": '#include "Metastore.h"\n'}, "Thrift stays")
        self.assert_breaks(rule, {"follower/a.h": '#include "metastore_types.h"\n'}, "Thrift stays")
        self.assert_breaks(rule, {"leader/a.cc": "#include <libpq-fe.h>\n"}, "libpq stays")
        self.assert_breaks(rule, {"metrics/a.cc": "#include <boost/beast.hpp>\n"}, "HTTP stays")
        self.assert_breaks(
            rule, {"daemon/CMakeLists.txt": "hmsync_folder(daemon PRIVATE PkgConfig::THRIFT)\n"},
            "Thrift stays")
        self.assert_breaks(
            rule, {"leader/CMakeLists.txt": "hmsync_folder(leader PUBLIC PostgreSQL::PostgreSQL)\n"},
            "libpq stays")
        self.assert_keeps(rule, {
            "hmsclient/a.cc": '#include <thrift/Thrift.h>\n#include "Metastore.h"\n',
            "store/a.cc": "#include <libpq-fe.h>\n",
            "store/CMakeLists.txt": "hmsync_folder(store PUBLIC PostgreSQL::PostgreSQL)\n",
            "cli/a.cc": "#include <boost/beast/http.hpp>\n",
            "tests/store/a.cc": "#include <libpq-fe.h>\n"})

    def test_pure_folders_have_no_clock_thread_file_or_socket(self):
        rule = house_rules.check_purity
        self.assert_breaks(rule, {"follower/a.cc": "#include <thread>\n"}, "thread")
        self.assert_breaks(rule, {"processor/a.cc": "#include <sys/socket.h>\n"}, "socket")
        self.assert_breaks(rule, {"follower/a.cc": "\nauto t = steady_clock::now();\n"}, ":2:")
        self.assert_keeps(rule, {"follower/a.cc": "#include <chrono>\n// steady_clock::now\n",
                                 "daemon/a.cc": "#include <thread>\n"})

    def test_a_header_can_be_included_twice(self):
        self.assert_breaks(house_rules.check_headers, {"store/a.h": "int a();\n"}, "pragma once")
        self.assert_keeps(house_rules.check_headers, {"store/a.h": "#pragma once\n"})

    def test_no_file_is_too_long(self):
        rule = house_rules.check_sizes
        self.assert_breaks(rule, {"store/a.cc": "\n" * 601}, "601 lines")
        self.assert_breaks(rule, {"tests/run": "#!/bin/bash\n" + "\n" * 600}, "601 lines")
        self.assert_keeps(rule, {"store/a.cc": "\n" * 600, "tests/samples/a.jsonl": "\n" * 5000})

    def test_names_say_what_a_thing_is_for(self):
        rule = house_rules.check_names
        self.assert_breaks(rule, {"store/string_util.h": ""}, "util")
        self.assert_breaks(rule, {"common/a.h": ""}, "common")
        self.assert_breaks(rule, {"daemon/lease_manager.cc": ""}, "manager")
        self.assert_keeps(rule, {"store/utilisation.h": ""})

    def test_the_tree_is_formatted(self):
        rule = house_rules.check_format
        self.assert_breaks(rule, {"store/a.cc": "int  main( ){return 0;}\n"}, "store/a.cc")
        self.assert_keeps(rule, {"store/a.cc": "int main() { return 0; }\n"})

    def test_files_that_git_ignores_do_not_count(self):
        self.assert_keeps(house_rules.check_headers,
                          {".gitignore": "/build/\n", "build/a.h": "int a();\n"})

    def test_every_rule_is_run(self):
        defined = {value for name, value in vars(house_rules).items() if name.startswith("check_")}
        self.assertEqual(defined, set(house_rules.RULES))


if __name__ == "__main__":
    unittest.main()
