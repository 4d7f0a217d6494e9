# Turns definitions for the Lua language server (lua/meta/*.lua) into the reference page:
#   awk -f lua_reference.awk lua/meta/policy.lua ... > policy-api.md
# A block is a run of `---` lines and the line of code behind it: a class with its fields, an alias, or a function.
# Runs in any POSIX awk.

BEGIN {
  title["library.lua"] = "Lua here"
  title["policy.lua"] = "Policies"
  title["jobs.lua"] = "Attributes of jobs"
  title["slices.lua"] = "Time slices"
  title["coscheduling.lua"] = "Coscheduling of processes"
  title["groups.lua"] = "Shared nodes"
  title["pairs.lua"] = "Pairs of jobs"
  title["workload.lua"] = "Workload scripts"
  title["slowdown.lua"] = "Slowdown scripts"
  title["test.lua"] = "Regression suites"
  title["figures.lua"] = "Figures"
  title["paper.lua"] = "Papers"
  print "<!-- Generated from lua/meta by ./dev docs: edit there. -->"
  print "# Lua reference\n"
  print "What policies, workload and slowdown scripts, regression suites and papers written in Lua may say and call. Editors"
  print "with the Lua"
  print "language server show the same texts while you type (`coslice new policy` writes its settings). A `?` behind a"
  print "name means that it may be left out, behind a type that it may be nil."
  clear()
}

FNR == 1 {
  flush("")
  file = FILENAME
  sub(/.*\//, "", file)
  print "\n## " (file in title ? title[file] : file)
  intro = 1
}

/^---@meta/ { next }
/^---@class / { kind = "class"; name = short($2); sub(/:$/, "", name); if ($3 != "") parent = short($3); next }
/^---@alias / { kind = "alias"; name = short($2); take_type(after_words($0, 2)); aliased = type; next }
/^---@overload / { overload = short(after_words($0, 1)); next }
/^---@field / { add_row(fields++, after_words($0, 1)); next }
/^---@param / { add_row(fields++, after_words($0, 1)); next }
/^---@return / { take_type(after_words($0, 1)); return_type[returns] = type; return_doc[returns++] = rest; next }
/^---@/ { print FILENAME ":" FNR ": the reference does not know " $1 >"/dev/stderr"; exit_status = 1; next }
/^---/ { doc = doc (doc == "" ? "" : "\n") substr($0, 4); next }
/^--/ && intro { print (intro == 1 ? "\n" : "") substr($0, 4); intro = 2; next }
{ if (NF == 0 || intro == 2) intro = 0; flush($0) }
END { flush(""); exit exit_status }

function clear() { kind = ""; name = ""; parent = ""; doc = ""; overload = ""; aliased = ""; fields = 0; returns = 0 }

# The text behind the first n words.
function after_words(text, n) {
  while (n-- > 0) sub(/^[^ ]+ */, "", text)
  return text
}

# Names of the interface without their common prefix.
function short(text) { gsub(/coslice\./, "", text); return text }

# Splits "type the rest" into `type` and `rest`. A type may have spaces inside of brackets and behind `:`, `,` and `|`.
function take_type(text,   i, c, before, depth) {
  depth = 0
  before = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (index("({[<", c)) depth++
    if (index(")}]>", c)) depth--
    if (c == " " && depth == 0 && before !~ /[:,|]/) break
    before = c
  }
  type = short(substr(text, 1, i - 1))
  rest = substr(text, i + 1)
}

function add_row(i, text,   word) {
  word = text
  sub(/ .*/, "", word)
  take_type(after_words(text, 1))
  field[i] = word
  field_type[i] = type
  field_doc[i] = rest
}

# Inside of a table a bar ends the cell.
function cell(text) { gsub(/\|/, "\\|", text); return text }

function print_table(   i) {
  if (fields == 0) return
  print "\n| field | type | meaning |\n| --- | --- | --- |"
  for (i = 0; i < fields; i++) print "| `" field[i] "` | `" cell(field_type[i]) "` | " cell(field_doc[i]) " |"
}

function print_doc() { if (doc != "") print "\n" doc }

# "view:waiting(after?: Job): fun(): Job?" from the line of code "function View:waiting(after) end" and the annotations.
function signature(code,   out, i) {
  sub(/^function /, "", code)
  sub(/\(.*/, "", code)
  if (code ~ /^[A-Z]/) code = tolower(substr(code, 1, 1)) substr(code, 2)
  out = code "("
  for (i = 0; i < fields; i++) out = out (i == 0 ? "" : ", ") field[i] ": " field_type[i]
  out = out ")"
  for (i = 0; i < returns; i++) out = out (i == 0 ? ": " : ", ") return_type[i] (return_doc[i] == "..." ? "..." : "")
  return out
}

# What is said of arguments and results, where something is.
function print_arguments(   i, any, word) {
  for (i = 0; i < fields; i++)
    if (field_doc[i] != "") print (any++ ? "" : "\n") "- `" field[i] "`: " field_doc[i]
  for (i = 0; i < returns; i++) {
    word = return_doc[i]
    sub(/ .*/, "", word)
    if (word == "" || word == "...") continue
    sub(/^[^ ]+ */, "", return_doc[i])
    print (any++ ? "" : "\n") "- returns `" word "`" (return_doc[i] == "" ? "" : ": " return_doc[i])
  }
}

function overload_signature(text,   out) {
  sub(/^fun/, "", text)
  gsub(/: *fun\(\)/, "", text)
  gsub(/: *[a-z]+/, "", text)
  return name text
}

# The block is complete; `code` is the line behind it.
function flush(code) {
  if (code ~ /^function /) {
    print "\n#### `" signature(code) "`"
    print_doc()
    print_arguments()
  } else if (kind == "class") {
    print "\n### " (overload == "" ? name : "`" overload_signature(overload) "`")
    print_doc()
    if (parent != "") print "\nHas the fields of " parent ", and these:"
    print_table()
  } else if (kind == "alias") {
    print "\n### " name "\n\n`" aliased "`"
    print_doc()
  }
  clear()
}
