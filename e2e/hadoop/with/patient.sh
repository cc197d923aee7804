# A node without a heartbeat for 15 s is not LOST: a ResourceManager may be paused for longer.
# shellcheck shell=bash

patient_conf() {
	local file
	for file in "$RUN"/conf/yarn-site.xml "$RUN"/node*/conf/yarn-site.xml; do
		put "$file" <<<"yarn.nm.liveness-monitor.expiry-interval-ms 120000"
	done
}
