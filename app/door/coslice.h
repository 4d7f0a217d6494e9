/* coslice from C, and from whatever calls C: scenarios, jobs as columns, runs, results as columns, policies as
 * callbacks. docs/c.md has examples.
 *
 * Handles are opaque, and freed by the function of their kind; NULL may be freed. A handle is used by one thread at a
 * time, but for simulations: any number of threads may run one simulation at once. Different handles have nothing in
 * common. No function throws, ends the process or writes to the terminal.
 *
 * Functions that can fail return a coslice_status; coslice_error() says what was wrong, to the thread that called.
 * Texts are UTF-8, and end with a zero. Texts and columns that are returned live as long as the handle that they came
 * from, unless another word is here. Times are seconds since the second 0 of the workload as doubles; instants of a
 * policy's plans are whole nanoseconds (coslice_time), which compare exactly.
 *
 * What is here stays: functions keep their meaning, structs grow at their end only, enumerations get new values only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(COSLICE_BUILDS_LIBRARY)
#define COSLICE_API __attribute__((visibility("default")))
#else
#define COSLICE_API
#endif

/* Any int is a value of an enumeration in C. In C++ it is so only where the type is named; else a wrong number of a
 * caller would be undefined instead of an error. */
#ifdef __cplusplus
#define COSLICE_IS_INT : int
extern "C" {
#else
#define COSLICE_IS_INT
#endif

/* The version of this interface: that of the library is at least what a program was compiled with. */
#define COSLICE_API_VERSION 2

/* Returns COSLICE_API_VERSION of the library. */
COSLICE_API int coslice_api_version(void);
/* Returns the version of coslice, "1.2.3". */
COSLICE_API const char* coslice_version(void);

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

typedef enum coslice_status COSLICE_IS_INT {
  COSLICE_OK = 0,
  COSLICE_FAILED = 1,      /* the simulation could not go on: a policy raised an error, a disk is full */
  COSLICE_BAD_INPUT = 2,   /* a scenario, a log, a policy, a job or an argument is wrong */
  COSLICE_INTERRUPTED = 3, /* the progress callback asked for it */
  COSLICE_CALLBACK = 4,    /* a callback of a policy gave up */
  COSLICE_NO_MEMORY = 5,
  COSLICE_INTERNAL = 6 /* a fault of coslice */
} coslice_status;

/* What was wrong. Empty parts are "". */
typedef struct coslice_error_text {
  coslice_status status;
  const char* message;    /* all of it, as the program prints it: "s.toml:3: problem; expected ...; suggestion" */
  const char* file;       /* the file or the name of the text */
  int line;               /* from 1; 0: none. Of jobs that were handed in as columns: the row, from 1 */
  const char* problem;    /* what is wrong */
  const char* expected;   /* what would have been right */
  const char* suggestion; /* what to try */
} coslice_error_text;

/* Returns the last error of this thread; it lives until the next call of this thread that fails. Never NULL. */
COSLICE_API const coslice_error_text* coslice_error(void);

/* ---- Columns --------------------------------------------------------------------------------------------------- */

typedef enum coslice_type COSLICE_IS_INT {
  COSLICE_INT64 = 1,   /* int64_t; -1: not known, an empty field in jobs.csv */
  COSLICE_FLOAT64 = 2, /* double; NaN: not known */
  COSLICE_TEXT = 3,    /* bytes; the i-th text is from offsets[i] to offsets[i + 1], without a zero */
  COSLICE_CODES = 4,   /* int32_t, places in `names`; -1: not known */
  COSLICE_INT32 = 5,   /* int32_t; only of jobs that are handed in */
  COSLICE_STRINGS = 6  /* const char*; only of jobs that are handed in. NULL: not said */
} coslice_type;

typedef struct coslice_column {
  const char* name;
  coslice_type type;
  const void* data;
  size_t length;            /* rows */
  const int64_t* offsets;   /* of COSLICE_TEXT: length + 1 of them; else NULL */
  const char* const* names; /* of COSLICE_CODES; else NULL */
  size_t name_count;
} coslice_column;

/* ---- Scenarios: what is to be simulated ------------------------------------------------------------------------- */

typedef struct coslice_scenario coslice_scenario;

/* Returns an empty scenario, NULL without memory. */
COSLICE_API coslice_scenario* coslice_scenario_new(void);
COSLICE_API void coslice_scenario_free(coslice_scenario* scenario);

/* Reads a scenario (.toml), or takes a log (any other name) with defaults for everything else. Replaces what the
 * scenario said; jobs, policies and keys that are set later count. */
COSLICE_API coslice_status coslice_load_file(coslice_scenario* scenario, const char* path);
/* Reads a scenario from text. `name` is what errors call it (NULL: "scenario"); relative paths in it start in `folder`
 * (NULL: the current one). */
COSLICE_API coslice_status coslice_load_text(coslice_scenario* scenario, const char* text, const char* name,
                                             const char* folder);
/* Sets one key, "machine.nodes=64", as --set of the program does: the value is TOML, else a bare text. */
COSLICE_API coslice_status coslice_set(coslice_scenario* scenario, const char* assignment);
/* Sets a key to a text, whatever is in it. */
COSLICE_API coslice_status coslice_set_text(coslice_scenario* scenario, const char* key, const char* text);
/* Names the policies, as --policy does: names, paths, or registered ones; each is a run. */
COSLICE_API coslice_status coslice_set_policies(coslice_scenario* scenario, const char* const* names, size_t count);
/* Hands the jobs in, in place of those of the scenario: columns of equal length, called like the keys of [[jobs]]
 * (submit, nodes or processes, runtime, limit, id, user, ...). They are copied. What a row does not know is not said:
 * NaN, -1, "". */
COSLICE_API coslice_status coslice_set_jobs(coslice_scenario* scenario, const coslice_column* columns, size_t count);

/* ---- Policies --------------------------------------------------------------------------------------------------- */

/* An instant: nanoseconds since the second 0 of the workload. */
typedef int64_t coslice_time;
#define COSLICE_NEVER INT64_MAX

/* What a policy knows of a job; the true run time is not in it. */
typedef struct coslice_job {
  uint32_t job;      /* its number for the functions of a view */
  int32_t nodes;     /* that it needs */
  int64_t id;        /* the log's own number */
  double submit;     /* when it entered the queue, s */
  double estimate;   /* how long it is believed to run, s */
  double limit;      /* what its user asked for, s */
  double start;      /* when it started, s; NaN: it waits */
  int32_t processes; /* that it runs */
  int32_t user;      /* -1: not known; so below */
  int32_t group;
  int32_t executable;
  int32_t queue;
  int32_t partition;
  double memory; /* that it asks for, KB per process; -1: not known */
} coslice_job;

#define COSLICE_NO_JOB UINT32_MAX

/* What a policy sees and does: valid only inside the callback that it was handed to. */
typedef struct coslice_view coslice_view;

/* A policy as callbacks; unused ones are NULL. Give either `key`, or `schedule`, or neither. A callback that returns
 * an int returns 0, or something else to end the run with COSLICE_CALLBACK. Callbacks are called from the thread that
 * runs; a simulation that several threads run at once calls them from all of these. They must not throw. */
typedef struct coslice_policy {
  size_t size;          /* sizeof(coslice_policy) */
  void* user;           /* handed to all callbacks */
  const char* version;  /* NULL: "1" */
  const char* backfill; /* without `schedule`: "none", "easy" (NULL) or "conservative" */
  /* The run begins: what an earlier run has left is to be forgotten. */
  int (*begin)(void* user, coslice_view* view);
  /* Returns the key by which the job waits, lowest first, ties in order of submission; asked once, when it is
   * submitted. NaN ends the run. */
  double (*key)(void* user, const coslice_job* job);
  /* Makes a scheduling pass: starts and reserves. */
  int (*schedule)(void* user, coslice_view* view);
  /* Tell of a job that has entered the queue, was started, or has ended. */
  int (*submitted)(void* user, coslice_view* view, const coslice_job* job);
  int (*started)(void* user, coslice_view* view, const coslice_job* job);
  int (*ended)(void* user, coslice_view* view, const coslice_job* job);
  /* Not 0: nodes are told apart, and can be named (coslice_view_start_on), which costs time where nodes are equal; else
   * they are counted. Jobs get the lowest ones where none are named. From version 2 on. */
  int names_nodes;
} coslice_policy;

/* Registers a policy under a name (letters, digits, '_', '-', '.') for coslice_set_policies(). `policy` is copied; what
 * `user` points to outlives all runs. */
COSLICE_API coslice_status coslice_add_policy(coslice_scenario* scenario, const char* name,
                                              const coslice_policy* policy);
/* Registers a policy that is a text of Lua, as a file of its own would be. */
COSLICE_API coslice_status coslice_add_lua(coslice_scenario* scenario, const char* name, const char* text);

/* What a view knows. */
COSLICE_API coslice_time coslice_view_now(const coslice_view* view);
COSLICE_API int32_t coslice_view_free(const coslice_view* view);     /* nodes that can be had now */
COSLICE_API int32_t coslice_view_capacity(const coslice_view* view); /* nodes in all */

/* What coslice_view_events() returns is made of: */
#define COSLICE_SUBMITTED 1u /* since the last pass jobs have come, */
#define COSLICE_ENDED 2u     /* ended, */
#define COSLICE_DUE 4u       /* reserved starts are for now, */
#define COSLICE_CORRECTED 8u /* jobs have outrun their estimates */

COSLICE_API uint32_t coslice_view_events(const coslice_view* view);
/* Gives the waiting jobs in the order of the queue, or those of them that fit now (coslice_view_fits). The list lives
 * until one of the two is asked for again. */
COSLICE_API size_t coslice_view_waiting(coslice_view* view, const uint32_t** jobs);
COSLICE_API size_t coslice_view_fitting(coslice_view* view, const uint32_t** jobs);
/* Gives the running jobs in the order of their starts; the list lives until it is asked for again. */
COSLICE_API size_t coslice_view_running(coslice_view* view, const uint32_t** jobs);
/* Fills the first `size` bytes of a coslice_job: sizeof(coslice_job). */
COSLICE_API coslice_status coslice_view_job(const coslice_view* view, uint32_t job, coslice_job* out, size_t size);

/* Questions about a waiting job. */
/* Whether it could start now, for as long as it is believed to run, beside all reservations. */
COSLICE_API coslice_status coslice_view_fits(coslice_view* view, uint32_t job, int* fits);
/* The first instant from `after` on at which it could; COSLICE_NEVER if there is none. */
COSLICE_API coslice_status coslice_view_earliest(coslice_view* view, uint32_t job, coslice_time after,
                                                 coslice_time* instant);
/* For when it is reserved; COSLICE_NEVER: it is not. */
COSLICE_API coslice_status coslice_view_reservation(coslice_view* view, uint32_t job, coslice_time* instant);
/* Of a job that cannot start: when it can at the latest, and the nodes that it leaves to others then. */
COSLICE_API coslice_status coslice_view_shadow(coslice_view* view, uint32_t job, coslice_time* instant, int32_t* extra);
/* Whether it would end by then if it started now. */
COSLICE_API coslice_status coslice_view_ends_by(coslice_view* view, uint32_t job, coslice_time instant, int* ends);

/* Gives the nodes of a started job, numbered from 0 as in jobs.csv; none before its start has taken effect. The list
 * lives until it is asked for again. From version 2 on. */
COSLICE_API coslice_status coslice_view_nodes(coslice_view* view, uint32_t job, const int32_t** nodes, size_t* count);
/* Whether a waiting job without a reservation could start now on these of the nodes. As all with `_on`, for policies
 * with `names_nodes`. From version 2 on. */
COSLICE_API coslice_status coslice_view_fits_on(coslice_view* view, uint32_t job, const int32_t* nodes, size_t count,
                                                int* fits);

/* Decisions, inside `schedule` only. */
COSLICE_API coslice_status coslice_view_start(coslice_view* view, uint32_t job);
/* Starts jobs from the head of the queue while they fit; gives the first one that does not, or COSLICE_NO_JOB. */
COSLICE_API coslice_status coslice_view_start_in_order(coslice_view* view, uint32_t* left);
/* A pass of EASY backfilling with so many reservations (1 is EASY), and at most `depth` jobs tested behind them (-1:
 * all). */
COSLICE_API coslice_status coslice_view_easy(coslice_view* view, int64_t reservations, int64_t depth);
/* A pass of conservative backfilling; reservations move up in the order of the queue, or of their starts. */
COSLICE_API coslice_status coslice_view_conservative(coslice_view* view, int by_start);
/* Reserves that instant for a waiting job, replacing an earlier reservation; it must fit. */
COSLICE_API coslice_status coslice_view_reserve(coslice_view* view, uint32_t job, coslice_time instant);
COSLICE_API coslice_status coslice_view_unreserve(coslice_view* view, uint32_t job);
/* Starts the jobs whose reservations are for now. */
COSLICE_API coslice_status coslice_view_start_due(coslice_view* view);
/* Gives the waiting jobs, in the order of coslice_view_waiting(), new keys, and sorts them: lowest first. */
COSLICE_API coslice_status coslice_view_rekey(coslice_view* view, const double* keys, size_t count);

/* Starts a waiting job on the lowest of these nodes that are free, or on all of them, where they are as many as it
 * needs. From version 2 on, as all decisions that follow here. */
COSLICE_API coslice_status coslice_view_start_on(coslice_view* view, uint32_t job, const int32_t* nodes, size_t count);

/* How a running job is stopped. */
typedef enum coslice_stop COSLICE_IS_INT {
  COSLICE_REQUEUE = 1,    /* it waits again; what it did since its last checkpoint is lost */
  COSLICE_CHECKPOINT = 2, /* it writes a checkpoint first, and waits again */
  COSLICE_KILL = 3,       /* for good */
  COSLICE_SUSPEND = 4     /* it stands still on its nodes, which it may lend to others */
} coslice_stop;

/* Stops a running job after a grace of so many seconds (0: now), if it has not ended by then; one that is suspended at
 * once (grace is 0). */
COSLICE_API coslice_status coslice_view_stop(coslice_view* view, uint32_t job, coslice_stop how, double grace);
/* Lets a suspended job go on: now, or when those have ended to which it has lent nodes. */
COSLICE_API coslice_status coslice_view_resume(coslice_view* view, uint32_t job);

/* What coslice_view_preempt() gives: */
#define COSLICE_NO_ROOM 0      /* all of them together would not be enough: none was stopped */
#define COSLICE_STARTED 1      /* the job has started */
#define COSLICE_ROOM_IS_MADE 2 /* jobs stop when their grace is over, and the pass after that may start it */

/* Starts a waiting job whatever is reserved, and stops as few of the running jobs for it as are needed: the first ones
 * of the list, without those that are not needed. Those that cannot make way (they start or stop at this instant) count
 * as not in it. */
COSLICE_API coslice_status coslice_view_preempt(coslice_view* view, uint32_t job, const uint32_t* running, size_t count,
                                                coslice_stop how, double grace, int* room);

/* In all callbacks with a view. */
/* Asks for a pass at that instant. */
COSLICE_API coslice_status coslice_view_wake(coslice_view* view, coslice_time instant);
/* Notes a number under a name; its count and mean are in the summary, under notes. */
COSLICE_API coslice_status coslice_view_note(coslice_view* view, const char* name, double value);
/* Says why a job waits, for explanations. */
COSLICE_API coslice_status coslice_view_because(coslice_view* view, uint32_t job, const char* text);

/* ---- Simulations: a checked scenario with its jobs and policies ------------------------------------------------- */

typedef struct coslice_simulation coslice_simulation;

/* Loads everything that can be wrong before anything runs. The scenario may be freed, or changed for the next one. */
COSLICE_API coslice_status coslice_prepare(const coslice_scenario* scenario, coslice_simulation** simulation);
/* Results of it may live on. */
COSLICE_API void coslice_simulation_free(coslice_simulation* simulation);

COSLICE_API size_t coslice_simulation_jobs(const coslice_simulation* simulation);
COSLICE_API int32_t coslice_simulation_nodes(const coslice_simulation* simulation);
COSLICE_API size_t coslice_simulation_policies(const coslice_simulation* simulation);
/* NULL beyond the last one; so below. */
COSLICE_API const char* coslice_simulation_policy(const coslice_simulation* simulation, size_t policy);
/* What a person should know, e.g. that the machine's size was guessed. */
COSLICE_API const char* coslice_simulation_warning(const coslice_simulation* simulation, size_t warning);

/* What a run may be told and tell; unused members are 0. */
typedef struct coslice_run_options {
  size_t size; /* sizeof(coslice_run_options) */
  void* user;
  /* Called all the while: `done` of `jobs` jobs have ended. Returns 0, or something else to stop the run. */
  int (*progress)(void* user, uint64_t done, uint64_t jobs);
  /* A line that a policy in Lua prints; without it such lines are lost. */
  void (*print)(void* user, const char* line);
} coslice_run_options;

typedef struct coslice_result coslice_result;

/* Simulates the policy of that number, from 0. Each run is independent of all others. */
COSLICE_API coslice_status coslice_run(const coslice_simulation* simulation, size_t policy,
                                       const coslice_run_options* options, coslice_result** result);
COSLICE_API void coslice_result_free(coslice_result* result);

/* ---- Results ---------------------------------------------------------------------------------------------------- */

/* The tables of a result: "jobs", with the columns of jobs.csv, a row for each job in the order of the workload; and
 * "timeline", with those of timeline.csv. Returns the name of a column; NULL beyond the last one. */
COSLICE_API const char* coslice_result_column_name(coslice_result* result, const char* table, size_t column);
COSLICE_API coslice_status coslice_result_column(coslice_result* result, const char* table, const char* name,
                                                 coslice_column* out);
/* Gives all columns of a table, made at once, which takes less time than one by one; where `texts` is 0, without those
 * in which each row has a text of its own. */
COSLICE_API coslice_status coslice_result_columns(coslice_result* result, const char* table, int texts,
                                                  const coslice_column** columns, size_t* count);
/* Gives a figure by its path in summary.json, "all.wait.mean". */
COSLICE_API coslice_status coslice_result_figure(coslice_result* result, const char* path, double* value);
/* Gives a file of the run as text: "summary.json", "jobs.csv", "timeline.csv", "scenario.toml"; "summary" is
 * summary.json on one line, without what differs from machine to machine. NULL: no such file, or no memory. */
COSLICE_API const char* coslice_result_text(coslice_result* result, const char* file);
/* Gives the policy's name, and a warning about the run; NULL beyond the last one. */
COSLICE_API const char* coslice_result_policy(const coslice_result* result);
COSLICE_API const char* coslice_result_warning(const coslice_result* result, size_t warning);
/* Writes the runs of one simulation into a folder, as `coslice run --out` does. */
COSLICE_API coslice_status coslice_results_write(coslice_result* const* results, size_t count, const char* folder);

/* Says why the job of that number in the log started when it did: as lines of text, or as JSON. The run is made again
 * for it, with the policy's callbacks. The text lives until the result is freed. */
COSLICE_API coslice_status coslice_result_explain(coslice_result* result, int64_t job, int as_json, const char** text);
/* Draws the run, nodes over time, as an SVG of at most 5,000 rectangles, or as a page to move about in ("svg", "html").
 * The run is made again for it. */
COSLICE_API coslice_status coslice_result_gantt(coslice_result* result, const char* format, const char** text);

/* ---- Comparisons ------------------------------------------------------------------------------------------------ */

/* Runs of several variants, say policies, over several seeds. */
typedef struct coslice_comparison coslice_comparison;

COSLICE_API coslice_comparison* coslice_comparison_new(void);
COSLICE_API void coslice_comparison_free(coslice_comparison* comparison);
/* Adds a run of a variant; the result may be freed. Its seed is that of its scenario. */
COSLICE_API coslice_status coslice_comparison_add(coslice_comparison* comparison, const char* variant,
                                                  coslice_result* result);
/* Compares all variants with the first one, as `coslice compare` does: "table", "markdown", "csv", "latex" or "json".
 * `figures`: names with commas, "wait,wait.p95"; NULL: the usual ones. The text lives until the next call. */
COSLICE_API coslice_status coslice_comparison_text(coslice_comparison* comparison, const char* format,
                                                   const char* figures, const char** text);

/* ---- What there is ---------------------------------------------------------------------------------------------- */

/* Returns the name of a policy that comes with coslice or is found beside it; NULL beyond the last one. */
COSLICE_API const char* coslice_policy_name(size_t policy);

#ifdef __cplusplus
}
#endif
