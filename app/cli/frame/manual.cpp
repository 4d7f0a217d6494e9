#include "cli/frame/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/frame/command.h"
#include "cli/frame/help.h"
#include "scenario/build_info.h"

namespace coslice::cli {
namespace {

std::string capital(std::string s) {
  if (!s.empty() && s[0] >= 'a' && s[0] <= 'z') s[0] = static_cast<char>(s[0] - 'a' + 'A');
  return s;
}

/// Roff gives a meaning to backslashes, to hyphens, and to dots and quotes that begin a line.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (line_begins && (c == '.' || c == '\'')) out += std::string("\\&") + c;
    else if (c != '`') out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string roff_paragraphs(const std::string& text) {
  std::string out = ".PP\n";
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find("\n\n", from), text.size());
    out += (from > 0 ? ".PP\n" : "") + roff(text.substr(from, to - from)) + "\n";
    from = to + 2;
  }
  return out;
}

std::string roff_examples(const std::vector<Example>& examples) {
  std::string out;
  for (const Example& e : examples) {
    out += ".TP\n.B " + roff(e.command) + "\n" + (e.comment.empty() ? "\\&" : roff(capital(e.comment)) + ".") + "\n";
  }
  return out;
}

std::string roff_option(const Option& o) {
  std::string names;
  for (const std::string& n : names_of(o)) names += (names.empty() ? "\\fB" : ", \\fB") + roff(n) + "\\fR";
  return ".TP\n" + names + (o.value.empty() ? "" : " \\fI" + roff(o.value) + "\\fR") + "\n" + roff(o.doc) + "\n";
}

std::string roff_command(const Command& c) {
  std::string out = ".SS " + roff(usage_of(c)) + "\n" + roff(capital(c.summary)) + ".\n";
  if (!c.text.empty()) out += roff_paragraphs(c.text);
  for (const Argument& a : c.arguments) out += ".TP\n\\fI" + roff(a.name) + "\\fR\n" + roff(a.doc) + "\n";
  for (const Option& o : c.options) out += roff_option(o);
  return out + ".PP\nExamples:\n" + roff_examples(c.examples);
}

/// Where Markdown would read a table or a tag.
std::string code(const std::string& text) { return "`" + text + "`"; }

std::string markdown_examples(const std::vector<Example>& examples) {
  std::size_t width = 0;
  for (const Example& e : examples) width = std::max(width, e.command.size());
  std::string out = "```sh\n";
  for (const Example& e : examples) {
    out += e.comment.empty() ? e.command + "\n" : fmt::format("{:<{}}  # {}\n", e.command, width, e.comment);
  }
  return out + "```\n";
}

std::string markdown_command(const Command& c) {
  std::string out = fmt::format("\n## {}\n\n{}.\n\n{}\nUsage: {}\n", c.name, capital(c.summary),
                                markdown_examples(c.examples), code(usage_of(c)));
  if (!c.text.empty()) out += "\n" + c.text + "\n";
  if (!c.arguments.empty() || !c.options.empty()) out += "\n";
  for (const Argument& a : c.arguments) out += fmt::format("- {}: {}\n", code(a.name), a.doc);
  for (const Option& o : c.options) {
    const std::string names = fmt::format("{}", fmt::join(names_of(o), ", "));
    out += fmt::format("- {}: {}\n", code(o.value.empty() ? names : names + " " + o.value), o.doc);
  }
  return out;
}

}  // namespace

std::string manual_roff() {
  const ProgramTexts& texts = program_texts();
  std::string out = fmt::format(".TH COSLICE 1 \"\" \"coslice {}\" \"User Commands\"\n", program_version());
  out += ".SH NAME\ncoslice \\- " + roff(texts.summary) + "\n";
  out += ".SH SYNOPSIS\n.B coslice\n.I COMMAND\n[\\fIarguments\\fR] [\\fIoptions\\fR]\n";
  out += ".SH EXAMPLES\n" + roff_examples(texts.examples);
  out += ".SH DESCRIPTION\n" + roff(texts.text) + "\n.SH COMMANDS\n";
  for (const Command& c : all_commands()) out += roff_command(c);
  return out + ".SH EXIT STATUS\n" + roff(capital(exit_status_text())) + ".\n";
}

std::string manual_markdown() {
  const ProgramTexts& texts = program_texts();
  std::string out = "<!-- Written by `coslice manual --markdown`. -->\n# The program\n\n";
  out += fmt::format("`coslice` {}.\n\n{}\n{}\n\nExit status: {}.\n", texts.summary, markdown_examples(texts.examples),
                     texts.text, exit_status_text());
  for (const Command& c : all_commands()) out += markdown_command(c);
  return out;
}

}  // namespace coslice::cli
