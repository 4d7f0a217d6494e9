#!/usr/bin/env bash
# A campaign on a real Slurm, brought up on this machine with four nodes of its own, of which one is killed in the middle.
# What comes out must be what `coslice sweep` makes here. Needs root; installs slurm-wlm and munge where they are missing.
# usage: run.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")

skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root to start Slurm"
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
  command -v apt-get >/dev/null || skip "Slurm is not installed"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq -y install --no-install-recommends slurm-wlm munge || {
    apt-get -qq update && apt-get -qq -y install --no-install-recommends slurm-wlm munge; }; } >/dev/null 2>&1 </dev/null ||
    skip "slurm-wlm and munge cannot be installed"
fi
command -v python3 >/dev/null || skip "python3 is not installed"

dir=$(mktemp -d)
chmod 755 "$dir"
pids() { cat "$dir"/*.pid 2>/dev/null || true; }
stop() {
  local pid
  for pid in $(pids); do kill "$pid" 2>/dev/null || true; done
  sleep 1
  for pid in $(pids); do kill -KILL "$pid" 2>/dev/null || true; done  # a slurmd may not listen
  rm -rf "$dir"
}
trap stop EXIT
fail() {
  echo "failed: $*"
  tail -n 20 "$dir"/*.log "$dir"/campaign/all.sqlite.parts/*.log 2>/dev/null || true
  exit 1
}
wait_until() {  # seconds what command...
  local left=$1 what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "$what"
    sleep 1
  done
}

# --- Slurm, of this test alone: keys, sockets, ports and folders are its own.
mkdir -m 700 "$dir/munge" "$dir/state"
head -c 128 /dev/urandom >"$dir/munge/key"
chmod 400 "$dir/munge/key"
munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munged.pid" \
  --log-file="$dir/munged.log" --seed-file="$dir/munge/seed"
host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=$port
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/completed.txt
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
KillWait=2
MaxArraySize=1001
SchedulerParameters=sched_interval=2,batch_sched_delay=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
NodeName=n[0-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=1 State=UNKNOWN
CONF
export SLURM_CONF=$dir/slurm.conf
slurmctld -c || fail "slurmctld does not start"
for n in 0 1 2 3; do slurmd -N n$n || fail "slurmd does not start"; done
idle() { [ "$(sinfo -h -t idle -o %D)" = 4 ]; }
wait_until 30 "four nodes are not idle" idle

# --- The campaign: 24 runs of a second or so in 8 parts.
mkdir "$dir/campaign"
cd "$dir/campaign"
cat >slow.lua <<'LUA'
return { api = 1, name = "slow", version = "1", backfill = "easy",
  key = function(job) local x = 0 for i = 1, 20000 do x = x + i % 7 end return job.submit + 0 * x end }
LUA
cat >campaign.toml <<'TOML'
[campaign]
seeds = 12
jobs = true
[scenario]
machine.nodes = 64
workload = { generator = "lublin", lublin = { jobs = 2000 } }
[axes]
policy = ["slow", "easy"]
TOML
"$program" sweep campaign.toml -o here.sqlite --workers 2 >/dev/null
"$program" sweep campaign.toml -o all.sqlite --slurm --parts 8 -- --time=10 --cpus-per-task=1 || fail "cannot be submitted"
if "$program" sweep campaign.toml -o all.sqlite --slurm 2>/dev/null; then fail "submitted twice"; fi

# A node dies: its slurmd and all that it runs.
running() { [ "$(squeue -h -t running -w n1 | wc -l)" -ge 1 ]; }
wait_until 30 "nothing runs on n1" running
sleep 0.5
squeue -h -t running -w n1 -o "killing n1 under %F_%a"
slurmd_pid=$(cat "$dir/slurmd-n1.pid")
steps=$(pgrep -f "slurmstepd: " | while read -r p; do tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -q "^SLURM_CONF=$SLURM_CONF$" && echo "$p"; done || true)
for job in $(squeue -h -t running -w n1 -o %A); do
  for p in $steps; do
    if tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | grep -q "\[$job\."; then kill -KILL "$p" $(pgrep -P "$p") 2>/dev/null || true; fi
  done
done
kill -KILL "$slurmd_pid"

ended() { [ -z "$(squeue -h)" ]; }
wait_until 240 "jobs do not end: $(squeue 2>&1)" ended
[ -e all.sqlite ] || fail "nothing was merged: $(cat all.sqlite.parts/merge.log)"

cat >same.py <<'PY'
import sqlite3, sys
def content(path):
    d = sqlite3.connect(path)
    runs = "SELECT run, key, status, error, policy, workload, seed, point, scenario, summary, fingerprint FROM runs ORDER BY run"
    return [list(d.execute(q)) for q in (runs, "SELECT * FROM axes ORDER BY 1", "SELECT * FROM jobs ORDER BY run, job_id",
                                         "SELECT * FROM meta WHERE key NOT IN ('version') ORDER BY key")]
a, b = map(content, sys.argv[1:])
assert len(a[0]) == 24, len(a[0])
for one, other in zip(a, b):
    for x, y in zip(one, other):
        assert x == y, (x, y)
PY
python3 same.py here.sqlite all.sqlite || fail "the results differ"
"$program" sweep campaign.toml -o all.sqlite --slurm --parts 8 --resume | grep -q "all parts are finished" || fail "parts are not seen to be finished"
echo "24 runs in 8 parts on four nodes, one of them killed: the same results as here"

# --- The runs of a paper, on the nodes that are left. Its second experiment asks for a run that hangs on what the first
# ones gave: no part can know it, the last call makes it.
mkdir paper
cat >paper/s.toml <<'TOML'
[machine]
nodes = 64
[workload]
generator = "lublin"
lublin = { jobs = 2000 }
[policy]
name = "fcfs"
TOML
cat >paper/paper.lua <<'LUA'
local function wait(summary) return summary.all.wait.mean end
return {
  api = 1, title = "A paper of this test", seeds = 4, quick_seeds = 2,
  experiments = {
    { label = "T1", run = function(lab)
      local fcfs, easy = lab.runs("s.toml"), lab.runs("s.toml", { policy = { name = "easy" } }, { jobs = true })
      lab.row { quantity = "wait", published = 1, values = lab.compare(fcfs, easy, function(a, b) return wait(b) / wait(a) end) }
      lab.row { quantity = "jobs", published = 2000, values = { #easy[1].jobs.job_id } }
    end },
    { label = "T2", run = function(lab)
      local load = wait(lab.run("s.toml").summary) > 0 and 0.5 or 0.6
      local idle = lab.run("s.toml", { workload = { lublin = { load = load } } })
      lab.row { quantity = "wait when idle", values = { wait(idle.summary) } }
    end },
  },
}
LUA
"$program" reproduce paper --json >rows.json
submitted=$("$program" reproduce paper -o paper.sqlite --slurm --parts 3 --sbatch=--time=10 --sbatch=--cpus-per-task=1) ||
  fail "a paper cannot be submitted"
wait_until 240 "jobs of the paper do not end: $(squeue 2>&1)" ended
[ -e paper.sqlite ] || fail "the paper's parts were not merged: $(cat paper.sqlite.parts/merge.log)"
known=$(python3 -c 'import sqlite3; print(sqlite3.connect("paper.sqlite").execute("SELECT count(*) FROM runs").fetchone()[0])')
[ "$known" = 8 ] || fail "$known runs of the paper were made in parts"
last=$(tail -n 1 <<<"$submitted" | sed 's/^ *coslice //')  # what it says comes next
[ "$last" = "reproduce paper -o paper.sqlite --resume" ] || fail "the paper's last call would be: $last"
# shellcheck disable=SC2086
"$program" $last --json >again.json
cmp rows.json again.json || fail "the paper's rows differ"
echo "8 runs of a paper in 3 parts, one more afterwards: the same rows as here"
