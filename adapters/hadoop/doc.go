// Package hadoop observes a workflow on a Hadoop cluster over REST: the ResourceManager, the application masters
// behind its proxy, and the job history server once they are gone.
//
// What serves any engine on YARN: a [Client] sends requests, politely: it reads only, bounds what an answer may take,
// and tries another ResourceManager if one stands by (client*.go, site*.go, json*.go). A [Hub] asks the
// ResourceManager for what several workflows share: applications, nodes and queues (hub*.go, yarn_*.go, cluster.go)
// and what other tenants hold (tenants.go).
//
// What is MapReduce: a [Source] finds the jobs of a workflow (target.go, workflow*.go, conf*.go, hive.go), asks their
// masters and the history server about them (job*.go, lifecycle.go, task*.go, counters.go, groups.go, input*.go), and
// makes a snapshot of the answers at each call, by the cluster's clock. What it cannot observe for now is a
// *dag.MissedError. A workflow has ended once the cluster has reported it, and the history server as well if it can
// be asked.
package hadoop
