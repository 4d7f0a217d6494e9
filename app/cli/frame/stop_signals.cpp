#include "cli/frame/stop_signals.h"

#include <csignal>

#include "host/limits.h"

namespace coslice::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void ask_to_stop(int) {
  asked_to_stop = 1;
  interrupt_script();
}

void ask_once(int signal) {
  ask_to_stop(signal);
  std::signal(signal, SIG_DFL);  // the next one kills
}

}  // namespace

void notice_interrupts() {
  std::signal(SIGINT, ask_once);
  std::signal(SIGTERM, ask_once);
}

void survive_interrupts() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  if (std::signal(SIGHUP, ask_to_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

bool is_interrupted() { return asked_to_stop != 0; }

void stop_if_interrupted() {
  if (is_interrupted()) throw Interrupted{};
}

}  // namespace coslice::cli
