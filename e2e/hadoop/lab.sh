# Sourced by hadoop.sh and fault.sh: where things are, and how to find our own processes.
# shellcheck shell=bash

LAB=${PARATIMER_LAB:-${HOME:?is not set, so say in PARATIMER_LAB where the lab may be}/.cache/paratimer/lab}
case $LAB in
/*) ;;
*) LAB=$PWD/$LAB ;;
esac
RUN=$LAB/run
# shellcheck disable=SC2034 # the jars of Hadoop; with/version.sh has others
LIB=$LAB/lib

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

need() { # need COMMAND WHAT-TO-DO
	command -v "$1" >/dev/null || die "$1 is not on the PATH: $2"
}

# Every process of a run carries this in its environment, and containers inherit it from their
# NodeManager. Containers live in sessions of their own, so no process group would find them.
# shellcheck disable=SC2034 # the scripts that source this use it
MARK=PARATIMER_RUN=$RUN

node_mark() { echo "PARATIMER_NODE=$RUN/node$1"; }

# marked NAME=VALUE prints the pids whose environment has exactly that entry.
# A zombie has no environment any more, so it counts as gone.
marked() {
	grep -lzxF -e "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 || true
}

kill_all() { # kill_all SIGNAL PID...
	local signal=$1
	shift
	# Some may be gone by now.
	kill "-$signal" "$@" 2>/dev/null || true
}

# wait_gone NAME=VALUE SECONDS succeeds once no process has the entry.
wait_gone() {
	local until=$((SECONDS + $2))
	while [[ -n $(marked "$1") ]]; do
		((SECONDS < until)) || return 1
		sleep 0.2
	done
}

command_line() { { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null || true; }

# The milliseconds that Hadoop's own times are compared with.
now_ms() { date +%s%3N; }

load_run() {
	[[ -f $RUN/env ]] || die "no cluster has been started in $LAB: run hadoop.sh up"
	# shellcheck source=/dev/null
	. "$RUN/env"
}
