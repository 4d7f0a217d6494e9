#!/usr/bin/env bash
# Runs every command that the documents show, and compares what it prints with what they say it prints.
# usage: run.sh [--update] PROGRAM [FILE.md...]        (default: all of the project's documents)
#
# In a document:
#   ```console            a block of commands and their output
#   $ coslice run w.swf   a command: must end with status 0, and print what follows, standard error included. Nothing
#                         following means that the output is not shown
#   ...                   any number of lines; within a line, any text
#   ```console status=2   the commands of this block end with that status
#   ```console slow       the commands of this block are run only if COSLICE_SLOW is set
#   ```toml file=w.toml   this block is written to that file before the commands after it
# Each document has a scratch folder of its own, in which the project's policies, scenarios and tests are in reach and
# where `./dev run` is the program. Other verbs of ./dev build and test, so here they must only be verbs that it has.
#
# --update writes outputs that differ into the documents, where nothing in them is left out by `...`.
set -uo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
update=no
[ "${1-}" != --update ] || { update=yes; shift; }
program=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- "$root"/*.md "$root"/docs/*.md "$root"/docs/*/*.md "$root"/{engine,lua,app,tests,tests/slurm}/README.md
export LC_ALL=C.UTF-8 NO_COLOR=1 COSLICE_PROGRESS=off
PATH=$(dirname "$program"):$PATH
unset COSLICE_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commands=0
failures=0

prepare() {  # scratch-folder
  mkdir "$1"
  ln -s "$root"/{policies,scenarios,tests,docs,examples} "$1"
  cat >"$1/dev" <<EOF
#!/usr/bin/env bash
verb=\$1
shift
if [ "\$verb" = run ]; then exec "$program" run "\$@"; fi
COSLICE_SETUP=off "$root/dev" | grep -E "^ +\./dev \$verb( |\$)" >/dev/null
EOF
  chmod +x "$1/dev"
}

# Whether actual lines from j on are what the expected ones from i on say.
matches() {  # i j
  local i=$1 j=$2 pattern skip
  while [ "$i" -lt ${#expected[@]} ]; do
    if [ "${expected[i]}" = ... ]; then
      for ((skip = ${#actual[@]}; skip >= j; --skip)); do
        matches $((i + 1)) "$skip" && return 0
      done
      return 1
    fi
    [ "$j" -lt ${#actual[@]} ] || return 1
    # No process for each line: there are thousands.
    # shellcheck disable=SC1003  # backslashes, no quotes
    pattern=${expected[i]//'\'/'\\'}
    pattern=${pattern//'['/'\['} pattern=${pattern//']'/'\]'} pattern=${pattern//'*'/'\*'} pattern=${pattern//'?'/'\?'}
    pattern=${pattern//.../'*'}
    # shellcheck disable=SC2053  # a pattern
    [[ ${actual[j]} == $pattern ]] || return 1
    i=$((i + 1))
    j=$((j + 1))
  done
  [ "$j" -eq ${#actual[@]} ]
}

complain() {  # what
  failures=$((failures + 1))
  echo "$document:$line_of_command: $ $command"
  echo "  $1"
}

run_command() {
  local got
  commands=$((commands + 1))
  (cd "$scratch" && eval "$command") >"$work/output" 2>&1 </dev/null
  got=$?
  if [ "$got" -ne "$status" ]; then
    complain "status $got, not $status; it printed:"
    sed 's/^/    /' "$work/output"
  fi
  [ ${#expected[@]} -gt 0 ] || return 0
  mapfile -t actual <"$work/output"
  matches 0 0 && return 0
  if [ $update = yes ] && ! printf '%s\n' "${expected[@]}" | grep -F ... >/dev/null; then
    expected=("${actual[@]}")
    echo "$document:$line_of_command: updated: $ $command"
    return 0
  fi
  complain "prints something else; < is the document, > the program:"
  printf '%s\n' "${expected[@]}" >"$work/expected"
  diff "$work/expected" "$work/output" | sed 's/^/    /'
}

# Ends the command that is open, if there is one: all of its output has been read.
finish_command() {
  [ -n "$command" ] || return 0
  run_command
  [ ${#expected[@]} -eq 0 ] || printf '%s\n' "${expected[@]}" >>"$fresh"
  command=
  expected=()
}

# Reads a document line by line and writes it again, with outputs that are up to date.
run_document() {
  local block='' number=0 line
  scratch=$work/scratch-$((++documents))
  fresh=$work/fresh.md
  status=0
  command=
  expected=()
  prepare "$scratch"
  : >"$fresh"
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [[ $line == '```'* ]]; then
      finish_command
      if [ -n "$block" ]; then
        block=
      elif [[ $line == '```console slow' && -z ${COSLICE_SLOW-} ]]; then
        block=other
      elif [[ $line =~ ^'```'(console|sh)( slow| status=([0-9]+))?$ ]]; then
        block=console
        status=${BASH_REMATCH[3]:-0}
      elif [[ $line =~ ' file='([^ ]+) ]]; then
        block='file'
        file=$scratch/${BASH_REMATCH[1]}
        mkdir -p "$(dirname "$file")"
        : >"$file"
      else
        block=other
      fi
    elif [ "$block" = console ] && [[ $line == '$ '* ]]; then
      finish_command
      command=${line#'$ '}
      line_of_command=$number
    elif [ "$block" = console ] && [ -n "$command" ]; then
      expected+=("$line")
      continue  # written by finish_command
    elif [ "$block" = file ]; then
      printf '%s\n' "$line" >>"$file"
    fi
    printf '%s\n' "$line" >>"$fresh"
  done <"$document"
  [ $update = no ] || cmp -s "$fresh" "$document" || cp "$fresh" "$document"
}

# The headings of a document as links name them.
anchors() {  # document
  sed -nE 's/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g' |
    awk 'seen[$0]++ { print $0 "-" (seen[$0] - 1); next } { print }'
}

# Whether a document has that heading.
has_heading() {  # document heading
  local list=$work/headings/${1//'/'/%}
  [ -e "$list" ] || { mkdir -p "$work/headings" && anchors "$1" >"$list"; }
  grep -qxF -- "$2" "$list"
}

# Links between the documents lead somewhere, to a heading where they name one.
check_links() {
  local target folder page
  folder=$(dirname "$document")
  grep -oE '\]\([^) ]+\)|src="[^"]+"' "$document" | sed -E 's/^\]\(|^src="|\)$|"$//g' | grep -vE '^https?:' >"$work/links"
  while read -r target; do
    page=$folder/${target%%#*}
    [ -n "${target%%#*}" ] || page=$document
    if [ ! -e "$page" ]; then
      failures=$((failures + 1))
      echo "$document: a link to $target, which is not there"
    elif [[ $target == *.md#* || $target == '#'* ]] && ! has_heading "$page" "${target#*#}"; then
      failures=$((failures + 1))
      echo "$document: a link to $target, where no heading is called so"
    fi
  done <"$work/links"
}

documents=0
for document in "$@"; do
  [ -e "$document" ] || continue
  run_document
  check_links
done
echo "$commands commands in $documents documents, $failures complaints"
[ $commands -gt 0 ] || { echo "nothing was run"; exit 1; }
[ $failures -eq 0 ]
