#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "cli/verbs.h"

namespace {

using hmsync::cli::Exit;

Exit report(Exit exit, const std::string& text) {
  std::cerr << "hmsyncctl: " << text << '\n';
  return exit;
}

Exit run(const hmsync::cli::Arguments& arguments) {
  const bool colour = std::getenv("NO_COLOR") == nullptr;
  const hmsync::cli::Output output{.out = std::cout,
                                   .err = std::cerr,
                                   .json = arguments.json,
                                   .out_colour = colour && isatty(STDOUT_FILENO) == 1,
                                   .err_terminal = isatty(STDERR_FILENO) == 1};
  const hmsync::cli::DaemonClient daemon(arguments);
  return std::visit([&](const auto& command) { return hmsync::cli::run(command, daemon, output); },
                    arguments.command);
}

Exit act(const std::vector<std::string>& words) {
  const auto parsed = hmsync::cli::parse_arguments(words);
  if (const auto* message = std::get_if<hmsync::cli::Message>(&parsed)) {
    if (message->exit != Exit::done) return report(message->exit, message->text);
    std::cout << message->text;
    return Exit::done;
  }
  return run(std::get<hmsync::cli::Arguments>(parsed));
}

}  // namespace

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  Exit exit = Exit::failed;
  try {
    exit = act({words + 1, words + count});
  } catch (const hmsync::cli::Failure& failure) {
    std::cout.flush();
    exit = report(failure.exit(), failure.what());
  } catch (const hmsync::cli::Unreachable& error) {
    std::cout.flush();
    exit = report(Exit::unreachable, error.what());
  } catch (const std::exception& error) {
    std::cout.flush();
    exit = report(Exit::failed, error.what());
  }
  // A full disk must not look like a complete export.
  if (!std::cout.flush()) exit = report(Exit::failed, "standard output cannot be written");
  return static_cast<int>(exit);
}
