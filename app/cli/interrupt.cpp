#include "cli/interrupt.h"

#include <csignal>

#include "host/interrupt.h"

namespace coslice::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void ask_to_stop(int signal) {
  asked_to_stop = 1;
  interrupt_script();
  std::signal(signal, SIG_DFL);  // the next one kills
}

}  // namespace

void notice_interrupts() {
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
}

bool is_interrupted() { return asked_to_stop != 0; }

void stop_if_interrupted() {
  if (is_interrupted()) throw Interrupted{};
}

}  // namespace coslice::cli
