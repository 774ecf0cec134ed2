#!/usr/bin/env python3
"""Writes copies of the sources with all mutants of mutants.toml in them: instrument.py OUT.

Beside them a source with their names. With --files it prints which sources are copied.
"""
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
NAMES = "tests/simulation/mutant_names.cc"
HEADER = '#include "tests/simulation/chosen_mutant.h"\n'


def read_mutants():
    with open(HERE / "mutants.toml", "rb") as file:
        return tomllib.load(file)["mutant"]


def with_mutants(path, mutants):
    text = (REPOSITORY / path).read_text()
    for mutant in mutants:
        found = text.count(mutant["find"])
        if found != 1:
            sys.exit(f"mutant \"{mutant['name']}\": {path} has {found} times: {mutant['find']}")
        chosen = f"::hmsync::simulation::is_chosen(\"{mutant['name']}\")"
        text = text.replace(mutant["find"], mutant["replace"].replace("CHOSEN", chosen))
    return HEADER + text


def names_source(mutants):
    names = dict.fromkeys(mutant["name"] for mutant in mutants)
    listed = "".join(f'      "{name}",\n' for name in names)
    return (HEADER + "\nstd::vector<std::string> hmsync::simulation::all_mutants() {\n"
            "  return {\n" + listed + "  };\n}\n")


def write(folder, path, text):
    """What did not change stays as it is, so that it is not compiled again."""
    target = pathlib.Path(folder) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def main(arguments):
    mutants = read_mutants()
    files = sorted({mutant["file"] for mutant in mutants})
    if arguments == ["--files"]:
        print(";".join(files), end="")
    elif len(arguments) == 1:
        write(arguments[0], NAMES, names_source(mutants))
        for path in files:
            of_path = [mutant for mutant in mutants if mutant["file"] == path]
            write(arguments[0], path, with_mutants(path, of_path))
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
