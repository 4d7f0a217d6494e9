#include "workload/sacct_survey.h"

#include <algorithm>

#include "core/error.h"
#include "workload/byte_order_mark.h"

namespace coslice {
namespace {

constexpr std::size_t kKeptAtOnce = 1 << 20;

}  // namespace

SacctSurveyor::SacctSurveyor(std::string file, SkippedLines* skipped, std::function<void(std::string_view)> copy)
    : reader_(std::move(file), SlurmSize::kCpus, skipped, SlurmArrival::kSubmitted, SacctKeeps::kNames), copy_(std::move(copy)) {}

void SacctSurveyor::take(std::string_view block) {
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    const std::string_view part = block.substr(0, end == block.npos ? end : end + 1);
    block.remove_prefix(part.size());
    if (begun_.empty() && end != part.npos) {
      line(part);
      continue;
    }
    begun_ += part;
    if (end == part.npos) return;
    line(begun_);
    begun_.clear();
  }
}

void SacctSurveyor::line(std::string_view with_end) {
  std::string_view text = with_end;
  if (!any_line_) text = without_byte_order_mark(text);
  any_line_ = true;
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const SacctReader::Row row = reader_.row(text);
  if (row == SacctReader::Row::kSkipped) return;
  kept_ += with_end;
  if (kept_.size() >= kKeptAtOnce) {
    copy_(kept_);
    kept_.clear();
  }
  if (row == SacctReader::Row::kJob) note_job(reader_.latest());
}

void SacctSurveyor::note_job(const SacctEntry& entry) {
  survey_.first_submit = survey_.jobs == 0 ? entry.submit : std::min(survey_.first_submit, entry.submit);
  survey_.last_submit = survey_.jobs == 0 ? entry.submit : std::max(survey_.last_submit, entry.submit);
  survey_.jobs += entry.elements;
  survey_.has_starts |= entry.wait >= Duration{0};
  const std::pair when{entry.submit, reader_.line()};
  const auto [at, is_new] = first_of_.try_emplace({entry.job.user, entry.job.group}, when);
  if (!is_new) at->second = std::min(at->second, when);
}

SacctSurvey SacctSurveyor::finish() {
  if (!begun_.empty()) line(begun_);
  begun_.clear();
  reader_.require_jobs(survey_.jobs > 0);
  reader_.require_history(survey_.first_submit, survey_.last_submit);
  if (!kept_.empty()) copy_(kept_);
  kept_.clear();
  survey_.names = reader_.names();
  survey_.losses = reader_.losses();
  survey_.names_reservations = reader_.has_column("Reservation");
  survey_.says_allocated = reader_.has_column("AllocTRES");
  for (const auto& [pair, when] : first_of_) survey_.users_in_groups.push_back(pair);
  std::sort(survey_.users_in_groups.begin(), survey_.users_in_groups.end(),
            [&](const auto& a, const auto& b) { return first_of_.at(a) < first_of_.at(b); });
  return std::move(survey_);
}

}  // namespace coslice
