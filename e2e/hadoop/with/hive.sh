# --with hive: Hive on Tez beside Pig on Tez (with/tez.sh). Hive's jars are got once, into $LAB/hivelib. The metastore
# is a Derby inside each client, in the run's own folder.
# shellcheck shell=bash disable=SC2034,SC2154
# shellcheck source=/dev/null
. "$HERE/with/tez.sh"
HIVE_POM=$HERE/hive.xml

hive_fetch() {
	tez_fetch
	fetch_pom "$HIVE_POM" hivelib Hive
}

hive_conf() {
	tez_conf
	mkdir -p "$RUN/hive"
	# Tables are small: without these a query would be one task a table. Hive takes hive-exec to the tasks, which need a
	# library that Hadoop has no more.
	local collections
	collections=$(echo "$LAB"/hivelib/commons-collections-3*.jar)
	put "$RUN/conf/tez-site.xml" <<-END
		tez.grouping.min-size 1
		tez.grouping.split-count 6
		tez.cluster.additional.classpath.prefix $LAB/tezlib/*:$collections
	END
	# Of Hive on MapReduce (hive.execution.engine mr) the tasks reach into Java as well.
	put "$RUN/conf/mapred-site.xml" <<-END
		mapreduce.application.classpath $RUN/conf,$LIB/*,$collections
		mapreduce.map.java.opts -Xmx160m -XX:TieredStopAtLevel=1 $(tez_opens) -Djdk.net.hosts.file=$RUN/hosts
		mapreduce.reduce.java.opts -Xmx160m -XX:TieredStopAtLevel=1 $(tez_opens) -Djdk.net.hosts.file=$RUN/hosts
	END
	site "$RUN/conf/hive-site.xml" <<-END
		hive.execution.engine tez
		hive.input.format org.apache.hadoop.hive.ql.io.HiveInputFormat
		javax.jdo.option.ConnectionURL jdbc:derby:;databaseName=$RUN/hive/metastore;create=true
		javax.jdo.option.ConnectionDriverName org.apache.derby.jdbc.EmbeddedDriver
		datanucleus.schema.autoCreateAll true
		hive.metastore.schema.verification false
		hive.metastore.warehouse.dir $RUN/hive/warehouse
		hive.exec.scratchdir $RUN/hive/scratch
		hive.exec.local.scratchdir $RUN/hive/local
		hive.user.install.directory $RUN/hive/jars
		hive.querylog.location $RUN/hive/log
		hive.tez.container.size 256
		hive.tez.java.opts -Xmx160m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $(tez_opens) -Djdk.net.hosts.file=$RUN/hosts
		hive.stats.autogather false
		hive.fetch.task.conversion none
		hive.auto.convert.join false
		hive.vectorized.execution.enabled false
		hive.exec.reducers.max 4
		hive.exec.reducers.bytes.per.reducer 2000
		hive.notification.event.poll.interval 0s
	END
}
