// Results go to stdout, everything else to stderr.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "report/tables/table.h"

namespace coslice::cli {

/// Writes to stdout as it is.
void print(std::string_view text);
/// Flushes stdout. Throws SimulationError if not everything could be written (a full disk behind a redirection).
/// A reader that has gone away (`| head`) is no error.
void finish_output();

/// Writes "coslice: error: <message>" to stderr, in colour on a terminal.
void report_error(std::string_view message);
/// Writes "coslice: warning: <message>" to stderr.
void report_warning(std::string_view message);
/// Writes a plain line of information to stderr.
void report_note(std::string_view message);

/// Returns columns for running text: the terminal's, but no more than 100.
std::size_t text_width(std::FILE* stream);
/// Returns the table for stdout: in a box, or without where a terminal is too narrow for one.
std::string rendered(const Table& table);

/// Returns version and build: "coslice 1.2.3 (Release, GCC 12.2.0)", then a line for each library.
std::string version_text();

}  // namespace coslice::cli
