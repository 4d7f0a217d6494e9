# Turns definitions for the Lua language server (lua/meta/*.lua) into the pages of the reference:
#   awk -v out=FOLDER -f lua_reference.awk lua/meta/policy.lua ... > policy-api.md
# The index goes to standard output, the pages into the folder. What a file defines stands on its page (`page`), but what
# belongs to an object that has a page of its own (`page_of`) stands there, wherever it is defined.
# A block is a run of `---` lines and the line of code behind it: a class with its fields, an alias, or a function.
# Runs in any POSIX awk.

BEGIN {
  define("library.lua", "lua", "Lua here")
  define("policy.lua", "policy", "Policies")
  add_page("view", "The view")
  add_page("job", "Jobs")
  define("placement.lua", "node", "Placement and nodes")
  define("jobs.lua", "job", "Attributes of jobs")
  define("slices.lua", "time-slices", "Time slices")
  define("coscheduling.lua", "coscheduling", "Coscheduling of processes")
  define("groups.lua", "groups", "Shared nodes")
  define("pairs.lua", "groups", "Pairs of jobs")
  define("units.lua", "units", "GPUs and nodes that jobs share")
  define("workload.lua", "workload", "Workload scripts")
  define("slowdown.lua", "slowdown", "Slowdown scripts")
  define("test.lua", "suites", "Regression suites")
  define("figures.lua", "figures", "Figures")
  define("paper.lua", "papers", "Papers")
  page_of["View"] = page_of["Slot"] = page_of["StartPlace"] = page_of["Preemption"] = page_of["Clock"] = "view"
  page_of["Job"] = "job"
  page_of["random"] = "lua"
  clear()
}

FNR == 1 {
  flush("")
  file = FILENAME
  sub(/.*\//, "", file)
  if (!(file in page)) { complain(file " has no page"); define(file, file, file) }
  section = begin_section(page[file], file, "", "")
  if (types_only()) text[section] = "\nTypes only; what they mean is on the page of [figures](figures.md).\n"
  intro = 1
}

/^---@meta/ { next }
/^---@class / { kind = "class"; name = short($2); sub(/:$/, "", name); if ($3 != "") parent = short($3); next }
/^---@alias / { kind = "alias"; name = short($2); take_type(after_words($0, 2)); aliased = type; next }
/^---@overload / { overload = short(after_words($0, 1)); next }
/^---@field / { add_row(fields++, after_words($0, 1)); next }
/^---@param / { add_row(fields++, after_words($0, 1)); next }
/^---@return / { take_type(after_words($0, 1)); return_type[returns] = type; return_doc[returns++] = rest; next }
/^---@/ { complain("the reference does not know " $1); next }
/^---/ { doc = doc (doc == "" ? "" : "\n") substr($0, 4); next }
/^--/ && intro { text[section] = text[section] (intro == 1 ? "\n" : "") substr($0, 4) "\n"; intro = 2; next }
{ if (NF == 0 || intro == 2) intro = 0; flush($0) }
END { flush(""); write_pages(); write_index(); exit exit_status }

function complain(what) { print FILENAME ":" FNR ": " what >"/dev/stderr"; exit_status = 1 }

# The page and the title of what a file defines.
function define(file, name, what) {
  page[file] = name
  title[file] = what
  add_page(name, what)
}

function add_page(name, what) {
  if (name in page_title) return
  page_title[name] = what
  pages[++page_count] = name
}

# Begins a part of a page: what a file says, or an object of it; returns its number. Parts of one page stand in the order of
# the files.
function begin_section(name, file, object, heading) {
  sections++
  on_page[sections] = name
  from_file[sections] = file
  heading_of[sections] = heading
  text[sections] = ""
  if (object != "") section_of[file, object] = sections
  return sections
}

# A heading as Markdown's readers name it in links.
function anchor(heading) {
  heading = tolower(heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

# Links to the pages of docs/, as a page in a folder below has them.
function seen_from_below(text) {
  gsub(/\]\([a-z][a-z-]*\.md/, "](../\001&", text)
  gsub(/\001\]\(/, "", text)
  return text
}

function write_pages(   i, p, name, target) {
  for (p = 1; p <= page_count; p++) {
    name = pages[p]
    target = out "/" name ".md"
    print "<!-- Generated from lua/meta by ./dev docs: edit there. -->\n# " page_title[name] >target
    for (i = 1; i <= sections; i++) {
      if (on_page[i] != name || text[i] == "") continue
      if (heading_of[i] != "") print "\n## " heading_of[i] >target
      else if (title[from_file[i]] != page_title[name]) print "\n## " title[from_file[i]] >target
      printf "%s", seen_from_below(text[i]) >target
    }
    close(target)
  }
}

# Each page with its objects.
function write_index(   i, p, name, objects) {
  print "<!-- Generated from lua/meta by ./dev docs: edit there. -->"
  print "# Lua reference\n"
  print "What policies, workload and slowdown scripts, regression suites and papers written in Lua may say and call, a page for"
  print "each. Editors with the Lua language server show the same texts while you type (`coslice new policy` writes its"
  print "settings). A `?` behind a name means that it may be left out, behind a type that it may be nil.\n"
  print "| page | what it describes |\n| --- | --- |"
  for (p = 1; p <= page_count; p++) {
    name = pages[p]
    objects = ""
    for (i = 1; i <= sections; i++)
      if (on_page[i] == name && heading_of[i] != "")
        objects = objects (objects == "" ? "" : ", ") "[" heading_of[i] "](policy-api/" name ".md#" anchor(heading_of[i]) ")"
    print "| [" page_title[name] "](policy-api/" name ".md) | " objects " |"
  }
}

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

# What figures mean is on a page of their own.
function types_only() { return file == "figures.lua" }

# Inside of a table a bar ends the cell.
function cell(text) { gsub(/\|/, "\\|", text); return text }

function print_table(   i) {
  if (fields == 0) return
  if (types_only()) {
    say("\n| field | type |\n| --- | --- |")
    for (i = 0; i < fields; i++) say("| `" field[i] "` | `" cell(field_type[i]) "` |")
    return
  }
  say("\n| field | type | meaning |\n| --- | --- | --- |")
  for (i = 0; i < fields; i++) say("| `" field[i] "` | `" cell(field_type[i]) "` | " cell(field_doc[i]) " |")
}

function say(line) { text[target] = text[target] line "\n" }
function print_doc() { if (doc != "" && !types_only()) say("\n" doc) }

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
    if (field_doc[i] != "") say((any++ ? "" : "\n") "- `" field[i] "`: " field_doc[i])
  for (i = 0; i < returns; i++) {
    word = return_doc[i]
    sub(/ .*/, "", word)
    if (word == "" || word == "...") continue
    sub(/^[^ ]+ */, "", return_doc[i])
    say((any++ ? "" : "\n") "- returns `" word "`" (return_doc[i] == "" ? "" : ": " return_doc[i]))
  }
}

function overload_signature(text,   out) {
  sub(/^fun/, "", text)
  gsub(/: *fun\(\)/, "", text)
  gsub(/: *[a-z]+/, "", text)
  return name text
}

# Where an object stands: on its page, a second part of it under the title of what that part is for.
function place_object(object, heading,   at) {
  at = object in page_of ? page_of[object] : page[file]
  if (object in described) heading = heading ": " tolower(title[file])
  described[object] = 1
  target = begin_section(at, file, object, heading)
}

# Where a function stands: with its object, or by itself.
function place_function(heading,   object) {
  object = heading
  sub(/[.:].*/, "", object)
  object = toupper(substr(object, 1, 1)) substr(object, 2)
  if (!((file, object) in section_of)) object = tolower(object)
  if ((file, object) in section_of) {
    target = section_of[file, object]
    say("\n### " heading)
  } else {
    target = begin_section(page[file], file, "", heading)
  }
}

# The block is complete; `code` is the line behind it.
function flush(code) {
  if (code ~ /^function /) {
    call = signature(code)
    heading = call
    sub(/\(.*/, "", heading)
    place_function(heading)
    say("\n`" call "`")
    print_doc()
    print_arguments()
  } else if (kind == "class") {
    place_object(name, overload == "" ? name : overload_signature(overload))
    print_doc()
    if (parent != "") say("\nHas the fields of " parent ", and these:")
    print_table()
  } else if (kind == "alias") {
    place_object(name, name)
    say("\n`" aliased "`")
    print_doc()
  }
  clear()
}
