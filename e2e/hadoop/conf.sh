# Sourced by hadoop.sh: writes the configuration of one run into $RUN/conf and $RUN/nodeN/conf.
# Needs PORT, NODES, MEMORY, HDFS, QUEUES, RECOVERY and SLOW.
# shellcheck shell=bash disable=SC2153,SC2154

site() { # site FILE: one property a line on stdin, NAME VALUE
	local name value
	{
		echo '<?xml version="1.0"?>'
		echo '<configuration>'
		while read -r name value; do
			[[ -n $name ]] || continue
			echo "<property><name>$name</name><value>$value</value></property>"
		done
		echo '</configuration>'
	} >"$1"
}

# put FILE adds properties to a file that site has written, in the same form; a later one wins.
put() {
	local name value
	sed -i '$d' "$1"
	{
		while read -r name value; do
			[[ -n $name ]] || continue
			echo "<property><name>$name</name><value>$value</value></property>"
		done
		echo '</configuration>'
	} >>"$1"
}

yarn_site() { # yarn_site FILE NODE: node 0 stands for the ResourceManager and the clients
	local localizer=0 web=0 memory=3072 recovery=false
	if ((RECOVERY)); then
		recovery=true
	fi
	if (($2 > 0)); then
		memory=${MEMORY[$2 - 1]}
	fi
	# Several NodeManagers cannot share the default ports.
	if ((NODES == 1)); then
		localizer=${PORT[nm_localizer]} web=${PORT[nm_web]}
	fi
	site "$1" <<-END
		yarn.resourcemanager.hostname localhost
		yarn.resourcemanager.address localhost:${PORT[rm]}
		yarn.resourcemanager.scheduler.address localhost:${PORT[rm_scheduler]}
		yarn.resourcemanager.resource-tracker.address localhost:${PORT[rm_tracker]}
		yarn.resourcemanager.admin.address localhost:${PORT[rm_admin]}
		yarn.resourcemanager.webapp.address localhost:${PORT[rm_web]}
		yarn.resourcemanager.am.max-attempts 2
		yarn.resourcemanager.recovery.enabled $recovery
		yarn.resourcemanager.store.class org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore
		yarn.resourcemanager.fs.state-store.uri file://$RUN/rmstate
		yarn.node-attribute.fs-store.root-dir file://$RUN/attributes
		yarn.resourcemanager.nodemanagers.heartbeat-interval-ms 1000
		yarn.nm.liveness-monitor.expiry-interval-ms 15000
		yarn.nodemanager.hostname localhost
		yarn.nodemanager.address localhost:0
		yarn.nodemanager.localizer.address localhost:$localizer
		yarn.nodemanager.webapp.address localhost:$web
		yarn.nodemanager.local-dirs $RUN/node$2/local
		yarn.nodemanager.log-dirs $RUN/node$2/containers
		yarn.nodemanager.resource.memory-mb $memory
		yarn.nodemanager.resource.cpu-vcores 16
		yarn.nodemanager.aux-services mapreduce_shuffle
		yarn.nodemanager.aux-services.mapreduce_shuffle.class org.apache.hadoop.mapred.ShuffleHandler
		yarn.nodemanager.pmem-check-enabled false
		yarn.nodemanager.vmem-check-enabled false
		yarn.nodemanager.disk-health-checker.enable false
		yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage 100
		yarn.nodemanager.env-whitelist JAVA_HOME,PATH,HOME,LANG,PARATIMER_RUN,PARATIMER_NODE,PARATIMER_PACE
		yarn.scheduler.minimum-allocation-mb 256
		yarn.scheduler.maximum-allocation-mb 1024
		yarn.application.classpath $RUN/conf,$LIB/*
		yarn.log-aggregation-enable false
		yarn.timeline-service.enabled false
		yarn.webapp.ui2.enable false
	END
}

scheduler_site() {
	local a=yarn.scheduler.capacity
	{
		# The default of 0.1 leaves room for a single AM on a node as small as this.
		echo "$a.maximum-am-resource-percent 0.8"
		echo "$a.node-locality-delay -1"
		# With the default of 1 reduces would start one a second on each node.
		echo "$a.per-node-heartbeat.maximum-offswitch-assignments 16"
		if ((QUEUES)); then
			# The factors let one user have the whole cluster while the other queue is idle.
			echo "$a.root.queues a,b"
			echo "$a.root.a.capacity 60"
			echo "$a.root.a.maximum-capacity 100"
			echo "$a.root.a.user-limit-factor 2"
			echo "$a.root.b.capacity 40"
			echo "$a.root.b.maximum-capacity 100"
			echo "$a.root.b.user-limit-factor 3"
		else
			echo "$a.root.queues default"
			echo "$a.root.default.capacity 100"
			echo "$a.root.default.user-limit-factor 1"
		fi
	} | site "$1"
}

write_conf() {
	local conf=$RUN/conf fs=file:/// staging=$RUN/staging pigtmp=$RUN/pigtmp queue=default node move=180000
	# HDFS's jar comes without its web pages; the daemons ask only for the folders.
	mkdir -p "$conf"/webapps/{hdfs,datanode}
	if ((HDFS)); then
		fs=hdfs://localhost:${PORT[nn]} staging=/staging pigtmp=/pigtmp
		# With HDFS a test reads the folder of finished jobs, and does not wait three minutes for it.
		move=3000
	fi
	if ((QUEUES)); then
		queue=a
	fi
	local hosts=-Djdk.net.hosts.file=$RUN/hosts

	site "$conf/core-site.xml" <<-END
		fs.defaultFS $fs
		fs.local.block.size 33554432
		hadoop.tmp.dir $RUN/tmp
	END
	site "$conf/hdfs-site.xml" <<-END
		dfs.replication 1
		dfs.blocksize 33554432
		dfs.permissions.enabled false
		dfs.namenode.name.dir $RUN/hdfs/name
		dfs.datanode.data.dir $RUN/hdfs/data
		dfs.namenode.http-address localhost:${PORT[nn_web]}
		dfs.datanode.hostname localhost
		dfs.datanode.address localhost:${PORT[dn]}
		dfs.datanode.http.address localhost:${PORT[dn_web]}
		dfs.datanode.ipc.address localhost:${PORT[dn_ipc]}
	END
	site "$conf/mapred-site.xml" <<-END
		mapreduce.framework.name yarn
		mapreduce.application.classpath $conf,$LIB/*
		mapreduce.jobhistory.address localhost:${PORT[jhs]}
		mapreduce.jobhistory.admin.address localhost:${PORT[jhs_admin]}
		mapreduce.jobhistory.webapp.address localhost:${PORT[jhs_web]}
		mapreduce.jobhistory.jhist.format json
		mapreduce.jobhistory.move.interval-ms $move
		mapreduce.job.queuename $queue
		yarn.app.mapreduce.am.staging-dir $staging
		yarn.app.mapreduce.am.resource.mb 512
		yarn.app.mapreduce.am.command-opts -Xmx320m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $hosts
		mapreduce.map.memory.mb 256
		mapreduce.reduce.memory.mb 256
		mapreduce.map.java.opts -Xmx160m -XX:TieredStopAtLevel=1 $hosts
		mapreduce.reduce.java.opts -Xmx160m -XX:TieredStopAtLevel=1 $hosts
		mapreduce.task.io.sort.mb 32
		mapreduce.map.speculative false
		mapreduce.reduce.speculative false
		mapreduce.job.ubertask.enable false
		mapreduce.task.progress-report.interval 1000
	END
	yarn_site "$conf/yarn-site.xml" 0
	for ((node = 1; node <= NODES; node++)); do
		mkdir -p "$RUN/node$node/conf"
		yarn_site "$RUN/node$node/conf/yarn-site.xml" "$node"
		# Not in yarn-site: mapred-default.xml, read after it, would take it back.
		echo "mapreduce.shuffle.port $((NODES == 1 ? PORT[shuffle] : 0))" | site "$RUN/node$node/conf/mapred-site.xml"
	done
	scheduler_site "$conf/capacity-scheduler.xml"

	cat >"$conf/pig.properties" <<-END
		# One map a file and no local shortcuts, so that small data makes real jobs.
		pig.noSplitCombination=true
		opt.fetch=false
		pig.jobcontrol.sleep=1000
		pig.temp.dir=$pigtmp
		pig.logfile=$RUN/log
	END
	cat >"$conf/log4j.properties" <<-END
		log4j.rootLogger=INFO,console
		log4j.appender.console=org.apache.log4j.ConsoleAppender
		log4j.appender.console.target=System.err
		log4j.appender.console.layout=org.apache.log4j.PatternLayout
		log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
	END
}
