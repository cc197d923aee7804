# Sourced by hadoop.sh, fault.sh and spark.sh: where things are, and how to find our own processes.
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
	[[ -f $RUN/env ]] || die "no cluster has been started in $RUN: run ${UP:-hadoop.sh up}"
	# shellcheck source=/dev/null
	. "$RUN/env"
}

lock() {
	mkdir -p "$LAB"
	need flock "install util-linux"
	exec 9>"$LAB/lock"
	flock -w 120 9 || die "another ${0##*/} has worked on $LAB for two minutes: wait for it, or set PARATIMER_LAB to a folder of your own"
}

# Two clusters that start at once would both find a port free that neither has bound yet.
lock_ports() {
	exec 8>"${TMPDIR:-/tmp}/paratimer-ports-$UID"
	flock -w 180 8 || echo "${0##*/}: another cluster has been starting for three minutes; not waiting for it" >&2
}

find_java() {
	[[ -n ${JAVA:-} ]] && return
	JAVA=${JAVA_HOME:+$JAVA_HOME/bin/}java
	need "$JAVA" "install a JDK 17, or set JAVA_HOME to one"
	local settings major
	settings=$("$JAVA" -XshowSettings:properties -version 2>&1) || die "$JAVA does not start: $settings"
	major=$(sed -n 's/^ *java.specification.version = //p' <<<"$settings")
	JAVA_HOME=$(sed -n 's/^ *java.home = //p' <<<"$settings")
	JAVA=$JAVA_HOME/bin/java
	export JAVA_HOME
	case $major in
	17) ;;
	1.* | 9 | 10) die "$JAVA is Java $major: the lab needs 11 or later, 17 is what we test" ;;
	*) echo "${0##*/}: $JAVA is Java $major; only 17 is tested" >&2 ;;
	esac
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

pick_ports() {
	declare -gA PORT=()
	local want name port used=' '
	for want in "$@"; do
		name=${want%=*} port=${want#*=}
		while [[ $used == *" $port "* ]] || port_taken "$port"; do
			port=$((port + 1))
		done
		if [[ $port != "${want#*=}" ]]; then
			echo "${0##*/}: port ${want#*=} is taken, $name uses $port" >&2
		fi
		used+="$port "
		PORT[$name]=$port
	done
}

answer() { curl -sS --noproxy '*' --max-time 5 ${CURL[@]+"${CURL[@]}"} "$@" 2>/dev/null; }

stop() {
	local pids
	pids=$(marked "$MARK")
	if [[ -n $pids ]]; then
		# shellcheck disable=SC2086
		kill_all TERM $pids
		wait_gone "$MARK" 5 || {
			pids=$(marked "$MARK")
			# shellcheck disable=SC2086
			kill_all KILL $pids
			wait_gone "$MARK" 20 || die "these processes do not die: $(marked "$MARK" | xargs)"
		}
	fi
	rm -f "$RUN"/pid/*
}

# daemons says which of the daemons that were started run: 0 all, 1 some of them, 3 none.
daemons() {
	local file name pid alive=0 dead=0
	for file in "$RUN"/pid/*; do
		[[ -f $file ]] || continue
		name=${file##*/} pid=$(<"$file")
		if kill -0 "$pid" 2>/dev/null; then
			echo "$name up $pid"
			alive=$((alive + 1))
		else
			echo "$name dead $pid"
			dead=$((dead + 1))
		fi
	done
	if ((alive == 0)); then
		echo "down"
		return 3
	fi
	((dead == 0))
}

is_spec() { [[ $1 == own:?* || $1 =~ ^[0-9]+x[0-9]+x[0-9]+(z[0-9.]+)?(w[0-9]+)?$ ]]; }
