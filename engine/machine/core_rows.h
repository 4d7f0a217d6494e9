// Rows of cores: where jobs share cores, each job is in one row of its partition on all of its nodes, and jobs of one
// row have no core in common. A partition has as many rows as jobs may have one core (Partition::oversubscribe); its
// rows and those of other partitions lie over one another (Partition::over). So Slurm's select plugins cons_res and
// cons_tres have it.
#pragma once

#include <vector>

#include "machine/node_pool.h"

namespace coslice {

/// Which cores a job may have, beside the numbers of rows of its partition.
inline constexpr std::int32_t kIdleCores = -1;  ///< those of no job
/// Those of no job of its own tier: of jobs of other tiers where its partition is over these.
inline constexpr std::int32_t kCoresOfOtherTiers = -2;

/// The row of a job that shares whole nodes: it has no cores by number, and none are taken for it.
inline constexpr std::int32_t kRowOfWholeNodes = -1;

/// Returns the cores that the request may not have in that row of its partition.
CoreSet cores_taken(const Request& r, const NodeRoom& room, std::int32_t row);
/// Returns how many cores the request may have in that row.
CoreShare cores_left(const Request& r, const NodeRoom& room, std::int32_t row);
/// Returns the most that it may have in any row. Precondition: has_rows(r).
CoreShare cores_in_some_row(const Request& r, const NodeRoom& room);

/// Returns whether nodes on each of which the request fits do not do together: no row has as many of them, or they have
/// too few cores in all (lacks_cores).
bool lacks_together(const Request& r, const NodePool& pool, const NodeSet& fitting);
/// Returns whether no row has enough of nodes with such rooms. Precondition: has_rows(r).
bool lacks_row(const Request& r, const std::vector<const NodeRoom*>& rooms);
/// Returns whether lacks_together() has to be asked.
inline bool needs_together(const Request& r) { return r.spread.cores != 0 || has_rows(r); }

/// Returns the rows in which a job is looked for a place, in order: idle cores, those of other tiers, then the rows of
/// its partition, those of which the most cores are taken by what runs in `pool` first.
std::vector<std::int32_t> rows_in_order(const Request& r, const NodePool& pool);

/// Gives the job cores by number in that row: of each processor in turn the first one that is left. In which row of its
/// partition it is then: the first one of `order` in which all are left. Precondition: they are left.
void number_cores(const Request& r, const NodePool& pool, std::int32_t row, const std::vector<std::int32_t>& order,
                  Parts& parts);
/// Returns whether a job of the request could not have these cores beside a job that has those.
bool in_the_way(const Request& r, const NodePart& part, const Request& other, const NodePart& others);
/// Returns whether it could not have the cores of the part beside what is there.
bool in_the_way(const Request& r, const NodePart& part, const NodeRoom& room);

/// A job in a row.
struct RowMember {
  std::uint32_t job = 0;
  std::int32_t row = 0;
  std::int64_t cores = 0;  ///< in all
  const Parts* parts = nullptr;
};

/// Puts jobs of a partition into as few rows as can be, as Slurm does when one has gone: in the order of their first
/// cores, each into the first row that has them left, the fullest row being the first. Returns those that are in
/// another row then (RowMember::row); none if some would be left over.
std::vector<RowMember*> pack_rows(std::vector<RowMember>& members, std::int32_t rows);

}  // namespace coslice
