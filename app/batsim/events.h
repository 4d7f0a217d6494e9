// The events of Batsim's protocol, version 4. Each is declared once: its type, and what stands in its data. What reads
// it and what writes it are both made of that (messages.h), so that the two sides of a conversation, which are here
// both, cannot mean different things.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "machine/node_set.h"

namespace coslice::batsim {

using Json = nlohmann::json;

// What a message says of an event where something is wrong with it is its type and of(): "EXECUTE_JOB of job w0!7".

/// Texts and values of the other side as messages show them: printable, and not long.
std::string shown_text(const std::string& text);
std::string shown_value(const Json& value);

/// What the protocol calls an object and does not describe further.
struct Object {
  Json value = Json::object();
};

// --- what both say

/// A notification; those about nodes name them.
struct Notify {
  static constexpr const char* kType = "NOTIFY";
  static constexpr const char* kNoMoreJobs = "no_more_static_job_to_submit";
  static constexpr const char* kNodesGone = "event_machine_unavailable";
  static constexpr const char* kNodesBack = "event_machine_available";
  static constexpr const char* kAllRegistered = "registration_finished";
  static constexpr const char* kGoesOnRegistering = "continue_registration";

  std::string type;
  std::optional<NodeRanges> nodes{};

  template <class Fields>
  void fields(Fields& f) {
    f("type", type);
    f("resources", nodes);
  }
  std::string of() const;
};

/// A question: of a scheduler for "consumed_energy", of Batsim for "estimate_waiting_time".
struct Query {
  static constexpr const char* kType = "QUERY";
  Object requests;

  template <class Fields>
  void fields(Fields& f) {
    f("requests", requests);
  }
  std::string of() const { return ""; }
};

/// An answer to one.
struct Answer {
  static constexpr const char* kType = "ANSWER";
  std::optional<double> consumed_energy{};  ///< J
  std::optional<Object> estimate_waiting_time{};

  template <class Fields>
  void fields(Fields& f) {
    f("consumed_energy", consumed_energy);
    f("estimate_waiting_time", estimate_waiting_time);
  }
  std::string of() const { return ""; }
};

// --- what Batsim says

struct Resource {
  std::int64_t id = 0;
  std::string name, state = "idle";
  Object properties{}, zone_properties{};

  template <class Fields>
  void fields(Fields& f) {
    f("id", id);
    f.maybe("name", name);
    f.maybe("state", state);
    f.maybe("properties", properties);
    f.maybe("zone_properties", zone_properties);
  }
};

struct Configuration {
  bool profiles_forwarded = false, jobs_enabled = false, jobs_acknowledged = false, profiles_reused = false;
  std::optional<std::string> scheduler{};  ///< what the scheduler is told by its user

  template <class Fields>
  void fields(Fields& f) {
    bool no = false;
    std::string host = "127.0.0.1", prefix = "default";
    std::int64_t port = 6379;
    f.constant("redis-enabled", no);
    f.constant("redis-hostname", host);
    f.constant("redis-port", port);
    f.constant("redis-prefix", prefix);
    f.constant("forward-unknown-events", no);
    f.maybe("profiles-forwarded-on-submission", profiles_forwarded);
    f.maybe("dynamic-jobs-enabled", jobs_enabled);
    f.maybe("dynamic-jobs-acknowledged", jobs_acknowledged);
    f.maybe("profile-reuse-enabled", profiles_reused);
    f("sched-config", scheduler);
  }
};

struct SimulationBegins {
  static constexpr const char* kType = "SIMULATION_BEGINS";
  std::int64_t compute_nodes = 0;
  Configuration config;
  std::vector<Resource> nodes;
  Object workloads{}, profiles{};

  template <class Fields>
  void fields(Fields& f) {
    bool no = false;
    std::int64_t none = 0;
    Json empty = Json::array();
    f.maybe("nb_resources", compute_nodes);  // Batsim 2 knows no others
    f.maybe("nb_compute_resources", compute_nodes);
    f.constant("nb_storage_resources", none);
    f.constant("allow_compute_sharing", no);
    f.constant("allow_storage_sharing", no);
    f.maybe("config", config);
    f.maybe("compute_resources", nodes);
    f.constant("storage_resources", empty);
    f.constant("workloads", workloads);
    f.constant("profiles", profiles);
  }
  std::string of() const { return ""; }
};

struct SimulationEnds {
  static constexpr const char* kType = "SIMULATION_ENDS";
  template <class Fields>
  void fields(Fields&) {}
  std::string of() const { return ""; }
};

/// A job as it is submitted, by Batsim or by a scheduler that registers it. Times in seconds.
struct JobDescription {
  std::string id;
  std::optional<double> submitted{};
  std::int32_t nodes = 0;
  std::optional<double> walltime{};  ///< absent, or below 0: none
  std::string profile;
  // Batsim leaves it to its user what else jobs have; logs say these.
  std::optional<std::int32_t> user{}, group{}, executable{}, queue{}, partition{};

  template <class Fields>
  void fields(Fields& f) {
    f("id", id);
    f("subtime", submitted);
    f("res", nodes);
    f("walltime", walltime);
    f("profile", profile);
    f.hint("user", user);
    f.hint("group", group);
    f.hint("executable", executable);
    f.hint("queue", queue);
    f.hint("partition", partition);
  }
};

struct JobSubmitted {
  static constexpr const char* kType = "JOB_SUBMITTED";
  std::string job;
  JobDescription described;
  std::optional<Object> profile{};

  template <class Fields>
  void fields(Fields& f) {
    f("job_id", job);
    f("job", described);
    f("profile", profile);
  }
  std::string of() const;
};

struct JobCompleted {
  static constexpr const char* kType = "JOB_COMPLETED";
  static constexpr const char* kAtLimit = "COMPLETED_WALLTIME_REACHED";
  static constexpr const char* kWell = "COMPLETED_SUCCESSFULLY";
  static constexpr const char* kKilled = "COMPLETED_KILLED";
  static constexpr const char* kFailed = "COMPLETED_FAILED";

  std::string job, state;
  std::optional<std::int64_t> return_code{};
  NodeRanges nodes{};

  template <class Fields>
  void fields(Fields& f) {
    f("job_id", job);
    f("job_state", state);
    f("return_code", return_code);
    f.maybe("alloc", nodes);
  }
  std::string of() const;
};

struct JobKilled {
  static constexpr const char* kType = "JOB_KILLED";
  std::vector<std::string> jobs;
  std::optional<Object> progress{};  ///< by job: "profile" and "progress" from 0 to 1

  template <class Fields>
  void fields(Fields& f) {
    f("job_ids", jobs);
    f("job_progress", progress);
  }
  std::string of() const;
};

struct ResourceStateChanged {
  static constexpr const char* kType = "RESOURCE_STATE_CHANGED";
  NodeRanges nodes;
  std::string state;

  template <class Fields>
  void fields(Fields& f) {
    f("resources", nodes);
    f("state", state);
  }
  std::string of() const;
};

struct RequestedCall {
  static constexpr const char* kType = "REQUESTED_CALL";
  template <class Fields>
  void fields(Fields&) {}
  std::string of() const { return ""; }
};

// --- what a scheduler says

struct ExecuteJob {
  static constexpr const char* kType = "EXECUTE_JOB";
  std::string job;
  NodeRanges nodes;

  template <class Fields>
  void fields(Fields& f) {
    f("job_id", job);
    f("alloc", nodes);
    f.never("additional_io_job");
  }
  std::string of() const;
};

struct RejectJob {
  static constexpr const char* kType = "REJECT_JOB";
  std::string job;

  template <class Fields>
  void fields(Fields& f) {
    f("job_id", job);
  }
  std::string of() const;
};

struct KillJob {
  static constexpr const char* kType = "KILL_JOB";
  std::vector<std::string> jobs;

  template <class Fields>
  void fields(Fields& f) {
    f("job_ids", jobs);
  }
  std::string of() const;
};

struct CallMeLater {
  static constexpr const char* kType = "CALL_ME_LATER";
  double at = 0;  ///< s

  template <class Fields>
  void fields(Fields& f) {
    f("timestamp", at);
  }
  std::string of() const { return ""; }
};

struct SetResourceState {
  static constexpr const char* kType = "SET_RESOURCE_STATE";
  NodeRanges nodes;
  std::string state;

  template <class Fields>
  void fields(Fields& f) {
    f("resources", nodes);
    f("state", state);
  }
  std::string of() const;
};

struct SetJobMetadata {
  static constexpr const char* kType = "SET_JOB_METADATA";
  std::string job;
  std::optional<std::string> metadata{};

  template <class Fields>
  void fields(Fields& f) {
    f("job_id", job);
    f("metadata", metadata);
  }
  std::string of() const;
};

struct RegisterJob {
  static constexpr const char* kType = "REGISTER_JOB";
  std::string job;
  JobDescription described;
  std::optional<Object> profile{};  ///< absent: it was registered, by its name in the same workload

  template <class Fields>
  void fields(Fields& f) {
    f("job_id", job);
    f("job", described);
    f("profile", profile);
  }
  std::string of() const;
};

struct RegisterProfile {
  static constexpr const char* kType = "REGISTER_PROFILE";
  std::string workload, name;
  Object profile;

  template <class Fields>
  void fields(Fields& f) {
    f("workload_name", workload);
    f("profile_name", name);
    f("profile", profile);
  }
  std::string of() const;
};

using BatsimSays = std::variant<SimulationBegins, SimulationEnds, JobSubmitted, JobCompleted, JobKilled,
                                ResourceStateChanged, RequestedCall, Notify, Query, Answer>;
using SchedulerSays = std::variant<ExecuteJob, RejectJob, KillJob, CallMeLater, SetResourceState, Query, Answer, Notify,
                                   SetJobMetadata, RegisterJob, RegisterProfile>;

}  // namespace coslice::batsim
