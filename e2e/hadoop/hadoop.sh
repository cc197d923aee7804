#!/usr/bin/env bash
# A real Hadoop and Pig on one machine, from Maven's jars alone.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
E2E=$(dirname "$HERE")
. "$HERE/lab.sh"
. "$HERE/conf.sh"

usage() {
	cat >&2 <<'END'
usage: hadoop.sh VERB

  fetch                        get the jars (once)
  up [--nodes N] [--memory MB] [--hdfs] [--queues] [--slow N] [--recovery] [--with NAME[=VALUE]]...
                               start a fresh cluster and wait until it answers; a NAME is a file of with/
  down                         kill everything that belongs to it
  status                       say what runs; exit 0 up, 1 partly, 3 down
  env                          print the run's settings for eval
  rm                           start the ResourceManager again after fault.sh kill-rm
  jhs                          start the history server again after fault.sh kill-jhs
  node N                       start NodeManager N again after fault.sh kill-node N
  pig SCRIPT [-p K=V]... [-D K=V]... [--queue Q] [--user U]
  stream [ARG]...              Hadoop Streaming; pace.py and power.py are at hand
  hive FILE [-D K=V]...        a file of Hive's SQL, with --with hive; ${data} is where data sets are
  run CLASS [ARG]...           any class with a main, of Hadoop's or of udf/

An argument such as 20x600x300 names input data: 20 files of 600 records over 300 keys;
20x600x300z1.2 draws the keys by Zipf's law with that exponent; w400 at its end makes records of 400
bytes, the keys' names dealt at random. It is made when first used.
own:PATH names a file or folder of your own, which is copied into the lab when it has changed:
pig join -p a=own:clicks.tsv, or stream -input own:/data/logs.
--memory is that of all nodes together, from 768 MB a node on (default 3072).
State is in $PARATIMER_LAB (default ~/.cache/paratimer/lab).
END
	exit 2
}

# A file of with/ changes what a cluster is. It is sourced with its value as $1, and may define, each called with it in the order
# of the command line:
#   NAME_fetch   gets what it needs, once
#   NAME_ports   prints further NAME=PORT to pick
#   NAME_conf    changes what write_conf has written, by put
#   NAME_start   runs before the first daemon
#   NAME_ready   runs when the cluster answers; what it prints is added to the run's settings
# and it may set RM_URL, JHS_URL, CURL and JAVA_ENV, or define daemon starters such as start_rm anew.
take_on() { # take_on NAME[=VALUE]...
	local with value
	WITH=("$@")
	for with in "$@"; do
		[[ -f $HERE/with/${with%%=*}.sh ]] || die "no with/${with%%=*}.sh; there are $(cd "$HERE/with" && echo *.sh)"
		value=
		[[ $with != *=* ]] || value=${with#*=}
		# shellcheck source=/dev/null
		. "$HERE/with/${with%%=*}.sh" "$value"
	done
}

each_with() { # each_with HOOK
	local with value
	for with in ${WITH[@]+"${WITH[@]}"}; do
		value=
		[[ $with != *=* ]] || value=${with#*=}
		! declare -F "${with%%=*}_$1" >/dev/null || "${with%%=*}_$1" "$value"
	done
}

fetch() {
	local stamp
	stamp=$(cksum <"$HERE/pom.xml")
	if [[ -f $LAB/lib/stamp && $(<"$LAB/lib/stamp") == "$stamp" ]]; then
		return
	fi
	need mvn "install Maven 3; it gets Hadoop's jars"
	echo "hadoop.sh: getting the jars into $LAB (150 MB, some minutes the first time)" >&2
	rm -rf "$LAB/new" && mkdir -p "$LAB/new"
	mvn -B -q --strict-checksums -f "$HERE/pom.xml" package "-Dlab=$LAB/new" >"$LAB/fetch.log" 2>&1 || {
		tail -n 20 "$LAB/fetch.log" >&2
		die "Maven did not get the jars: see $LAB/fetch.log; Maven needs a repository that it can reach"
	}
	echo "$stamp" >"$LAB/new/lib/stamp"
	rm -rf "${LAB:?}/lib" "$LAB/piglib"
	mv "$LAB/new/lib" "$LAB/new/piglib" "$LAB"
	rmdir "$LAB/new"
}

udf_jar() {
	local jar=$LAB/udf.jar old=0 source
	for source in "$E2E"/udf/*.java; do
		[[ $jar -nt $source ]] || old=1
	done
	((old)) || return 0
	local javac=$JAVA_HOME/bin/javac classes
	[[ -x $javac ]] || die "no javac in $JAVA_HOME: install a JDK 17, a JRE is not enough"
	classes=$(mktemp -d "$LAB/udf.XXXXXX")
	"$javac" -nowarn -d "$classes" -cp "$LAB/piglib/*:$LIB/*" "$E2E"/udf/*.java
	"$JAVA_HOME/bin/jar" cf "$classes.jar" -C "$classes" .
	mv "$classes.jar" "$jar"
	rm -rf "$classes"
}

# A machine whose own name does not resolve, or resolves to another address than
# localhost, makes the AM's web page and the RM's proxy redirect to each other forever.
# So Java is given names of our own.
name_hosts() {
	local name
	for name in localhost "$(uname -n)"; do
		grep -qxF "127.0.0.1 $name" "$RUN/hosts" 2>/dev/null || echo "127.0.0.1 $name" >>"$RUN/hosts"
	done
}

JVM=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --add-opens=java.base/java.lang=ALL-UNNAMED)

daemon() { # daemon NAME CLASSPATH CLASS [ENV]...: starts in the background, notes the pid. CLASS may have arguments after it
	local name=$1 cp=$2 class=$3
	shift 3
	# The locks' descriptors must not live on in a daemon.
	# shellcheck disable=SC2086
	env "$MARK" ${JAVA_ENV[@]+"${JAVA_ENV[@]}"} "$@" setsid "$JAVA" -Xmx384m "${JVM[@]}" \
		"-Djdk.net.hosts.file=$RUN/hosts" "-Djava.io.tmpdir=$RUN/tmp" \
		"-Dhadoop.log.dir=$RUN/log" "-Dyarn.log.dir=$RUN/log" \
		-cp "$cp" $class </dev/null >"$RUN/log/$name.log" 2>&1 8>&- 9>&- &
	echo $! >"$RUN/pid/$name"
	# Else bash reports its end in the middle of our own messages.
	disown
}

start_node() {
	local mark pace=1
	mark=$(node_mark "$1")
	if [[ $1 == "${SLOW:-}" ]]; then
		pace=2
	fi
	daemon "node$1" "$RUN/node$1/conf:$RUN/conf:$LIB/*" \
		org.apache.hadoop.yarn.server.nodemanager.NodeManager "$mark" "PARATIMER_PACE=$pace"
}

start_rm() {
	daemon rm "$RUN/conf:$LIB/*" org.apache.hadoop.yarn.server.resourcemanager.ResourceManager
}

runs() { [[ -f $RUN/pid/$1 ]] && kill -0 "$(<"$RUN/pid/$1")" 2>/dev/null; }

rm_runs() { runs rm; }

start_jhs() {
	daemon jhs "$RUN/conf:$LIB/*" org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer
}

# await NAME URL PATTERN waits until URL's answer has PATTERN, and gives up when any daemon dies.
await() {
	local name=$1 url=$2 pattern=$3 until=$((SECONDS + 180)) pid
	until answer "$url" | grep -Eq "$pattern"; do
		for pid in "$RUN"/pid/*; do
			kill -0 "$(<"$pid")" 2>/dev/null || give_up "${pid##*/}" "has died"
		done
		((SECONDS < until)) || give_up "$name" "is not ready after 180 s ($url has no $pattern)"
		sleep 0.2
	done
}

# What was killed on purpose is no reason to give up.
forget_dead() {
	local pid
	for pid in "$RUN"/pid/*; do
		kill -0 "$(<"$pid")" 2>/dev/null || rm -f "$pid"
	done
}

give_up() { # give_up NAME WHY: leaves the logs, but nothing running
	grep -E ' (ERROR|FATAL) |^Caused by|Exception:' "$RUN/log/$1.log" | tail -n 5 | cut -c1-300 >&2 || true
	local log=$RUN/log/$1.log
	stop
	# A port that was free when it was picked may be another cluster's by now.
	if grep -q 'Address already in use' "$log" && ((${TRY:=1} < 3)); then
		echo "hadoop.sh: $1 found its port taken: once more, with other ports" >&2
		TRY=$((TRY + 1)) exec "$HERE/hadoop.sh" up "${ASKED[@]}"
	fi
	die "$1 $2: see $log"
}

up() {
	ASKED=("$@")
	NODES=1 HDFS=0 QUEUES=0 SLOW= RECOVERY=0
	local with=() memory=
	while (($#)); do
		case $1 in
		--nodes) NODES=${2:-} && shift ;;
		--memory) memory=${2:-} && shift ;;
		--slow) SLOW=${2:-} && shift ;;
		--hdfs) HDFS=1 ;;
		--queues) QUEUES=1 ;;
		--recovery) RECOVERY=1 ;;
		--with) with+=("${2:-}") && shift ;;
		*) usage ;;
		esac
		shift || usage
	done
	case $NODES in
	1) MEMORY=(3072) ;;
	2) MEMORY=(1536 1536) ;;
	3) MEMORY=(1024 1024 1024) ;;
	4) MEMORY=(1024 1024 768 768) ;;
	*) die "--nodes takes 1 to 4, not '$NODES'" ;;
	esac
	[[ -z $memory ]] || share_memory "$memory"
	[[ -z $SLOW || $SLOW =~ ^[1-$NODES]$ ]] || die "--slow takes the number of a node, 1 to $NODES, not '$SLOW'"
	take_on ${with[@]+"${with[@]}"}
	[[ -r /proc/self/environ ]] || die "no /proc here: this works on Linux only"
	need curl "install it; readiness is checked over HTTP"
	need python3 "install it; it makes the input data"
	lock
	[[ -z $(marked "$MARK") ]] || die "a cluster is running in $LAB: use it, or run hadoop.sh down first"
	find_java
	fetch
	each_with fetch
	udf_jar

	rm -rf "$RUN"
	mkdir -p "$RUN"/{conf,log,pid,tmp,staging,out}
	lock_ports
	pick_ports rm_web=8088 rm=8032 rm_scheduler=8030 rm_tracker=8031 rm_admin=8033 \
		nm_web=8042 nm_localizer=8040 shuffle=13562 \
		jhs_web=19888 jhs=10020 jhs_admin=10033 \
		nn=9000 nn_web=9870 dn=9866 dn_web=9864 dn_ipc=9867 $(each_with ports)
	RM_URL=http://localhost:${PORT[rm_web]}
	JHS_URL=http://localhost:${PORT[jhs_web]}
	name_hosts
	write_conf
	each_with conf
	cat >"$RUN/env" <<-END
		PARATIMER_LAB='$LAB'
		HADOOP_CONF_DIR='$RUN/conf'
		PARATIMER_RM=$RM_URL
		PARATIMER_JHS=$JHS_URL
		PARATIMER_NN=http://localhost:${PORT[nn_web]}
		PARATIMER_HDFS=$HDFS
		PARATIMER_NODES=$NODES
		PARATIMER_SLOW=$SLOW
		PARATIMER_WITH='${WITH[*]-}'
	END

	local node cp="$RUN/conf:$LIB/*" from=$SECONDS
	each_with start
	if ((HDFS)); then
		env "$MARK" "$JAVA" "${JVM[@]}" -cp "$cp" org.apache.hadoop.hdfs.server.namenode.NameNode \
			-format -nonInteractive -force >"$RUN/log/format.log" 2>&1 8>&- 9>&- ||
			die "the NameNode could not format its folder: see $RUN/log/format.log"
		daemon namenode "$cp" org.apache.hadoop.hdfs.server.namenode.NameNode
		daemon datanode "$cp" org.apache.hadoop.hdfs.server.datanode.DataNode
	fi
	start_rm
	for ((node = 1; node <= NODES; node++)); do
		[[ $node == "${LATE:-}" ]] || start_node "$node"
	done
	if ((HDFS)); then
		await namenode "http://localhost:${PORT[nn_web]}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState" '"NumLiveDataNodes" : 1'
		await namenode "http://localhost:${PORT[nn_web]}/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo" '"Safemode" : ""'
		make_folders "http://localhost:${PORT[nn_web]}/webhdfs/v1"
	fi
	start_jhs
	await rm "$RM_URL/ws/v1/cluster/metrics" "\"activeNodes\":$((NODES ${LATE:+- 1}))[,}]"
	await jhs "$JHS_URL/ws/v1/history/info" '"hadoopVersion"'
	each_with ready >>"$RUN/env"
	echo "hadoop.sh: up in $((SECONDS - from)) s: $RM_URL and $JHS_URL" >&2
}

# The history server would make these its own, and no other user could submit.
make_folders() {
	local folder until=$((SECONDS + 60))
	for folder in data out pigtmp staging staging/history; do
		until answer -f -X PUT "$1/$folder?op=MKDIRS&permission=1777&user.name=$(id -un)" >/dev/null; do
			((SECONDS < until)) || give_up namenode "does not make /$folder"
			sleep 1
		done
	done
}

# share_memory MB deals memory to the nodes in steps of the smallest container. An AM takes 512 MB, a task 256 MB.
share_memory() {
	local node steps
	[[ $1 =~ ^[1-9][0-9]{2,6}$ && $1 -ge $((NODES * 768)) ]] ||
		die "--memory takes megabytes, at least $((NODES * 768)) for $NODES nodes, not '$1'"
	steps=$(($1 / 256))
	MEMORY=()
	for ((node = 0; node < NODES; node++)); do
		MEMORY+=("$((256 * ((steps + NODES - 1 - node) / NODES)))")
	done
}

down() {
	lock
	stop
}

status() {
	local code=0
	daemons || code=$?
	((code < 3)) || return 3
	load_run
	# shellcheck disable=SC2086
	take_on ${PARATIMER_WITH-}
	echo "processes $(marked "$MARK" | wc -l)"
	answer "$PARATIMER_RM/ws/v1/cluster/metrics" | grep -Eo '"(appsRunning|appsPending|containersAllocated|allocatedMB|totalMB|activeNodes|lostNodes)":[0-9]+' | tr -d '"' | tr ':' ' ' ||
		echo "rm does not answer at $PARATIMER_RM"
	return "$code"
}

# Where data sets and outputs are in the run's file system.
data_dir() { if ((PARATIMER_HDFS)); then echo /data; else echo "$LAB/data"; fi; }
out_dir() { if ((PARATIMER_HDFS)); then echo "/out/$1-$(now_ms)"; else echo "$RUN/out/$1-$(now_ms)"; fi; }

# The folder of a data set, below that of all. One of the user's is named by its content, which may change between uses.
data_name() {
	[[ $1 == own:* ]] || {
		echo "$1"
		return
	}
	local from=${1#own:} sum
	from=${from%/}
	[[ -r $from ]] || die "no file or folder $from that can be read"
	sum=$(tar -C "$(dirname "$from")" --sort=name --owner=0 --group=0 --mtime=@0 -chf - "${from##*/}" | cksum)
	echo "own-${sum%% *}"
}

# take_own PATH FOLDER copies files of the user's.
take_own() {
	mkdir -p "$2"
	if [[ -d $1 ]]; then
		cp -rL "$1/." "$2"
	else
		cp -L "$1" "$2"
	fi
}

java_client() { # java_client CLASSPATH CLASS [ARG]...
	local cp=$1
	shift
	env "$MARK" ${JAVA_ENV[@]+"${JAVA_ENV[@]}"} "$JAVA" -Xmx512m "${JVM[@]}" "-Djdk.net.hosts.file=$RUN/hosts" "-Djava.io.tmpdir=$RUN/tmp" -cp "$cp" "$@"
}

# make_data SPEC... makes what is missing, in the run's file system.
make_data() {
	local spec own new=()
	for spec in "$@"; do
		own=
		if [[ $spec == own:* ]]; then
			own=${spec#own:}
			spec=$(data_name "$spec")
		fi
		if [[ ! -d $LAB/data/$spec ]]; then
			# Two scripts may want it at the same moment: who comes second has made it in vain.
			if [[ -n $own ]]; then
				take_own "$own" "$LAB/data/$spec.new$$"
			else
				python3 "$E2E/data.py" "$spec" "$LAB/data/$spec.new$$"
			fi
			mv -T "$LAB/data/$spec.new$$" "$LAB/data/$spec" 2>/dev/null || rm -rf "$LAB/data/$spec.new$$"
			[[ -d $LAB/data/$spec ]] || die "$LAB/data/$spec cannot be written"
		fi
		if ((PARATIMER_HDFS)) && [[ ! -f $RUN/hdfs/has-$spec ]]; then
			new+=("$LAB/data/$spec")
		fi
	done
	if ((${#new[@]})); then
		java_client "$RUN/conf:$LIB/*" org.apache.hadoop.fs.FsShell -put -f "${new[@]}" /data
		for spec in "${new[@]}"; do
			touch "$RUN/hdfs/has-${spec##*/}"
		done
	fi
}

client() {
	load_run
	# shellcheck disable=SC2086
	take_on ${PARATIMER_WITH-}
	[[ -n $(marked "$MARK") ]] || die "the cluster in $LAB is down: run hadoop.sh up"
	find_java
	name_hosts
}

pig() {
	(($#)) || usage
	local script=$1 opts=() params=() specs=() name value given=' '
	shift
	[[ -f $script ]] || script=$E2E/pig/${script%.pig}.pig
	[[ -f $script ]] || die "no script $script; ours are $(cd "$E2E/pig" && echo *.pig)"
	client
	udf_jar
	while (($#)); do
		case $1 in
		-p)
			[[ ${2:-} == *=* ]] || die "-p takes NAME=VALUE, not '${2:-}'"
			name=${2%%=*} value=${2#*=}
			given+="$name "
			if is_spec "$value"; then
				specs+=("$value")
				value=$(data_name "$value")
			fi
			params+=(-param "$name=$value")
			shift
			;;
		-D) opts+=("-D${2:-}") && shift ;;
		-D*) opts+=("$1") ;;
		--queue) opts+=("-Dmapreduce.job.queuename=${2:-}") && shift ;;
		--user) export HADOOP_USER_NAME=${2:-} && shift ;;
		*) usage ;;
		esac
		shift || usage
	done
	while read -r name value; do
		if [[ $given != *" $name "* ]] && is_spec "$value"; then
			specs+=("$value")
		fi
	done < <(sed -n "s/^%default  *\([a-z_]*\)  *'\{0,1\}\([^' ]*\)'\{0,1\}.*/\1 \2/p" "$script")
	make_data ${specs[@]+"${specs[@]}"}
	# Tez wants the folder of a session to be its user's own, which only HDFS can make it.
	if [[ -n ${HADOOP_USER_NAME:-} && -n ${PIG_ENGINE:-} ]]; then
		((PARATIMER_HDFS)) || die "another user's scripts run on Tez with up --hdfs only"
		opts+=("-Dtez.staging-dir=/staging/tez-$HADOOP_USER_NAME")
	fi
	name=${script##*/}
	if [[ $given != *" out "* ]]; then
		params+=(-param "out=$(out_dir "${name%.pig}")")
	fi
	params+=(-param "udf=$LAB/udf.jar" -param "data=$(data_dir)")
	# The workflow's name is the script as given to Pig; it should not hold our folders.
	cd "$(dirname "$script")"
	java_client "$RUN/conf:$LAB/piglib/*:${PIG_JARS:+$PIG_JARS:}$LIB/*" org.apache.pig.Main ${opts[@]+"${opts[@]}"} -x "${PIG_ENGINE:-mapreduce}" "${params[@]}" "$name"
}

hive() {
	(($#)) || usage
	local script=$1 opts=() name specs=()
	shift
	[[ -f $script ]] || script=$E2E/hive/${script%.sql}.sql
	[[ -f $script ]] || die "no script $script; ours are $(cd "$E2E/hive" && echo *.sql)"
	script=$(realpath "$script")
	client
	declare -F hive_conf >/dev/null || die "this cluster has no Hive: start it with --with hive"
	while (($#)); do
		case $1 in
		-D) opts+=(--hiveconf "${2:-}") && shift ;;
		*) usage ;;
		esac
		shift || usage
	done
	# A script names its data as the paths of its tables.
	while read -r name; do
		specs+=("$name")
	done < <(grep -Eo '\$\{data\}/[0-9]+x[0-9a-z.]+' "$script" | sed 's,.*/,,' | sort -u)
	make_data ${specs[@]+"${specs[@]}"}
	udf_jar
	# Derby writes its log where it is started. Hive's own logging is Log4j 2.
	cd "$RUN/hive"
	# shellcheck disable=SC2046
	java_client "$RUN/conf:$LAB/hivelib/*:$LAB/tezlib/*:$LIB/*" $(tez_opens) org.apache.hadoop.hive.cli.CliDriver \
		--hiveconf "hive.aux.jars.path=file://$LAB/udf.jar" \
		--hivevar "data=$(data_dir)" --hivevar "udf=$LAB/udf.jar" ${opts[@]+"${opts[@]}"} -f "$script"
}

# Turns the names of data sets among the arguments into folders that exist: ARGS.
resolve() {
	local arg specs=()
	ARGS=()
	for arg in "$@"; do
		if is_spec "$arg"; then
			specs+=("$arg")
			arg=$(data_dir)/$(data_name "$arg")
		fi
		ARGS+=("$arg")
	done
	make_data ${specs[@]+"${specs[@]}"}
}

stream() {
	client
	resolve "$@"
	local generic=() rest=() output=0 files="file://$E2E/stream/pace.py,file://$E2E/stream/power.py" i
	for ((i = 0; i < ${#ARGS[@]}; i++)); do
		case ${ARGS[i]} in
		-D) generic+=(-D "${ARGS[++i]:-}") ;;
		-D*) generic+=(-D "${ARGS[i]#-D}") ;;
		-files) files+=,${ARGS[++i]:-} ;;
		-output) output=1 && rest+=(-output) ;;
		*) rest+=("${ARGS[i]}") ;;
		esac
	done
	((output)) || rest+=(-output "$(out_dir stream)")
	java_client "$RUN/conf:$LIB/*" org.apache.hadoop.streaming.HadoopStreaming \
		${generic[@]+"${generic[@]}"} \
		-files "$files" "${rest[@]}"
}

run() {
	(($#)) || usage
	client
	udf_jar
	resolve "$@"
	java_client "$RUN/conf:$LIB/*:$LAB/udf.jar" "${ARGS[@]}"
}

node() {
	[[ ${1:-} =~ ^[0-9]+$ ]] || usage
	client
	[[ -d $RUN/node$1/conf ]] || die "this cluster has nodes 1 to $PARATIMER_NODES, not $1"
	[[ -z $(marked "$(node_mark "$1")") ]] || die "node $1 is running"
	SLOW=$PARATIMER_SLOW
	start_node "$1"
}

rm_again() {
	client
	! rm_runs || die "the ResourceManager is running"
	forget_dead
	start_rm
	await rm "$PARATIMER_RM/ws/v1/cluster/metrics" "\"activeNodes\":${PARATIMER_NODES}[,}]"
}

jhs_again() {
	client
	! runs jhs || die "the history server is running"
	forget_dead
	start_jhs
	await jhs "$PARATIMER_JHS/ws/v1/history/info" '"hadoopVersion"'
}

verb=${1:-}
shift || usage
case $verb in
fetch) lock && fetch ;;
env) load_run && sed 's/^/export /' "$RUN/env" ;;
rm) rm_again ;;
jhs) jhs_again ;;
up | down | status | node | pig | hive | stream | run) "$verb" "$@" ;;
*) usage ;;
esac
