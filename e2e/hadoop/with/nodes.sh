# Nodes that differ and can be changed: addresses and names of their own (an AM blacklists by host name), a list of nodes to
# decommission, a health script, tasks that fail where a node is broken (udf/Pace.java). nodes=N: node N is started later, by
# `hadoop.sh node N`.
# shellcheck shell=bash disable=SC2154,SC2034

LATE=${1-}

nodes_conf() {
	local node
	: >"$RUN/exclude"
	put "$RUN/conf/yarn-site.xml" <<-END
		yarn.resourcemanager.nodes.exclude-path $RUN/exclude
	END
	cat >"$RUN/health" <<-'END'
		#!/bin/sh
		# Of the node whose folder it is given; a line that begins with ERROR makes a node unhealthy.
		[ ! -f "$1/sick" ] || echo "ERROR a test says that this node is sick"
	END
	chmod +x "$RUN/health"
	for ((node = 1; node <= NODES; node++)); do
		echo "127.0.1.$node node$node" >>"$RUN/hosts"
		put "$RUN/node$node/conf/yarn-site.xml" <<-END
			yarn.nodemanager.hostname node$node
			yarn.nodemanager.address node$node:0
			yarn.nodemanager.localizer.address node$node:0
			yarn.nodemanager.webapp.address node$node:0
			yarn.nodemanager.health-checker.script.path $RUN/health
			yarn.nodemanager.health-checker.script.opts $RUN/node$node
			yarn.nodemanager.health-checker.interval-ms 1000
			yarn.nodemanager.health-checker.script.interval-ms 1000
		END
	done
}
