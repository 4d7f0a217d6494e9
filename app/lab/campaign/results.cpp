#include "lab/campaign/results.h"

#include <fstream>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/campaign/database.h"
#include "lab/campaign/results_format.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

constexpr std::string_view kSqliteMagic = "SQLite format 3";

CampaignRun campaign_run(const Statement& row) {
  CampaignRun r;
  int c = 0;
  r.run = row.integer(c++);
  r.key = row.text(c++);
  r.done = row.text(c++) == "done";
  r.error = row.text(c++);
  r.policy = row.text(c++);
  r.workload = row.text(c++);
  if (!row.is_null(c)) r.seed = row.integer(c);
  ++c;
  r.point = value_from_json(row.text(c++));
  r.scenario = row.text(c++);
  if (!row.is_null(c)) r.summary = value_from_json(row.text(c));
  ++c;
  r.fingerprint = row.text(c++);
  r.version = row.text(c++);
  r.host = row.text(c++);
  r.wall_seconds = row.real(c++);
  r.cpu_seconds = row.real(c++);
  return r;
}

}  // namespace

CampaignResults::CampaignResults(const std::string& path)
    : path_(path), database_(std::make_unique<Database>(path, Database::Mode::kRead)) {
  check_results_format(*database_);
  Statement axes(*database_, "SELECT name FROM axes ORDER BY position");
  while (axes.step()) axes_.push_back(axes.text(0));
}

CampaignResults::~CampaignResults() = default;
CampaignResults::CampaignResults(CampaignResults&&) noexcept = default;

std::string CampaignResults::meta(const std::string& key) const {
  Statement s(*database_, "SELECT value FROM meta WHERE key = ?");
  return s.bind(1, key).step() ? s.text(0) : "";
}

std::int64_t CampaignResults::planned() const {
  return database_->integer("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'runs'");
}

void CampaignResults::each(const std::function<void(CampaignRun&&)>& take) const {
  Statement rows(*database_, fmt::format("SELECT {} FROM runs ORDER BY run", kRunColumns));
  const auto read = [&] {
    try {
      return campaign_run(rows);
    } catch (const InputError& e) {
      throw InputError({path_, 0, fmt::format("run {} is damaged: {}", rows.integer(0), e.diagnostic().problem),
                        "what `coslice sweep` wrote"});
    }
  };
  while (rows.step()) take(read());
}

std::vector<CampaignRun> CampaignResults::runs() const {
  std::vector<CampaignRun> all;
  each([&](CampaignRun&& r) { all.push_back(std::move(r)); });
  return all;
}

bool CampaignResults::has_jobs() const {
  return database_->integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'jobs'") != 0;
}

std::string CampaignResults::jobs_csv(std::int64_t run) const { return has_jobs() ? read_jobs(*database_, run) : ""; }

bool is_campaign_results(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char head[kSqliteMagic.size()] = {};
  in.read(head, sizeof head);
  return in && std::string_view(head, sizeof head) == kSqliteMagic;
}

}  // namespace coslice
