/* What a policy in C costs, for doors.py: starts every job in the pass in which it comes, asked one by one whether it
 * fits. usage: doors LOG; prints jobs, calls of the view, and seconds of CPU of the run. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "coslice.h"

static unsigned long calls;

static int schedule(void* user, coslice_view* view) {
  (void)user;
  const uint32_t* jobs;
  const size_t count = coslice_view_fitting(view, &jobs);
  for (size_t i = 0; i < count; ++i) {
    int fits;
    if (coslice_view_fits(view, jobs[i], &fits) != COSLICE_OK) return 1;
    ++calls;
    if (!fits) continue;
    if (coslice_view_start(view, jobs[i]) != COSLICE_OK) return 1;
    ++calls;
  }
  return 0;
}

static void must(coslice_status status) {
  if (status == COSLICE_OK) return;
  fprintf(stderr, "%s\n", coslice_error()->message);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  coslice_policy policy = {0};
  policy.size = sizeof policy;
  policy.schedule = schedule;
  const char* const names[] = {"first_fit"};
  coslice_scenario* scenario = coslice_scenario_new();
  must(coslice_load_file(scenario, argv[1]));
  must(coslice_add_policy(scenario, names[0], &policy));
  must(coslice_set_policies(scenario, names, 1));
  coslice_simulation* simulation;
  must(coslice_prepare(scenario, &simulation));
  coslice_result* result;
  const clock_t begin = clock();
  must(coslice_run(simulation, 0, NULL, &result));
  const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  printf("%zu %lu %.4f\n", coslice_simulation_jobs(simulation), calls, seconds);
  coslice_result_free(result);
  coslice_simulation_free(simulation);
  coslice_scenario_free(scenario);
  return 0;
}
