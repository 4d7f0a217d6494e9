#include "sched/easy_hole.h"

namespace coslice {

EasyHole::EasyHole(const View& view, View::Position head) {
  const WaitingQueue& queue = view.loose_queue();
  const Profile& profile = view.profile();
  const std::int32_t n = queue.nodes(head);
  const Duration d = queue.duration(head);
  shadow = profile.earliest(n, d, view.now());
  window = shadow - view.now();
  if (shadow == kNever) extra = 0;
  // With started jobs alone in the profile the free count never falls.
  else extra = (view.reserved_count() == 0 ? profile.free_at(shadow) : profile.min_free(shadow, later(shadow, d))) - n;
}

}  // namespace coslice
