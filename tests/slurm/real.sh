#!/usr/bin/env bash
# A real Slurm on this machine (slurmctld and ten slurmd) whose clock runs ten times as fast, and its twin. The same 200 jobs
# run three times; `coslice import slurm` makes a twin of its slurm.conf and of its records, and the twin must be about as near
# to the three runs as these are to one another. Then `coslice drive` lets the policy `easy` decide in it: what it
# does must be as near to the simulated `easy`; and once more it begins with `fcfs` and may choose `easy`, as it must, so
# that the machine is nearer to the simulated `easy` than to `fcfs`. Needs root; installs what is missing. With SITE (a name in sites/) runs under
# other settings, of other jobs, are made and kept, and nothing is judged.
# usage: real.sh PROGRAM        (SPEED=10, RUNS=3, JOBS=200, KEEP=folder for the records, LOGS=folder, SITE=fifo, NICE=10)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
speed=${SPEED:-10} runs=${RUNS:-3} jobs=${JOBS:-200} site=${SITE:+$here/sites/$SITE.conf}

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "failed: $*"; tail -n 15 "$dir"/slurmctld.log "$dir"/drive.log 2>/dev/null || true; exit 1; }

told() { [ -z "$site" ] || sed -n "s/^#$1=//p" "$site"; }  # what a site says beside slurm.conf

# --- One run, inside `faketime`: all processes have one clock.
write_conf() {
  local host
  host=$(hostname -s)
  cat >"$dir/slurm.conf" <<CONF
ClusterName=reef
SlurmctldHost=$host(127.0.0.2)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
# Seconds of a clock that runs faster.
SlurmctldTimeout=3000
SlurmdTimeout=3000
MessageTimeout=60
TCPTimeout=30
InactiveLimit=0
KillWait=5
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/completed.txt
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=30,bf_continue,default_queue_depth=500,sched_interval=30
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
DefMemPerCPU=1000
NodeName=n[1-8] NodeHostname=$host NodeAddr=127.0.0.2 Port=[$((port + 1))-$((port + 8))] CPUs=8 RealMemory=16000 Feature=std
NodeName=f[1-2] NodeHostname=$host NodeAddr=127.0.0.2 Port=[$((port + 9))-$((port + 10))] CPUs=8 RealMemory=32000 Feature=fast
PartitionName=batch Nodes=n[1-8],f[1-2] Default=YES MaxTime=60 DefaultTime=10 State=UP
PartitionName=short Nodes=n[1-4] MaxTime=2 DefaultTime=1 State=UP
CONF
  [ -z "$site" ] || {
    awk -f "$here/site.awk" "$site" "$dir/slurm.conf" | sed "s|@socket@|$dir/munge/socket|;s|@host@|$host|" >"$dir/site.conf"
    mv "$dir/site.conf" "$dir/slurm.conf"
    told Topology >"$dir/topology.conf"
    told Gres | sed "s|@dir@|$dir|" >"$dir/gres.conf"
    [ -s "$dir/topology.conf" ] || rm "$dir/topology.conf"
    if [ -s "$dir/gres.conf" ]; then
      for n in 0 1 2 3; do mknod "$dir/gpu$n" c 240 "$n"; done  # plain files are not counted
    else
      rm "$dir/gres.conf"
    fi
  }
  [ -z "$(told Accounts)" ] || {
    echo "AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePass=$dir/munge/socket
AccountingStoragePort=$((port + 11))" >>"$dir/slurm.conf"
    told Accounts >"$dir/accounts.txt"
    (umask 077 && cat >"$dir/slurmdbd.conf") <<CONF
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
DbdHost=localhost
DbdPort=$((port + 11))
SlurmUser=root
PidFile=$dir/slurmdbd.pid
LogFile=$dir/slurmdbd.log
MessageTimeout=60
TCPTimeout=30
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$((port + 12))
StorageUser=root
StorageLoc=slurm
CONF
  }
  printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=%s/cgroup\n' "$dir" >"$dir/cgroup.conf"  # none is used
}

# MariaDB by the clock of this machine, and slurmdbd by the fast one.
start_accounting() {
  local database=$dir/database left
  mkdir -m 700 "$database"
  env -u LD_PRELOAD TMPDIR="$database" mariadb-install-db --no-defaults --user=root --datadir="$database" --skip-test-db --auth-root-authentication-method=normal >"$dir/mariadb.log" 2>&1
  env -u LD_PRELOAD TMPDIR="$database" mariadbd --no-defaults --user=root --datadir="$database" --port=$((port + 12)) --bind-address=127.0.0.1 \
    --socket="$database/socket" --pid-file="$dir/mariadb.pid" --innodb-flush-log-at-trx-commit=0 >>"$dir/mariadb.log" 2>&1 &
  slurmdbd
  for left in {60..0}; do
    ! sacctmgr -n show cluster >/dev/null 2>&1 || break
    [ "$left" -gt 0 ] || fail "slurmdbd does not answer"
    sleep 5
  done
  sacctmgr -i add cluster name=reef >/dev/null
}

# The accounts of the site. Kinds of GPUs have limits only when slurmctld has told slurmdbd of them.
add_accounts() {
  local command left
  while read -r command; do
    for left in {12..0}; do
      # shellcheck disable=SC2086  # words of a command
      ! sacctmgr -i $command </dev/null >"$dir/sacctmgr.log" 2>&1 || break
      [ "$left" -gt 0 ] || { cat "$dir/sacctmgr.log"; fail "sacctmgr $command"; }
      sleep 5
    done
  done <"$dir/accounts.txt"
}

start_slurm() {
  mkdir -m 700 "$dir/munge" "$dir/state" "$dir/cgroup"
  head -c 128 /dev/urandom >"$dir/munge/key"
  chmod 400 "$dir/munge/key"
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munge/seed"
  [ ! -e "$dir/accounts.txt" ] || start_accounting
  slurmctld -c 2>/dev/null || fail "slurmctld does not start"
  [ ! -e "$dir/accounts.txt" ] || add_accounts
  local n left
  for left in {60..1}; do
    if [ $((left % 12)) -eq 0 ]; then  # one may die where the clock jumps
      for n in n{1..8} f{1..2}; do
        kill -0 "$(cat "$dir/slurmd-$n.pid" 2>/dev/null || echo none)" 2>/dev/null || slurmd -N "$n" 2>/dev/null || true
      done
    fi
    [ "$(sinfo -h -p batch -t idle -o %D 2>/dev/null)" != 10 ] || return 0
    sleep 5
  done
  sinfo
  fail "ten nodes are not idle"
}

stop_slurm() {
  local pid
  for pid in $(cat "$dir"/*.pid 2>/dev/null || true); do kill "$pid" 2>/dev/null || true; done
  sleep $((speed / 2 + 1))
  for pid in $(cat "$dir"/*.pid 2>/dev/null || true); do kill -KILL "$pid" 2>/dev/null || true; done
}

# Submits the jobs when they are due (real.py says what a line has).
submit_jobs() {  # options...
  local begin now name try offset length words
  declare -A number=()
  begin=$(date +%s)
  while read -r offset length words; do
    now=$(date +%s)
    [ "$now" -ge $((begin + offset)) ] || sleep $((begin + offset - now))
    if [ "$length" = "do" ]; then
      # shellcheck disable=SC2086  # words of a command
      for try in 1 2 3; do ! $words </dev/null || break; sleep 3; done
      [[ $words != *reservation* ]] || scontrol show reservation >"$dir/reservations.txt"
      continue
    fi
    name=${words#-J} name=${name%% *} work="sleep $length"
    # A sleep of a stopped process ends when it would have without; so it is one of many short ones.
    [[ " $(told Jobs) " != *" pausing "* ]] || work="sleep $((length % 5)); for i in \$(seq $((length / 5))); do sleep 5; done"
    if [[ $words =~ @([0-9]+)@ ]]; then words=${words/"${BASH_REMATCH[0]}"/${number[job${BASH_REMATCH[1]}]}}; fi
    for try in 1 2 3 4 5; do  # a command may be cut short where the clock jumps
      # shellcheck disable=SC2086  # words of options
      ! number[$name]=$(sbatch --parsable "$@" $words -D /tmp -o /dev/null --wrap "$work" </dev/null) || continue 2
      sleep $((5 * try))
      number[$name]=$(squeue -h -n "$name" -o %A | head -n 1)
      [ -z "${number[$name]}" ] || continue 2  # it was
    done
    fail "a job cannot be submitted"
  done <"$dir/list"
}

run_inside() {  # which: plain, drive or choose
  export SLURM_CONF=$dir/slurm.conf TZ=UTC
  trap stop_slurm EXIT
  start_slurm
  local drive='' how=(--policy easy)
  [ "$1" != choose ] || how=(--choose "fcfs,easy" --every 300)
  if [ "$1" != plain ]; then
    cd "$dir"
    "$program" drive "${how[@]}" --partition batch --take-held --interval 3 --timeout 900 >"$dir/drive.log" 2>&1 &
    local batch=$!
    "$program" drive "${how[@]}" --partition short --take-held --interval 3 --timeout 900 --state short.toml >"$dir/short.log" 2>&1 &
    drive="$batch $!"
    submit_jobs --hold
  else
    submit_jobs
  fi
  local waited=0 left
  until left=$(squeue -h) && [ -z "$left" ]; do  # a command that fails says nothing
    sleep 5
    waited=$((waited + 5))
    [ "$waited" -lt 7200 ] || { squeue; fail "jobs do not end"; }
  done
  if [ -n "$drive" ]; then
    # shellcheck disable=SC2086  # two numbers
    kill $drive
    # shellcheck disable=SC2086
    wait $drive || fail "coslice drive ended with $?"
  fi
}

if [ "${1-}" = --inside ]; then
  program=$2 dir=$3 port=$4
  run_inside "$5"
  exit
fi

# --- Outside: what is needed, the runs, and what is said of them.
program=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || skip "needs root to start Slurm"
tools="slurmctld slurmd munged faketime" packages="slurm-wlm munge faketime"
[ -z "$(told Accounts)" ] || tools="$tools slurmdbd mariadbd" packages="$packages slurmdbd mariadb-server"
for tool in $tools; do
  command -v "$tool" >/dev/null && continue
  command -v apt-get >/dev/null || skip "$tool is not installed"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086  # several packages
  { apt-get -qq -y install --no-install-recommends $packages || {
    apt-get -qq update && apt-get -qq -y install --no-install-recommends $packages; }; } >/dev/null 2>&1 </dev/null ||
    skip "$packages cannot be installed"
done
command -v python3 >/dev/null || skip "python3 is not installed"
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
port=$((20000 + RANDOM % 20000))
kinds=$(told Jobs)
python3 "$here/real.py" list "$jobs" "$kinds" >"$work/list"
jobs_on_record=$(python3 "$here/real.py" expected "$jobs" "$kinds")

record_run() {  # name mode
  dir=$work/$1
  mkdir -m 755 "$dir"
  cp "$work/list" "$dir/list"
  write_conf
  local began=$SECONDS
  nice -n "${NICE:-10}" faketime -f "+0 x$speed" bash "$here/real.sh" --inside "$program" "$dir" "$port" "$2" || { dir=$work/$1; fail "run $1"; }
  python3 "$here/real.py" record "$dir/completed.txt" "$work/$1.csv" "$work/$1.sacct" "$jobs" "$kinds"
  echo "$1: $(($(wc -l <"$work/$1.csv") - 1)) jobs in $((SECONDS - began)) s"
  [ $(($(wc -l <"$work/$1.csv") - 1)) -eq "$jobs_on_record" ] || fail "run $1 has not all jobs on record"
}

records=()
for ((i = 1; i <= runs; ++i)); do
  record_run "run$i" plain
  records+=(--recorded "run$i.csv")
done
keep() { [ -z "${KEEP-}" ] || { mkdir -p "$KEEP" && cp "$work"/*.{csv,sacct} "$@" "$KEEP"; }; }
if [ -n "$site" ]; then
  # What bears on scheduling, without names and places of this machine.
  grep -Ev '^(Slurm|Auth(Type|Info=socket=[^,]*$)|Cred|StateSave|Proctrack|TaskPlugin|Mpi|ReturnTo|MessageT|TCPT|InactiveL|JobComp|AccountingStorage(Host|Pass|Port)|#)' "$work/run1/slurm.conf" |
    sed 's/ NodeHostname=.*Port=[^ ]*//;s/socket=[^,]*,//' >"$work/site.conf"
  if [ -n "${KEEP-}" ]; then
    mkdir -p "$KEEP"
    cp "$work/site.conf" "$KEEP/slurm.conf"
    cp "$work"/run?.csv "$KEEP"
    cp "$work/run1.sacct" "$KEEP/jobs.sacct"
    [ ! -e "$work/run1/topology.conf" ] || cp "$work/run1/topology.conf" "$KEEP"
    [ ! -e "$work/run1/reservations.txt" ] || cp "$work/run1/reservations.txt" "$KEEP"
    [ ! -e "$work/run1/accounts.txt" ] || cp "$work/run1/accounts.txt" "$KEEP"
    [ -z "${LOGS-}" ] || cp "$work"/run1/{completed.txt,slurmctld.log} "$LOGS"
  fi
  exit
fi
record_run driven drive
record_run chosen choose
keep "$work/run1/slurm.conf" "$work/driven/drive.log" "$work"/chosen/drive.log
grep -q "^change to easy" "$work/chosen/drive.log" || { dir=$work/chosen; fail "easy was never chosen"; }

cd "$work"
"$program" import slurm --conf run1/slurm.conf --jobs run1.sacct -o site >/dev/null 2>&1 || fail "cannot be imported"
twins=()
for phase in 0 7 13 19 26; do
  "$program" run site/scenario.toml --quiet --out "twin$phase" --set policy.params.slurmctld_start=-$phase
  twins+=("twin$phase")
done
for policy in easy fcfs; do
  "$program" run site/scenario.toml --policy "$policy" --quiet --out "$policy" 2>/dev/null  # it has none of the parameters
  "$program" fidelity "$policy" --recorded chosen.csv --json >"chosen-$policy.json"
done
"$program" fidelity "${twins[@]}" "${records[@]}" --json >twin.json
"$program" fidelity easy --recorded driven.csv --json >driven.json
"$program" fidelity easy "${records[@]}" --json >other.json
python3 "$here/real.py" judge twin.json driven.json other.json chosen-easy.json chosen-fcfs.json
