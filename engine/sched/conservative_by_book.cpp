// Conservative backfilling on a machine whose nodes differ.
#include <utility>

#include "sched/conservative_backfill.h"
#include "sched/resource_book.h"

namespace coslice {

// A job that moves up gives back what others may want: until a walk in which no job moved, there is another one at the
// next end.
void ConservativeBackfill::compress_by_book(View& view) {
  const WaitingQueue& queue = view.queue();
  const auto move_up = [&](View::Position p) {
    const Time old = queue.reserved(p);
    if (old == kNever || old <= view.now()) return;
    const Time t = view.earlier(p);
    if (t == kNever) return;
    view.reserve(p, t);
    slack_ = true;
  };
  if (order_ == CompressOrder::kQueue) {
    for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) move_up(p);
  } else {
    for (const View::Position p : compress_sequence(view)) move_up(p);
  }
}

void ConservativeBackfill::keep_by_book(View& view, const Pass& pass) {
  ResourceBook& book = *view.resources();
  if (pass.ended) {
    if (view.take_freed_early()) slack_ = true;
    if (std::exchange(slack_, false)) {
      book.begin_walk();
      compress_by_book(view);
      book.end_walk();
    }
  }
  if (pass.submitted) reserve_new(view);
}

}  // namespace coslice
