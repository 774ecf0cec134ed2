#include "daemon/program.h"

int main(int argc, char** argv) { return hmsync::daemon::run_program(argc, argv); }
