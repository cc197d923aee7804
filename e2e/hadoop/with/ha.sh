# Two ResourceManagers and a ZooKeeper that decides who of them is active.
# fault.sh kill-active-rm kills that one; hadoop.sh rm starts again what is dead of them.
# shellcheck shell=bash disable=SC2153,SC2154

# A standby sends to the active one.
CURL+=(--location)

ha_ports() {
	echo zk=2181 rm2_web=8188 rm2=8132 rm2_scheduler=8130 rm2_tracker=8131 rm2_admin=8133
}

ha_conf() {
	local file
	for file in "$RUN"/conf/yarn-site.xml "$RUN"/node*/conf/yarn-site.xml; do
		put "$file" <<-END
			yarn.resourcemanager.ha.enabled true
			yarn.resourcemanager.ha.rm-ids rm1,rm2
			yarn.resourcemanager.cluster-id lab
			hadoop.zk.address localhost:${PORT[zk]}
			yarn.resourcemanager.recovery.enabled true
			yarn.resourcemanager.store.class org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore
			$(ha_addresses rm1 rm)
			$(ha_addresses rm2 rm2)
		END
	done
	# Which of them it is a ResourceManager reads in a folder of its own.
	for file in rm1 rm2; do
		mkdir -p "$RUN/$file/conf"
		cp "$RUN/conf/yarn-site.xml" "$RUN/$file/conf"
		put "$RUN/$file/conf/yarn-site.xml" <<<"yarn.resourcemanager.ha.id $file"
	done
}

ha_addresses() { # ha_addresses ID PORTS
	local a=yarn.resourcemanager
	cat <<-END
		$a.hostname.$1 localhost
		$a.address.$1 localhost:${PORT[$2]}
		$a.scheduler.address.$1 localhost:${PORT[$2_scheduler]}
		$a.resource-tracker.address.$1 localhost:${PORT[$2_tracker]}
		$a.admin.address.$1 localhost:${PORT[$2_admin]}
		$a.webapp.address.$1 localhost:${PORT[$2_web]}
	END
}

ha_start() {
	local until=$((SECONDS + 30))
	mkdir -p "$RUN/zk"
	daemon zk "$RUN/conf:$LIB/*" "org.apache.zookeeper.server.ZooKeeperServerMain ${PORT[zk]} $RUN/zk"
	until port_taken "${PORT[zk]}"; do
		((SECONDS < until)) || give_up zk "does not listen after 30 s"
		sleep 0.2
	done
}

# Starts those that do not run: both, or the one that was killed.
start_rm() {
	local id
	for id in rm1 rm2; do
		runs "${id%1}" ||
			daemon "${id%1}" "$RUN/$id/conf:$RUN/conf:$LIB/*" org.apache.hadoop.yarn.server.resourcemanager.ResourceManager
	done
}

rm_runs() { runs rm && runs rm2; }

ha_ready() {
	await rm2 "http://localhost:${PORT[rm2_web]}/ws/v1/cluster/info" '"haState":"(ACTIVE|STANDBY)"'
	echo "PARATIMER_RM2=http://localhost:${PORT[rm2_web]}"
}
