#!/usr/bin/env bash
# Breaks a running cluster of hadoop.sh in the ways that clusters break by themselves.
set -euo pipefail

. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/hadoop/lab.sh"

usage() {
	cat >&2 <<'END'
usage: fault.sh [--wait SECONDS] FAULT

  kill-task JOB_OR_APP PATTERN   kill -9 the JVM of one running attempt, the first that matches
                                 PATTERN, a regular expression such as m_000006_0 or 'r_.*'; of Tez the DAG,
                                 the vertex, the task and the attempt by their numbers: 1_00_000002_0
  kill-am APP                    kill -9 the application's AM
  kill-node N                    kill -9 NodeManager N together with all its containers
  kill-rm                        kill -9 the ResourceManager; hadoop.sh rm starts it again. After up --recovery nothing else is lost
  kill-active-rm                 of a cluster up --with ha: kill -9 the active ResourceManager; hadoop.sh rm starts it again
  kill-jhs                       kill -9 the history server; hadoop.sh jhs starts it again
  pause NAME|APP SECONDS         stop a daemon (rm, jhs, node1) or an application's AM, which then takes connections and does not
                                 answer, and let it go on
  sicken-node N, heal-node N     of a cluster up --with nodes: its health script says ERROR from now on, or nothing
  break-node N                   of the same: tasks that start on it fail at their first record (the UDF Pace)
  decommission N SECONDS         of the same: it gets no more containers; those that run have SECONDS, 0 is none
  master-node APP                breaks nothing: prints the number of the node that the application's AM runs on

JOB_OR_APP may be job_1_0001, application_1_0001, or "any": then the oldest that has a match.
Prints what was killed and when, in milliseconds. --wait waits that long for it to run.
END
	exit 2
}

# jvms CLASS prints "PID COMMAND-LINE" of the run's processes with that main class.
jvms() {
	local pid line
	for pid in $(marked "$MARK"); do
		line=$(command_line "$pid")
		# The shell that wraps a container has the whole command in its own.
		if [[ ${line%% *} == */java && $line == *\ "$1"\ * ]]; then
			echo "$pid $line"
		fi
	done
}

# Sets ID to a regular expression for what the ids of a job and its application share: 1_0001.
identify() {
	case $1 in
	job_* | application_*) ID=${1#*_} ;;
	any) ID='[0-9]*_[0-9]*' ;;
	*) die "'$1' is neither a job nor an application, nor any" ;;
	esac
}

AM=org.apache.hadoop.mapreduce.v2.app.MRAppMaster
CHILD=org.apache.hadoop.mapred.YarnChild
TEZ_AM=org.apache.tez.dag.app.DAGAppMaster
TEZ_CHILD=org.apache.tez.runtime.task.TezChild

# Each finder prints "PID NAME" of what is to be killed, or nothing.

find_task() {
	{
		jvms "$CHILD" | sed -n "s/^\([0-9]*\) .* \(attempt_${ID}_[mr]_[0-9]*_[0-9]*\) .*/\1 \2/p"
		tez_tasks
	} | sort -k2 | grep -E -- "_$1\$" | head -n 1 || true
}

# A JVM of Tez runs one attempt after the other: which one it runs now is in the log of its master.
tez_tasks() {
	join -o 1.2,2.2 \
		<(jvms "$TEZ_CHILD" | sed -n "s/^\([0-9]*\) .* \(container_[^ ]*\) application_${ID} .*/\2 \1/p" | sort) \
		<(cat "$RUN"/node*/containers/application_*/container_*/syslog_dag_* 2>/dev/null | awk -F 'taskAttemptId=' '
			/Event:TASK_ATTEMPT_(STARTED|FINISHED)\]/ {
				id = $2
				sub(/,.*/, "", id)
				if (/ATTEMPT_FINISHED/) {
					delete runs[id]
					next
				}
				sub(/.*containerId=/, "", $2)
				sub(/,.*/, "", $2)
				runs[id] = $2
			}
			END { for (id in runs) print runs[id], id }' | sort)
}

find_am() {
	{
		jvms "$AM"
		jvms "$TEZ_AM"
	} | sed -n "s/^\([0-9]*\) .*\/\(container_[e0-9_]*${ID}_[0-9]*_[0-9]*\)[ /].*/\1 \2/p" |
		sort -k2 | head -n 1
}

kill_found() { # kill_found WHAT FINDER ARG...
	local what=$1 found until=$((SECONDS + WAIT))
	shift
	while found=$("$@") && [[ -z $found ]]; do
		((SECONDS < until)) || die "no $what runs now; --wait SECONDS waits for one"
		sleep 0.2
	done
	kill -KILL "${found%% *}" || die "$what ended before it could be killed: try again"
	echo "killed ${found#* } at $(now_ms)"
}

master_node() {
	local found until=$((SECONDS + WAIT))
	while found=$(find_am) && [[ -z $found ]]; do
		((SECONDS < until)) || die "no AM of $1 runs now; --wait SECONDS waits for one"
		sleep 0.2
	done
	tr '\0' '\n' <"/proc/${found%% *}/environ" | sed -n 's/^PARATIMER_NODE=.*node//p'
}

kill_node() {
	local mark at pids
	mark=$(node_mark "$1")
	[[ -f $RUN/pid/node$1 ]] || die "this cluster has no node $1"
	pids=$(marked "$mark")
	[[ -n $pids ]] || die "node $1 is dead already"
	at=$(now_ms)
	# The NodeManager first, so that it cannot report the others' end.
	kill_all KILL "$(<"$RUN/pid/node$1")"
	# shellcheck disable=SC2086
	kill_all KILL $pids
	# It may have started a container in between.
	until wait_gone "$mark" 1; do
		# shellcheck disable=SC2046
		kill_all KILL $(marked "$mark")
		((SECONDS < 30)) || die "these processes of node $1 do not die: $(marked "$mark" | xargs)"
	done
	echo "killed node$1 at $at"
}

# Prints when the daemon was killed once it is gone, for it may be started again at once.
kill_daemon() { # kill_daemon NAME
	local pid at until
	[[ -f $RUN/pid/$1 ]] || die "this cluster has no $1"
	pid=$(<"$RUN/pid/$1") at=$(now_ms)
	kill -KILL "$pid" || die "$1 does not run"
	until=$((SECONDS + 30))
	while kill -0 "$pid" 2>/dev/null; do
		((SECONDS < until)) || die "$1 does not die"
		sleep 0.1
	done
	echo "killed $1 at $at"
}

# Of a standby /cluster/info is its own answer.
is_active() { curl -s --noproxy '*' --max-time 2 "$1/ws/v1/cluster/info" | grep -q '"haState":"ACTIVE"'; }

active_rm() {
	if is_active "$PARATIMER_RM"; then
		echo rm
	elif is_active "${PARATIMER_RM2:?: start the cluster with --with ha}"; then
		echo rm2
	fi
}

kill_active_rm() {
	local name until=$((SECONDS + WAIT))
	while name=$(active_rm) && [[ -z $name ]]; do
		((SECONDS < until)) || die "no ResourceManager is active"
		sleep 0.2
	done
	kill_daemon "$name"
}

pause() {
	if [[ -f $RUN/pid/$1 ]]; then
		pid=$(<"$RUN/pid/$1")
	else
		identify "$1"
		pid=$(find_am) pid=${pid%% *}
		[[ -n $pid ]] || die "no AM of $1 runs now"
	fi
	# However this ends, it goes on.
	trap 'kill -CONT "$pid"' EXIT
	kill -STOP "$pid" || die "$1 does not run"
	echo "paused $1 at $(now_ms)"
	sleep "$2"
}

# mark_node N FILE WHAT leaves a mark in the node's folder.
mark_node() {
	[[ -f $RUN/exclude && -d $RUN/node$1 ]] || die "this cluster has no node $1 that can be tampered with: start it with --with nodes"
	touch "$RUN/node$1/$2"
	echo "$3 node$1 at $(now_ms)"
}

heal_node() {
	rm "$RUN/node$1/sick" || die "node $1 is not sick"
	echo "healed node$1 at $(now_ms)"
}

decommission() {
	local at
	[[ -f $RUN/exclude ]] || die "this cluster has no list of nodes to decommission: start it with --with nodes"
	at=$(now_ms)
	echo "node$1" >>"$RUN/exclude"
	if (($2 > 0)); then
		set -- -g "$2" -server
	else
		set --
	fi
	"$(dirname "${BASH_SOURCE[0]}")/hadoop/hadoop.sh" run org.apache.hadoop.yarn.client.cli.RMAdminCLI -refreshNodes "$@" >&2
	echo "decommissioned $(tail -n 1 "$RUN/exclude") at $at, told at $(now_ms)"
}

WAIT=0
if [[ ${1:-} == --wait ]]; then
	WAIT=${2:-}
	[[ $WAIT =~ ^[0-9]+$ ]] || usage
	shift 2
fi
load_run
case ${1:-}/$# in
kill-task/3) identify "$2" && kill_found "attempt of $2 like $3" find_task "$3" ;;
kill-am/2) identify "$2" && kill_found "AM of $2" find_am ;;
kill-node/2) kill_node "$2" ;;
kill-rm/1) kill_daemon rm ;;
kill-active-rm/1) kill_active_rm ;;
kill-jhs/1) kill_daemon jhs ;;
pause/3) pause "$2" "$3" ;;
sicken-node/2) mark_node "$2" sick sickened ;;
heal-node/2) heal_node "$2" ;;
break-node/2) mark_node "$2" broken broke ;;
decommission/3) decommission "$2" "$3" ;;
master-node/2) identify "$2" && master_node "$2" ;;
*) usage ;;
esac
