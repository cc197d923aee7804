#!/usr/bin/env bash
# A real Spark on one machine, from PyPI's pyspark alone: a master, two workers and a history server.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
E2E=$(dirname "$HERE")
. "$E2E/hadoop/lab.sh"
RUN=$LAB/spark
# shellcheck disable=SC2034 # lab.sh uses these two
MARK=PARATIMER_RUN=$RUN UP='spark.sh up'
DEFAULT_VERSION=3.5.6
YARN=0 KUBE=0

usage() {
	cat >&2 <<END
usage: spark.sh VERB

  fetch [VERSION]              get pyspark (once); without a version $DEFAULT_VERSION
  up [--yarn | --kubernetes] [VERSION]
                               start a fresh cluster and wait until it answers; --yarn: a history server alone, for applications on
                               the YARN that hadoop.sh has started; --kubernetes: and a kubelet and the Spark operator, for kube.sh
  down                         kill everything that belongs to it
  status                       say what runs; exit 0 up, 1 partly, 3 down
  env                          print the run's settings for eval
  submit [OPTION VALUE]... FILE [ARG]...
                               spark-submit of a file here or of your own; an argument such as 20x600x300 names input data
  kill-executor HOST           kill -9 the executors on a worker's host, 127.0.0.1 or 127.0.0.2
  kill-driver                  kill -9 the drivers

Workers have two cores each. State is in \$PARATIMER_LAB/spark (\$PARATIMER_LAB is ~/.cache/paratimer/lab by default).
END
	exit 2
}

home() { echo "$LAB/pyspark-$1"; }

# Python's packages are those of the lab alone.
fetch() {
	local version=${1:-$DEFAULT_VERSION} to
	to=$(home "$version")
	if [[ ! -f $to/stamp ]]; then
		need python3 "install it, with venv and pip"
		echo "spark.sh: getting pyspark $version into $to (400 MB, some minutes the first time)" >&2
		rm -rf "$to"
		python3 -m venv "$to" >"$LAB/fetch-spark.log" 2>&1 ||
			die "Python makes no virtual environment: install python3-venv; see $LAB/fetch-spark.log"
		"$to/bin/pip" install --no-compile --disable-pip-version-check "pyspark==$version" >>"$LAB/fetch-spark.log" 2>&1 || {
			tail -n 5 "$LAB/fetch-spark.log" >&2
			die "pip did not get pyspark: see $LAB/fetch-spark.log"
		}
		touch "$to/stamp"
	fi
	SPARK_HOME=$(echo "$to"/lib/python3*/site-packages/pyspark)
	[[ -d $SPARK_HOME/jars ]] || die "there are no jars in $SPARK_HOME"
}

udf_jar() { # udf_jar VERSION
	local jar classes
	jar=$(home "$1")/udf.jar
	[[ ! $jar -nt $HERE/SqlPace.java ]] || return 0
	[[ -x $JAVA_HOME/bin/javac ]] || die "no javac in $JAVA_HOME: install a JDK 17, a JRE is not enough"
	classes=$(mktemp -d "$LAB/udf.XXXXXX")
	"$JAVA_HOME/bin/javac" -nowarn -proc:none -d "$classes" -cp "$SPARK_HOME/jars/*" "$HERE/SqlPace.java"
	"$JAVA_HOME/bin/jar" cf "$classes.jar" -C "$classes" .
	mv "$classes.jar" "$jar"
	rm -rf "$classes"
}

# Short-lived JVMs on a machine with few cores.
JVM='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'

write_conf() { # write_conf VERSION
	local java=$JVM
	((!YARN)) || java+=" -Djdk.net.hosts.file=$LAB/run/hosts"
	cat >"$RUN/conf/spark-defaults.conf" <<-END
		spark.ui.port                    ${PORT[ui]}
		spark.driver.memory              512m
		spark.driver.extraJavaOptions    $java
		spark.executor.memory            512m
		spark.executor.extraJavaOptions  $java
		spark.shuffle.service.port       ${PORT[shuffle]}
		spark.eventLog.enabled           true
		spark.eventLog.dir               file://$RUN/events
		spark.jars                       $(home "$1")/udf.jar
		spark.sql.warehouse.dir          file://$RUN/warehouse
	END
	if ((YARN)); then
		cat >>"$RUN/conf/spark-defaults.conf" <<-END
			spark.master                     yarn
			spark.yarn.jars                  local:$SPARK_HOME/jars/*
			spark.yarn.am.extraJavaOptions   $java
			spark.yarn.stagingDir            file://$RUN
			spark.yarn.historyServer.address localhost:${PORT[history]}
			spark.driver.memoryOverhead      256m
			spark.executor.memoryOverhead    256m
			spark.executor.cores             2
			spark.executor.instances         2
		END
	elif ((KUBE)); then
		cat >>"$RUN/conf/spark-defaults.conf" <<-END
			spark.master                     k8s://$PARATIMER_KUBE_SERVER
			spark.submit.deployMode          cluster
			spark.jars                       local://$(home "$1")/udf.jar
			spark.driver.port                ${PORT[driver]}
			spark.blockManager.port          ${PORT[blocks]}
			spark.executor.instances         2
			spark.kubernetes.namespace       etl
			spark.kubernetes.container.image lab
			spark.kubernetes.driver.master   $PARATIMER_KUBE_SERVER
			spark.kubernetes.context         admin
		END
	else
		cat >>"$RUN/conf/spark-defaults.conf" <<-END
			spark.master                     spark://127.0.0.1:${PORT[master]}
			spark.driver.host                127.0.0.1
		END
	fi
	cat >"$RUN/conf/log4j2.properties" <<-'END'
		rootLogger.level = warn
		rootLogger.appenderRef.stderr.ref = stderr
		appender.stderr.type = Console
		appender.stderr.name = stderr
		appender.stderr.target = SYSTEM_ERR
		appender.stderr.layout.type = PatternLayout
		appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
		# An application's id, as without this file.
		logger.submit.name = org.apache.spark.deploy.k8s.submit
		logger.submit.level = info
	END
}

set_env() { # set_env VERSION: what Spark's scripts and its processes go by
	SPARK_HOME=$(echo "$(home "$1")"/lib/python3*/site-packages/pyspark)
	export SPARK_HOME PYSPARK_PYTHON="$(home "$1")/bin/python" SPARK_CONF_DIR=$RUN/conf SPARK_LOCAL_IP=127.0.0.1
	export SPARK_DAEMON_MEMORY=256m SPARK_DAEMON_JAVA_OPTS=$JVM "${MARK?}"
	unset SPARK_MASTER_HOST SPARK_WORKER_DIR PYSPARK_DRIVER_PYTHON PYTHONPATH HADOOP_CONF_DIR YARN_CONF_DIR
	((!YARN)) || export HADOOP_CONF_DIR=$LAB/run/conf
	((!KUBE)) || export KUBECONFIG=$LAB/kube/kubeconfig
}

daemon() { # daemon NAME COMMAND...: starts in the background, notes the pid
	local name=$1
	shift
	# The locks' descriptors must not live on in a daemon.
	setsid "$@" </dev/null >"$RUN/log/$name.log" 2>&1 8>&- 9>&- &
	echo $! >"$RUN/pid/$name"
	disown
}

# await NAME URL PATTERN waits until URL's answer has PATTERN, and gives up when any daemon dies.
await() {
	local name=$1 url=$2 pattern=$3 until=$((SECONDS + 180)) pid
	until answer "$url" | tr -d ' \n' | grep -Eq "$pattern"; do
		for pid in "$RUN"/pid/*; do
			kill -0 "$(<"$pid")" 2>/dev/null || give_up "${pid##*/}" "has died"
		done
		((SECONDS < until)) || give_up "$name" "is not ready after 180 s ($url has no $pattern)"
		sleep 0.2
	done
}

give_up() { # give_up NAME WHY: leaves the logs, but nothing running
	tail -n 5 "$RUN/log/$1.log" | cut -c1-300 >&2 || true
	stop
	die "$1 $2: see $RUN/log/$1.log"
}

up() {
	local version from n
	if [[ ${1:-} == --yarn ]]; then
		YARN=1
		shift
		[[ -f $LAB/run/hosts ]] || die "no YARN has been started in $LAB: run hadoop.sh up first"
	elif [[ ${1:-} == --kubernetes ]]; then
		KUBE=1
		shift
		# shellcheck source=/dev/null
		. "$LAB/kube/env" || die "no Kubernetes has been started in $LAB: run kube.sh up first"
	fi
	version=${1:-$DEFAULT_VERSION}
	[[ -r /proc/self/environ ]] || die "no /proc here: this works on Linux only"
	need curl "install it; readiness is checked over HTTP"
	lock
	[[ -z $(marked "$MARK") ]] || die "a cluster is running in $RUN: use it, or run spark.sh down first"
	find_java
	fetch "$version"
	udf_jar "$version"
	rm -rf "$RUN"
	mkdir -p "$RUN"/{conf,log,pid,events,work}
	lock_ports
	# If its port is in use, the master takes the next one, which nothing here would find.
	pick_ports master=7077 master_web=8180 worker1_web=8181 worker2_web=8182 history=18080 ui=4040 shuffle=7337 driver=27078 blocks=27178
	write_conf "$version"
	cat >"$RUN/env" <<-END
		PARATIMER_LAB='$LAB'
		PARATIMER_SPARK=http://localhost:${PORT[ui]}
		PARATIMER_SPARK_HISTORY=http://localhost:${PORT[history]}
		PARATIMER_SPARK_MASTER=http://localhost:${PORT[master_web]}
		PARATIMER_SPARK_EVENTS='$RUN/events'
		PARATIMER_SPARK_VERSION=$version
		PARATIMER_SPARK_YARN=$YARN
		PARATIMER_SPARK_KUBE=$KUBE
	END
	from=$SECONDS
	set_env "$version"
	SPARK_HISTORY_OPTS="-Dspark.history.fs.logDirectory=file://$RUN/events -Dspark.history.ui.port=${PORT[history]} -Dspark.history.fs.update.interval=3s" \
		daemon history "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.history.HistoryServer
	((YARN || KUBE)) || start_workers
	((!KUBE)) || start_pods
	await history "http://localhost:${PORT[history]}/api/v1/version" '"spark":'
	echo "spark.sh: Spark $version up in $((SECONDS - from)) s: history at http://localhost:${PORT[history]}" >&2
}

start_pods() {
	local server=${PARATIMER_KUBE_SERVER#https://}
	cd "$RUN"
	daemon kubelet python3 "$HERE/kubelet.py" "$PARATIMER_KUBE_SERVER" "$LAB/kube/ca.crt" "$PARATIMER_KUBE_ADDRESS"
	# It finds the API server as in a pod, for its spark-submit.
	KUBECONFIG=$LAB/kube/kubeconfig-admin KUBERNETES_SERVICE_HOST=${server%:*} KUBERNETES_SERVICE_PORT=${server##*:} \
		daemon operator "$PARATIMER_KUBE_OPERATOR" controller start --namespaces etl --health-probe-bind-address 0
}

start_workers() {
	local n service=true
	daemon master "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port "${PORT[master]}" --webui-port "${PORT[master_web]}"
	# Two hosts, so that some of the shuffle is remote and speculation has another host to go to. A shuffle service listens on
	# all addresses, so that one serves both: those applications that set spark.shuffle.service.enabled.
	for n in 1 2; do
		SPARK_LOCAL_IP=127.0.0.$n \
			SPARK_WORKER_OPTS="-Dspark.shuffle.service.enabled=$service -Dspark.shuffle.service.port=${PORT[shuffle]}" \
			daemon "worker$n" "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker --host "127.0.0.$n" \
			--cores 2 --memory 1g --work-dir "$RUN/work" --webui-port "${PORT[worker${n}_web]}" \
			"spark://127.0.0.1:${PORT[master]}"
		service=false
	done
	await master "http://localhost:${PORT[master_web]}/json/" '"aliveworkers":2[,}]'
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
	echo "processes $(marked "$MARK" | wc -l)"
	return "$code"
}

submit() {
	local options=() file args=() arg
	while [[ ${1:-} == -* ]]; do
		(($# > 1)) || usage
		options+=("$1" "$2")
		shift 2
	done
	(($#)) || usage
	file=$1
	shift
	[[ -f $file ]] || file=$HERE/${file%.py}.py
	[[ -f $file ]] || die "no file $file; ours are $(cd "$HERE" && echo *.py)"
	load_run
	YARN=$PARATIMER_SPARK_YARN KUBE=$PARATIMER_SPARK_KUBE
	find_java
	set_env "$PARATIMER_SPARK_VERSION"
	for arg in "$@"; do
		if is_spec "$arg" && [[ $arg != own:* ]]; then
			if [[ ! -d $LAB/data/$arg ]]; then
				mkdir -p "$LAB/data"
				python3 "$E2E/data.py" "$arg" "$LAB/data/$arg.new$$"
				mv -T "$LAB/data/$arg.new$$" "$LAB/data/$arg" 2>/dev/null || rm -rf "$LAB/data/$arg.new$$"
			fi
			arg=file://$LAB/data/$arg
		fi
		args+=("$arg")
	done
	((!KUBE)) || file=local://$file
	cd "$RUN"
	exec "$SPARK_HOME/bin/spark-submit" ${options[@]+"${options[@]}"} "$file" ${args[@]+"${args[@]}"}
}

# The JVMs of this run whose command line has a text.
jvms() { # jvms TEXT
	local pid
	for pid in $(marked "$MARK"); do
		[[ $(command_line "$pid") != *java*"$1"* ]] || echo "$pid"
	done
}

kill_jvms() { # kill_jvms TEXT
	local pids
	pids=$(jvms "$1")
	[[ -n $pids ]] || die "nothing runs that has '$1' in its command line"
	now_ms
	# shellcheck disable=SC2086
	kill_all KILL $pids
}

verb=${1:-}
shift || usage
case $verb in
fetch) lock && fetch "$@" ;;
env) load_run && sed 's/^/export /' "$RUN/env" ;;
kill-executor) kill_jvms "--hostname ${1:?HOST}" ;;
kill-driver) kill_jvms org.apache.spark.deploy.SparkSubmit ;;
up | down | status | submit) "$verb" "$@" ;;
*) usage ;;
esac
