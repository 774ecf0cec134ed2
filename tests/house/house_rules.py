#!/usr/bin/env python3
"""The rules of the house that a compiler does not check. house_rules.py FOLDER prints what breaks
them, one line each, and exits 1; house_rules_test.py shows that each rule can fail."""

import pathlib
import re
import subprocess
import sys

# What a folder may use beside itself. A folder that may use another gets what that one is made of.
MAY_USE = {
    "processor": [],
    "follower": ["processor"],
    "hmsclient": ["follower", "processor"],
    "store": ["follower", "processor"],
    "leader": ["store", "follower", "processor"],
    "metrics": [],
    "daemon": ["processor", "follower", "hmsclient", "store", "leader", "metrics"],
    "cli": [],
}

# The targets of a folder that are not named after it.
TARGET_FOLDERS = {
    "hmsclient_idl": "hmsclient",
    "ddl": "hmsclient",
    "ddl_idl": "hmsclient",
}

# Libraries that live in one place: what their headers, their generated headers and their targets are
# called, and who may use them. Tests of a folder may use what the folder may.
LIBRARIES = {
    "Thrift": {
        "headers": r"thrift/|.*Metastore\w*\.h$|.*metastore\w*_(types|constants)\.h$",
        "targets": r"PkgConfig::THRIFT|thrift|\w+_idl",
        "folders": ["hmsclient", "fixtures"],
    },
    "libpq": {
        "headers": r"libpq|postgresql/|postgres_ext\.h|pg_config",
        "targets": r"PostgreSQL::PostgreSQL|pq|PkgConfig::LIBPQ",
        "folders": ["store", "bench"],
    },
    "HTTP": {
        "headers": r"boost/(beast|asio)|httplib",
        "targets": r"httplib\S*",
        "folders": ["daemon", "cli", "fuzz"],
    },
}

# The pure folders take time, threads, files and sockets from nobody but their callers.
PURE = ["processor", "follower"]
IMPURE_HEADERS = (
    r"thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|fstream|iostream|"
    r"filesystem|cstdio|ctime|unistd\.h|time\.h|fcntl\.h|poll\.h|pthread\.h|signal\.h|"
    r"sys/.*|netinet/.*|arpa/.*"
)
IMPURE_WORDS = r"_clock::now|\bsleep_(for|until)\b|\bgetenv\b|\brandom_device\b"

VAGUE_NAMES = {"util", "utils", "utility", "common", "helper", "helpers", "manager", "misc", "stuff"}
MOST_LINES = 600
SCRIPTS = {".h", ".cc", ".c", ".java", ".py", ".sh", ".sql", ".cmake", ".thrift"}

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


class Tree:
    """The files of a working folder that belong to the project, committed or not."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode()
        names = sorted(set(filter(None, listed.split("\0"))))
        self.files = [pathlib.PurePosixPath(name) for name in names
                      if (self.root / name).is_file()]

    def text(self, file):
        return (self.root / file).read_text(encoding="utf-8", errors="replace")

    def code(self):
        return [file for file in self.files if file.suffix in (".h", ".cc")]

    def includes(self, file):
        """Line number, '<' or '"', and name of each include."""
        for number, line in enumerate(self.text(file).splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match[1], match[2]

    def links(self):
        """File, the folder that links, and the target that is linked."""
        for file in self.files:
            if file.name != "CMakeLists.txt" or file.parts[0] not in MAY_USE:
                continue
            text = re.sub(r"#.*", "", self.text(file))
            for call in re.finditer(r"\b(hmsync_folder|target_link_libraries)\s*\(([^)]*)\)", text):
                words = call[2].split()
                if call[1] == "hmsync_folder":
                    linking = [word for word in words if word in ("PUBLIC", "PRIVATE")]
                    words = words[words.index(linking[0]):] if linking else []
                else:
                    words = words[1:]
                for word in words:
                    if word not in ("PUBLIC", "PRIVATE", "INTERFACE"):
                        yield file, file.parts[0], word


def folder_of(file):
    """The folder of the house that a file belongs to, the one that it tests, or nothing."""
    parts = file.parts
    if parts[0] == "tests":
        return parts[1] if len(parts) > 2 else None
    return parts[0] if len(parts) > 1 else None


def target_folder(target):
    name = re.sub(r"^hmsync(::|_|-)", "", target)
    if name == target:
        return None
    name = TARGET_FOLDERS.get(name, name)
    return name if name in MAY_USE else None


def check_includes(tree):
    for file in tree.code():
        folder = file.parts[0]
        if folder not in MAY_USE:
            continue
        for number, _, name in tree.includes(file):
            other = name.split("/")[0] if "/" in name else None
            if other == "tests":
                yield f"{file}:{number}: includes {name}: only tests may use tests"
            elif other in MAY_USE and other != folder and other not in MAY_USE[folder]:
                yield f"{file}:{number}: includes {name}: {folder} may not use {other}"


def check_include_paths(tree):
    generated = re.compile(LIBRARIES["Thrift"]["headers"])
    for file in tree.code():
        for number, kind, name in tree.includes(file):
            if kind == '"' and not (tree.root / name).is_file() and not generated.match(name):
                yield f'{file}:{number}: "{name}" is not a path from the repository\'s root'


def check_links(tree):
    for file, folder, target in tree.links():
        other = target_folder(target)
        if other and other != folder and other not in MAY_USE[folder]:
            yield f"{file}: links {target}: {folder} may not use {other}"
        if folder == "daemon" and re.fullmatch(r"hmsync(::|_)ddl\w*", target):
            yield f"{file}: links {target}: the daemon never writes to a metastore"


def check_libraries(tree):
    for library, rule in LIBRARIES.items():
        headers = re.compile(rule["headers"])
        targets = re.compile(rule["targets"])
        for file in tree.code():
            if folder_of(file) in rule["folders"]:
                continue
            for number, _, name in tree.includes(file):
                if headers.match(name) and not (tree.root / name).is_file():
                    yield f"{file}:{number}: includes {name}: {library} stays in {rule['folders']}"
        for file, folder, target in tree.links():
            if targets.fullmatch(target) and folder not in rule["folders"]:
                yield f"{file}: links {target}: {library} stays in {rule['folders']}"


def check_purity(tree):
    headers = re.compile(IMPURE_HEADERS)
    words = re.compile(IMPURE_WORDS)
    for file in tree.code():
        if file.parts[0] not in PURE:
            continue
        for number, _, name in tree.includes(file):
            if headers.fullmatch(name):
                yield f"{file}:{number}: includes {name}: {file.parts[0]} is pure"
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            match = words.search(line.split("//")[0])
            if match:
                yield f"{file}:{number}: {match[0]}: {file.parts[0]} is pure"


def check_headers(tree):
    for file in tree.code():
        if file.suffix == ".h" and "#pragma once" not in tree.text(file):
            yield f"{file}: has no #pragma once"


def check_sizes(tree):
    for file in tree.files:
        script = file.suffix in SCRIPTS or file.name == "CMakeLists.txt" or (
            not file.suffix and tree.text(file).startswith("#!"))
        lines = len(tree.text(file).splitlines()) if script else 0
        if lines > MOST_LINES:
            yield f"{file}: {lines} lines, more than {MOST_LINES}"


def check_names(tree):
    for file in tree.files:
        for part in (*file.parts[:-1], file.stem):
            vague = VAGUE_NAMES & set(re.split(r"[^a-z]+", part.lower()))
            if vague:
                yield f"{file}: '{vague.pop()}' in a name does not say what the thing is for"
                break


def check_format(tree):
    files = [str(file) for file in tree.code()]
    if not files:
        return
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--style=file", *files],
                          cwd=tree.root, capture_output=True, text=True)
    if done.returncode != 0:
        wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.M)))
        for file in wrong:
            yield f"{file}: is not as clang-format would write it"
        if not wrong:
            yield f"clang-format failed: {done.stderr.strip()}"


RULES = [check_includes, check_include_paths, check_links, check_libraries, check_purity,
         check_headers, check_sizes, check_names, check_format]


def main():
    tree = Tree(sys.argv[1])
    found = [line for rule in RULES for line in rule(tree)]
    print("\n".join(found) if found else f"{len(tree.files)} files keep the rules of the house")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
