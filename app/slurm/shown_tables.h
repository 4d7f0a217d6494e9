// What other commands print of associations, where a dump of sacctmgr or its commands are to be.
#pragma once

#include <string>

namespace coslice::slurm {

/// Throws InputError with file and line where the file is what `sacctmgr show ...`, sshare or scontrol prints: it says
/// what it is, and which command makes what is read.
void refuse_shown_tables(const std::string& path);

}  // namespace coslice::slurm
