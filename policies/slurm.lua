-- Slurm without associations: all users are equal. `coslice import slurm` writes such a file with a site's own.
---@type coslice.Policy
return require("slurm_site").policy {}
