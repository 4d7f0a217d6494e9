-- Jobs of one user on a machine under the policy slurm.
--- A function that makes a job of 50 s with so many cores of a node, and with what else it is given.
return function(job, cores)
  return function(more)
    local j = { submit = 0, runtime = 50, limit = 50, nodes = 1, user = 1, group = 1, partition = 1, qos = "normal",
                request = { cores = cores } }
    for key, value in pairs(more or {}) do j[key] = value end
    return job(j)
  end
end
