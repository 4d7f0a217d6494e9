#!/usr/bin/env bash
# The architecture, checked: which folder may include which, how long a file may be, what no file may say.
# shellcheck disable=SC2046  # lists of files, whose names have no blanks
set -uo pipefail
cd "$(dirname "$0")/.." || exit
problems=0

complain() {
  echo "$*"
  problems=$((problems + 1))
}

# The folders in the order of their dependencies: each may include itself and what is named beside it.
allowed() {
  case $1 in
    engine/core) echo core ;;
    engine/machine) echo core machine ;;
    engine/jobs) echo core machine jobs ;;
    engine/formats) echo core machine jobs formats ;;
    engine/availability) echo core machine jobs availability ;;
    engine/schedule) echo core machine jobs availability schedule ;;
    engine/events) echo core machine jobs availability schedule events ;;
    engine/sharing) echo core machine jobs availability schedule events sharing ;;
    engine/slices) echo core machine jobs availability schedule events sharing slices ;;
    engine/run) echo core machine jobs availability schedule events sharing slices run ;;
    engine/process) echo core machine jobs schedule events process ;;
    engine/observe) echo core machine jobs availability schedule events sharing slices process observe ;;
    engine/metrics) echo core machine jobs observe metrics ;;
    engine/output) echo core machine jobs formats observe metrics output ;;
    engine/report) echo core machine jobs formats slices observe metrics output report ;;
    lua/host) echo core host ;;
    lua/formula) echo core jobs host formula ;;
    lua/api | lua/lib) echo core machine jobs formats availability schedule events sharing slices process observe metrics host formula api lib ;;
    app/scenario) echo core machine jobs formats events sharing run process observe metrics output report host api scenario ;;
    app/runner) echo core machine jobs formats schedule slices run process observe metrics output report host api scenario runner ;;
    app/batsim) echo core machine jobs availability schedule events run observe metrics output host api scenario runner batsim ;;
    app/testing) echo core machine jobs formats observe metrics output report host api scenario runner testing ;;
    app/lab) echo core machine jobs formats observe metrics output report host api scenario runner testing lab ;;
    app/slurm) echo core machine jobs formats output report slurm ;;
    app/drive) echo core machine jobs formats availability schedule events sharing slices run observe metrics host api scenario runner lab slurm drive ;;
    app/door) echo core machine jobs formats schedule observe metrics output report host api scenario runner lab door ;;
    app/cli) echo core machine jobs formats availability schedule events slices observe metrics output report host api scenario runner batsim testing lab slurm drive cli ;;
    *) return 1 ;;
  esac
}

sources() { find "$@" -type f \( -name '*.cpp' -o -name '*.h' \) 2>/dev/null | LC_ALL=C sort; }

# Each folder and what it may depend on, a line each; an unknown folder has nothing behind it.
dependencies() {
  local folder
  for folder in $(sources engine lua app | cut -d/ -f1-2 | uniq); do echo "$folder $(allowed "$folder")"; done
}

# One process for all files: a process for each took a quarter of a minute.
check_includes() {
  local complaints
  complaints=$(dependencies | awk '
    FNR == NR { folder = $1; $1 = ""; may[folder] = $0 " "; next }
    FNR == 1 {
      split(FILENAME, part, "/")
      folder = part[1] "/" part[2]
      if (may[folder] ~ /^ *$/) print FILENAME ": the folder " folder " has no place in the order of dependencies"
    }
    may[folder] !~ /^ *$/ && /^#include "/ {
      split($2, included, /["\/]/)
      if (index(may[folder], " " included[2] " ") == 0)
        print FILENAME ": includes " $2 ", but " folder " may depend on:" may[folder]
    }' - $(sources engine lua app))
  [ -z "$complaints" ] || complain "$complaints"
}

check_engine_knows_no_lua() {
  local hits
  hits=$(grep -nE '#include *[<"](lua|lauxlib|lualib|host/|api/|scenario/|lab/|cli/)' -r engine | grep -v '^$')
  [ -z "$hits" ] || complain "the engine includes Lua:
$hits"
}

check_lengths() {
  local complaints
  complaints=$(awk 'FNR == 901 { print FILENAME ": more than 900 lines; a file is one idea under 900" }' \
    $(sources engine lua app tests examples) $(find policies lua tests -name '*.lua' 2>/dev/null))
  [ -z "$complaints" ] || complain "$complaints"
}

# Texts of other programs, in raw strings, are as long as they are. Some awks count characters, some bytes: here all count
# bytes, and those that go on with a character of UTF-8 are left out.
check_columns() {
  local complaints
  complaints=$(LC_ALL=C awk '
    FNR == 1 { close_of = "" }
    close_of != "" { if (index($0, close_of)) close_of = ""; next }
    match($0, /R"[A-Za-z]*\(/) {
      close_of = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
      if (index(substr($0, RSTART + RLENGTH), close_of)) close_of = ""
      next
    }
    length($0) > 120 { gsub(/[\200-\277]/, "") }
    length($0) > 120 { print FILENAME ":" FNR ": " length($0) " columns, more than 120" }' \
    $(sources engine lua app tests examples))
  [ -z "$complaints" ] || complain "$complaints"
}

# The project speaks of itself alone: no path of a developer's machine, no number of an issue tracker.
check_words() {
  local hits
  hits=$(grep -rnIiE '(^|[^[:alnum:]_./])/(work|home|users)/|\<issues? *#?[0-9]' \
    --exclude-dir=build --exclude-dir=.git --exclude=.git --exclude=structure.sh .)
  [ -z "$hits" ] || complain "what belongs to one machine or tracker:
$hits"
}

check_headers() {
  local complaints
  complaints=$(grep -L '^#pragma once$' $(sources engine lua app tests | grep '\.h$'))
  [ -z "$complaints" ] || complain "no #pragma once:
$complaints"
}

# Where no ccache is, several sources of a folder are one compile: what they call by one name in their unnamed namespaces
# collides there, on machines other than those where it was written; so does what a header of the namespace declares.
check_unnamed_names() {
  local complaints
  complaints=$(awk '
    FILENAME == "-" { from = $1; $1 = ""; may[from] = $0 " "; next }
    FNR == 1 {
      split(FILENAME, part, "/")
      folder = part[1] == "app" || part[2] ~ /^(report|output)$/ ? part[1] "/" part[2] : part[1]
      unnamed = 0
      close_of = ""
    }
    close_of != "" { if (index($0, close_of)) close_of = ""; next }
    match($0, /R"[A-Za-z]*\(/) {
      close_of = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
      if (index(substr($0, RSTART + RLENGTH), close_of)) close_of = ""
    }
    /^namespace \{/ { unnamed = 1; next }
    /^namespace [a-z_:]+ \{/ { space = $2; next }
    /^}  \/\/ namespace$/ { unnamed = 0; next }
    FILENAME ~ /\.h$/ ? /^(template|class [A-Za-z]*;|struct [A-Za-z]*;)/ : !unnamed { next }
    !/^[a-zA-Z]/ { next }
    /^(struct|class|enum class|enum) [A-Za-z]+ .*\{/ { name = $1 == "enum" && $2 == "class" ? $3 : $2 }
    /^(constexpr|const|static|inline) [^(]*[={]/ { name = $0; sub(/(\[[^=]*\])? *[={].*/, "", name); sub(/.*[ *&]/, "", name) }
    /^[^=]*[a-z_]+\(.*\).* \{/ {
      name = $0
      sub(/\) [^)]*$/, ")", name)
      gsub(/ [a-zA-Z_]+[,)]/, ",", name)
      sub(/^[^(]*[ *&]/, "", name)
    }
    name != "" && FILENAME ~ /\.h$/ {
      if (name !~ /\(/) { public[space " " name] = FILENAME; whose[space " " name] = folder; of[FILENAME] = part[2] }
      name = ""
    }
    name != "" {
      key = folder " " space " " name
      known = public[space " " name]
      if (known != "" && (whose[space " " name] == folder || index(may[part[1] "/" part[2]], " " of[known] " ")))
        print FILENAME ": " name " is a name of " known " as well"
      if (key in first && first[key] != FILENAME) print FILENAME ": " name " is a name of " first[key] " as well"
      else first[key] = FILENAME
      name = ""
    }' - $(sources engine lua app | grep '\.h$') $(sources engine lua app | grep '\.cpp$') <<<"$(dependencies)")
  [ -z "$complaints" ] || complain "$complaints"
}

# A source begins with its own header, which so needs nothing before it; headers.sh compiles those of no source, too.
check_own_headers() {
  local complaints
  complaints=$(find engine lua app -name '*.h' | awk '
    NR == FNR { header[$0]; next }
    FNR == 1 { own = FILENAME; sub(/cpp$/, "h", own); looks = own in header; sub(/^[^\/]*\//, "", own) }
    looks && /^#include/ { looks = 0; if ($2 != "\"" own "\"") print FILENAME ": begins with " $2 ", not with its own " own }
    ' - $(sources engine lua app | grep '\.cpp$'))
  [ -z "$complaints" ] || complain "$complaints"
}

# Formatters move comments behind a line that is too long: these stand above what they do not describe.
check_comments() {
  local complaints
  complaints=$(awk '
    FNR == 1 { comment = 0 }
    comment && /^ *(public|protected|private):/ {
      print FILENAME ":" FNR - 1 ": a /// comment above an access specifier describes nothing; put it above what it describes"
    }
    { comment = /^ *\/\/\// }' $(sources engine lua app tests examples))
  [ -z "$complaints" ] || complain "$complaints"
}

# What makes an editor complete inside a policy.
check_policies() {
  local file
  for file in policies/*.lua policies/*/*.lua lua/lib/templates/policy.lua; do
    grep -q '^---@type coslice.Policy$' "$file" || complain "$file: no ---@type coslice.Policy"
  done
}

# A setting of Slurm that becomes a parameter of the policy is turned by a suite, and seen to act.
check_settings() {
  local name
  # shellcheck disable=SC2013  # names have no blanks
  for name in $(sed -nE 's/^ *\{"([A-Za-z_]+)", K::k(Number|Span|Flag|Text)\},$/\1/p' app/slurm/setting_table.cpp); do
    grep -qw "$name" tests/policies/slurm*_test.lua || complain "no suite of the policy slurm turns $name"
  done
}

# Several tests are one compile where no ccache is: each is a namespace of its own, named like its file.
check_test_namespaces() {
  local complaints
  complaints=$(awk '
    function check() {
      if (file != "" && !(begins && last == "}  // namespace " name))
        print file ": is not in the namespace " name " from its includes to its end"
    }
    FNR == 1 { check(); file = name = FILENAME; sub(/.*\//, "", name); sub(/\.cpp$/, "", name); begins = 0 }
    $0 == "namespace " name " {" { begins = 1 }
    { last = $0 }
    END { check() }' $(sources tests/unit tests/cli | grep '_test\.cpp$'))
  [ -z "$complaints" ] || complain "$complaints"
}

# Catch2 3 has other matchers of the same names there: with them the tests compile on Debian 12 only.
check_matchers() {
  local hits
  hits=$(grep -rn 'Catch::Matchers::' tests/unit tests/cli)
  [ -z "$hits" ] || complain "matchers are those of catch.h, Catch::Contains:
$hits"
}

# std::minmax of two values returns references to them: of temporaries they are gone at the end of the line.
check_dangling() {
  local hits
  hits=$(grep -rnE 'auto[ &]*\[[a-z_, ]+\] = std::minmax\([^{]' engine lua app tests --include='*.cpp' --include='*.h')
  [ -z "$hits" ] || complain "a name for what is gone; write std::minmax({a, b}):
$hits"
}

check_includes
check_settings
check_dangling
check_test_namespaces
check_matchers
check_engine_knows_no_lua
check_policies
check_lengths
check_columns
check_words
check_headers
check_unnamed_names
check_own_headers
check_comments
echo "structure: $problems problems"
[ $problems -eq 0 ]
