/* Simulates a scenario from C: jobs as columns, a policy that is a C function, results as columns. docs/c.md is the
 * page. With an installed libcoslice.so:  cc simulate.c $(pkg-config --cflags --libs coslice) -o simulate */
#include <stdio.h>
#include <stdlib.h>

#include "coslice.h"

/* Ends the program with what was wrong. */
static void must(coslice_status status) {
  if (status == COSLICE_OK) return;
  fprintf(stderr, "%s\n", coslice_error()->message);
  exit(status == COSLICE_BAD_INPUT ? 2 : 1);
}

/* Little work first: nodes times what the job is believed to run. */
static double little_work_first(void* user, const coslice_job* job) {
  ++*(int*)user;
  return job->nodes * job->estimate;
}

int main(void) {
  /* Five jobs, a column for each thing that they say. */
  const double submit[] = {0, 10, 20, 30, 40};
  const int64_t nodes[] = {4, 4, 2, 1, 3};
  const double runtime[] = {100, 50, 50, 20, 10};
  const coslice_column jobs[] = {
      {"submit", COSLICE_FLOAT64, submit, 5, NULL, NULL, 0},
      {"nodes", COSLICE_INT64, nodes, 5, NULL, NULL, 0},
      {"runtime", COSLICE_FLOAT64, runtime, 5, NULL, NULL, 0},
  };
  int asked = 0;
  coslice_policy policy = {0};
  policy.size = sizeof policy;
  policy.user = &asked;
  policy.key = little_work_first;
  policy.backfill = "easy";
  const char* const policies[] = {"little_work_first", "fcfs"};

  coslice_scenario* scenario = coslice_scenario_new();
  must(coslice_set(scenario, "machine.nodes=4"));
  must(coslice_set_jobs(scenario, jobs, sizeof jobs / sizeof *jobs));
  must(coslice_add_policy(scenario, "little_work_first", &policy));
  must(coslice_set_policies(scenario, policies, 2));
  coslice_simulation* simulation = NULL;
  must(coslice_prepare(scenario, &simulation));
  coslice_scenario_free(scenario);
  for (size_t i = 0; i != coslice_simulation_policies(simulation); ++i) {
    coslice_result* result = NULL;
    must(coslice_run(simulation, i, NULL, &result));
    coslice_column start;
    must(coslice_result_column(result, "jobs", "starting_time", &start));
    double wait = 0;
    must(coslice_result_figure(result, "all.wait.mean", &wait));
    printf("%-17s  mean wait %5.1f s, starts", coslice_result_policy(result), wait);
    for (size_t j = 0; j != start.length; ++j) printf(" %g", ((const double*)start.data)[j]);
    printf("\n");
    coslice_result_free(result);
  }
  coslice_simulation_free(simulation);
  printf("asked for %d keys\n", asked);
  return 0;
}
