# Sourced by hadoop.sh: queues and those who share them. Jobs go to queue a (60%) by default, b has 40%; either
# may take the whole cluster while the other is idle. VALUE is words with commas between them:
#   capped    a may hold 70%, b 60%
#   nested    a and b are below root.prod, beside an idle root.spare of 10%
#   limited   one user may hold a queue's share and no more, even while nobody else wants the rest
#   fair      who holds least in a queue is served first (ordering policy)
#   preempt   what a queue holds beyond its share is taken back after two seconds
#   scant     a has 10% and b 90%, so that preemption comes to masters too
#   intra     users of one queue preempt each other as well
#   fairscheduler  the FairScheduler, a and b of weight 6 and 4
# shellcheck shell=bash disable=SC2153,SC2154

queues_conf() {
	local word words=${1//,/ } a=yarn.scheduler.capacity p=yarn.resourcemanager.monitor.capacity.preemption
	local site=$RUN/conf/capacity-scheduler.xml above=root
	for word in $words; do
		case $word in
		nested) above=root.prod ;;
		capped | limited | fair | preempt | scant | intra | fairscheduler) ;;
		*) die "--with queues does not know '$word': see e2e/hadoop/with/queues.sh" ;;
		esac
	done
	put "$RUN/conf/mapred-site.xml" <<<"mapreduce.job.queuename a"
	put "$site" <<-END
		$a.root.queues a,b
		$a.$above.queues a,b
		$a.$above.a.capacity 60
		$a.$above.a.maximum-capacity 100
		$a.$above.a.user-limit-factor 10
		$a.$above.b.capacity 40
		$a.$above.b.maximum-capacity 100
		$a.$above.b.user-limit-factor 10
	END
	for word in $words; do
		"queues_$word" "$above"
	done
}

queues_nested() {
	put "$site" <<-END
		$a.root.queues prod,spare
		$a.root.prod.capacity 90
		$a.root.prod.maximum-capacity 100
		$a.root.spare.capacity 10
	END
}

queues_capped() {
	put "$site" <<-END
		$a.$1.a.maximum-capacity 70
		$a.$1.b.maximum-capacity 60
	END
}

queues_limited() {
	put "$site" <<-END
		$a.$1.a.user-limit-factor 1
		$a.$1.b.user-limit-factor 1
	END
}

queues_fair() {
	put "$site" <<-END
		$a.$1.a.ordering-policy fair
		$a.$1.b.ordering-policy fair
	END
}

# By default a tenth of the cluster is taken back a round, and only a fifth of what is due: with nodes as small as these nothing.
queues_preempt() {
	put "$RUN/conf/yarn-site.xml" <<-END
		yarn.resourcemanager.scheduler.monitor.enable true
		yarn.resourcemanager.scheduler.monitor.policies org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy
	END
	put "$site" <<-END
		$p.monitoring_interval 1000
		$p.max_wait_before_kill 2000
		$p.total_preemption_per_round 1.0
		$p.max_ignored_over_capacity 0.1
		$p.natural_termination_factor 1.0
	END
}

# Masters are preempted where they hold more than this part of the queue.
queues_scant() {
	put "$site" <<-END
		$a.$1.a.capacity 10
		$a.$1.b.capacity 90
		$a.$1.a.maximum-am-resource-percent 0.35
	END
}

queues_intra() {
	put "$site" <<-END
		$p.intra-queue-preemption.enabled true
		$p.intra-queue-preemption.preemption-order-policy userlimit_first
		$p.intra-queue-preemption.minimum-threshold 0.1
		$p.intra-queue-preemption.max-allowable-limit 0.9
		$a.$1.a.minimum-user-limit-percent 50
	END
}

queues_fairscheduler() {
	put "$RUN/conf/yarn-site.xml" <<-END
		yarn.resourcemanager.scheduler.class org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler
		yarn.scheduler.fair.allocation.file $RUN/conf/fair-scheduler.xml
		yarn.scheduler.fair.allow-undeclared-pools false
		yarn.scheduler.increment-allocation-mb 256
		yarn.scheduler.fair.assignmultiple true
		yarn.scheduler.fair.dynamic.max.assign false
		yarn.scheduler.fair.max.assign 16
	END
	cat >"$RUN/conf/fair-scheduler.xml" <<-END
		<?xml version="1.0"?>
		<allocations>
		<queueMaxAMShareDefault>0.8</queueMaxAMShareDefault>
		<queue name="a"><weight>6</weight></queue>
		<queue name="b"><weight>4</weight></queue>
		</allocations>
	END
}
