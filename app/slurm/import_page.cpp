#include "slurm/import_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr std::size_t kLongestCell = 120;

/// A text in a cell of a table: bars and line ends would end it.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : printable(shortened(text, kLongestCell))) {
    if (c == '|') out += "\\|";
    else out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return out;
}

std::string setting_text(const Setting& s) { return s.value.empty() ? s.key : fmt::format("{}={}", s.key, s.value); }

}  // namespace

void ImportPage::understood(const Setting& setting, std::string as) {
  understood(setting_text(setting), place_text(setting.place), std::move(as));
}

void ImportPage::understood(std::string what, std::string where, std::string as) {
  understood_.push_back({std::move(what), std::move(where), std::move(as)});
}

void ImportPage::add_counted(const Setting& setting, std::string why, std::vector<Row>& rows, Places& places) {
  const std::string file = setting.place.source ? setting.place.source->name : "";
  const auto [at, is_new] = places.try_emplace({lower_case(setting.key), file, why}, rows.size());
  if (is_new) rows.push_back({setting_text(setting), place_text(setting.place), std::move(why)});
  else ++rows[at->second].more;
}

void ImportPage::ignored(const Setting& setting, std::string why) {
  add_counted(setting, std::move(why), ignored_, ignored_by_key_);
}

void ImportPage::warning(const Setting& setting, std::string why) {
  add_counted(setting, std::move(why), warnings_, warnings_by_key_);
}

void ImportPage::ignored(std::string what, std::string where, std::string why) {
  ignored_.push_back({std::move(what), std::move(where), std::move(why)});
}

void ImportPage::not_kept(const Setting& setting, std::string why) {
  ignored(setting, why);
  ignored_[ignored_by_key_.at({lower_case(setting.key), setting.place.source->name, std::move(why)})].loud = true;
}

void ImportPage::contradiction(const Setting& setting, std::string why) {
  contradictions_.push_back({setting_text(setting), place_text(setting.place), std::move(why)});
}

std::vector<std::string> ImportPage::warnings() const {
  std::vector<std::string> out;
  for (const std::vector<Row>* rows : {&warnings_, &contradictions_})
    for (const Row& r : *rows)
      out.push_back(fmt::format("{}: {}: {}{}", r.where, cell(r.what), r.why,
                                r.more == 0 ? "" : fmt::format(" (and {} more)", r.more)));
  return out;
}

std::vector<std::string> ImportPage::not_kept() const {
  std::vector<std::string> out;
  for (const Row& r : ignored_)
    if (r.loud)
      out.push_back(fmt::format("{}: {}{}: {}", r.where, cell(r.what),
                                r.more == 0 ? "" : fmt::format(" and {} more", r.more), r.why));
  return out;
}

void ImportPage::costs(std::string topic, std::string effect) {
  const auto same = [&](const auto& known) { return known.first == topic; };
  if (std::none_of(costs_.begin(), costs_.end(), same)) costs_.emplace_back(std::move(topic), std::move(effect));
}

std::string ImportPage::markdown(const std::string& title) const {
  std::string out = fmt::format("# {}\n\n## Understood\n\n| setting | where | became |\n| --- | --- | --- |\n", title);
  const auto row = [](const Row& r) {
    const std::string more = r.more == 0 ? "" : fmt::format(" and {} more", r.more);
    return fmt::format("| `{}` | {}{} | {} |\n", cell(r.what), cell(r.where), more, cell(r.why));
  };
  for (const Row& r : understood_) out += row(r);
  if (!warnings_.empty()) out += "\n## Warnings\n\n| setting | where | what of it |\n| --- | --- | --- |\n";
  for (const Row& r : warnings_) out += row(r);
  if (!contradictions_.empty())
    out += "\n## Contradictions\n\n| setting | where | what contradicts it |\n| --- | --- | --- |\n";
  for (const Row& r : contradictions_) out += row(r);
  out += "\n## Ignored\n\n| setting | where | why |\n| --- | --- | --- |\n";
  for (const Row& r : ignored_) out += row(r);
  out += "\n## Effect on accuracy\n\n| what differs | what that may do |\n| --- | --- |\n";
  for (const auto& [topic, effect] : costs_) out += fmt::format("| {} | {} |\n", topic, effect);
  return out;
}

}  // namespace coslice::slurm
