-- Slurm without associations: all users are equal. `coslice import slurm` writes such a file with a site's own.
-- The policy is lua/lib/slurm_site.lua; its parts are lua/lib/slurm_*.lua.
---@type coslice.Policy
return require("slurm_site").policy {}
