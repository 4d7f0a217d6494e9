#include "workload/job_extras.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <utility>
#include <variant>

#include "workload/attributes.h"

namespace coslice {

namespace {

/// A time that no field of SWF has.
constexpr bool is_time_beside(const Attribute& a) { return a.kind == Attribute::Kind::kSeconds && a.swf < 0; }

/// Whether the job has one of them. Asked of each job that is written, and few have one.
bool has_time_beside(const Job& job) {
  const auto has = [&]<std::size_t i>() {
    if constexpr (is_time_beside(kAttributes[i])) return kAttributes[i].span(job) >= Duration::zero();
    else return false;
  };
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return (has.template operator()<i>() || ...); }
  (std::make_index_sequence<kAttributes.size()>());
}

bool is_plain(char c) { return c != '%' && c != ';' && static_cast<unsigned char>(c) > 0x20 && c != 0x7f; }

void read_time(std::string_view text, Job& job, const Attribute& a, JobExtrasStore& store) {
  double seconds = -1;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (seconds >= a.low && seconds <= a.high) store.set(job, std::get<Duration JobExtras::*>(a.member), from_seconds(seconds));
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] != '%' || i + 2 >= text.size() || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(code);
    i += 2;
  }
  return out;
}

}  // namespace

void JobExtrasStore::set(Job& job, const Attribute& a, std::string text) {
  if (a.text(job) == text) return;
  JobExtras all = *job.extras;
  all.texts.resize(kAttributes.size());
  all.texts[static_cast<std::size_t>(&a - kAttributes.data())] = std::move(text);
  if (std::all_of(all.texts.begin(), all.texts.end(), [](const std::string& t) { return t.empty(); })) all.texts.clear();
  set(job, std::move(all));
}

void JobExtrasStore::set(Job& job, JobExtras extras) {
  job.extras = &kNoExtras;
  if (extras == kNoExtras) return;
  if (!rows_ || rows_.use_count() > 1) rows_ = std::make_shared<Rows>(Rows{rows_, {}});
  job.extras = &*rows_->extras.insert(std::move(extras)).first;
}

void JobExtrasStore::move_instants(Job& job, Duration by) {
  if (!job.has_extras()) return;
  JobExtras all = *job.extras;
  for (Duration JobExtras::*at : kInstantsOfJobs)
    if (Duration& t = all.*at; t >= Duration{0}) t = std::max(t + by, Duration{0});
  set(job, std::move(all));
}

void append_texts(std::string& out, const Job& job) {
  if (job.extras->texts.empty() && !has_time_beside(job)) return;
  out += " ;";
  for (const Attribute& a : kAttributes) {
    if (is_time_beside(a) && a.span(job) >= Duration::zero()) out.append(" ").append(a.name).append("=").append(format_seconds(a.span(job)));
    if (!a.is_text() || a.text(job).empty()) continue;
    out.append(" ").append(a.name).append("=");
    for (const char c : a.text(job)) {
      if (is_plain(c)) out += c;
      else out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
}

void read_texts(std::string_view remark, Job& job, JobExtrasStore& store) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  for (;;) {
    remark.remove_prefix(std::min(remark.find_first_not_of(kBlanks), remark.size()));
    if (remark.empty()) return;
    const std::string_view token = remark.substr(0, remark.find_first_of(kBlanks));
    remark.remove_prefix(token.size());
    const std::size_t equals = token.find('=');
    const Attribute* a = equals == token.npos ? nullptr : find_attribute(token.substr(0, equals));
    if (a != nullptr && is_time_beside(*a)) read_time(token.substr(equals + 1), job, *a, store);
    if (a != nullptr && a->is_text()) store.set(job, *a, decoded(token.substr(equals + 1)));
  }
}

}  // namespace coslice
