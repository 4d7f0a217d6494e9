/* Policies as callbacks of C, for doors_test.py: runs one of them on a log, and writes its jobs.csv.
 * usage: policies LOG FIRST POLICY FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coslice.h"

static void must(coslice_status status) {
  if (status == COSLICE_OK) return;
  fprintf(stderr, "%s\n", coslice_error()->message);
  exit(1);
}

static double shortest(void* user, const coslice_job* job) { return (void)user, job->estimate; }
static double area(void* user, const coslice_job* job) { return (void)user, job->nodes * job->estimate; }

/* EASY backfilling from the primitives. */
static int easy_pass(void* user, coslice_view* view) {
  (void)user;
  uint32_t head;
  if (coslice_view_start_in_order(view, &head) != COSLICE_OK) return 1;
  if (head == COSLICE_NO_JOB) return 0;
  coslice_time shadow;
  int32_t extra;
  if (coslice_view_shadow(view, head, &shadow, &extra) != COSLICE_OK) return 1;
  const uint32_t* jobs;
  const size_t count = coslice_view_fitting(view, &jobs);
  for (size_t i = 0; i < count; ++i) {
    int fits, in_time;
    coslice_job job;
    if (coslice_view_fits(view, jobs[i], &fits) != COSLICE_OK) return 1;
    if (!fits) continue; /* jobs before it have started */
    if (coslice_view_ends_by(view, jobs[i], shadow, &in_time) != COSLICE_OK) return 1;
    if (coslice_view_job(view, jobs[i], &job, sizeof job) != COSLICE_OK) return 1;
    if (!in_time && job.nodes > extra) continue;
    if (coslice_view_start(view, jobs[i]) != COSLICE_OK) return 1;
    if (!in_time) extra -= job.nodes;
  }
  return 0;
}

/* The shortest job first, sorted anew in each pass, and conservative backfilling. */
static int sorted_pass(void* user, coslice_view* view) {
  (void)user;
  const uint32_t* jobs;
  const size_t count = coslice_view_waiting(view, &jobs);
  double* keys = malloc((count + 1) * sizeof *keys);
  int failed = keys == NULL;
  for (size_t i = 0; !failed && i < count; ++i) {
    coslice_job job;
    failed = coslice_view_job(view, jobs[i], &job, sizeof job) != COSLICE_OK;
    if (!failed) keys[i] = job.estimate;
  }
  failed = failed || coslice_view_rekey(view, keys, count) != COSLICE_OK;
  free(keys);
  return failed || coslice_view_conservative(view, 0) != COSLICE_OK;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  char first[60];
  snprintf(first, sizeof first, "workload.first=%s", argv[2]);
  coslice_policy policy = {0};
  policy.size = sizeof policy;
  if (strcmp(argv[3], "shortest") == 0) policy.key = shortest, policy.backfill = "easy";
  if (strcmp(argv[3], "area") == 0) policy.key = area, policy.backfill = "conservative";
  if (strcmp(argv[3], "easy_pass") == 0) policy.schedule = easy_pass;
  if (strcmp(argv[3], "sorted_pass") == 0) policy.schedule = sorted_pass;

  coslice_scenario* scenario = coslice_scenario_new();
  must(coslice_load_file(scenario, argv[1]));
  must(coslice_set(scenario, first));
  must(coslice_add_policy(scenario, argv[3], &policy));
  must(coslice_set_policies(scenario, (const char* const*)&argv[3], 1));
  coslice_simulation* simulation;
  must(coslice_prepare(scenario, &simulation));
  coslice_result* result;
  must(coslice_run(simulation, 0, NULL, &result));
  const char* csv = coslice_result_text(result, "jobs.csv");
  FILE* file = fopen(argv[4], "w");
  if (csv == NULL || file == NULL || fputs(csv, file) == EOF || fclose(file) != 0) return 1;
  coslice_result_free(result);
  coslice_simulation_free(simulation);
  coslice_scenario_free(scenario);
  return 0;
}
