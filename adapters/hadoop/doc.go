// Package hadoop observes a workflow on a Hadoop cluster over REST. It queries the ResourceManager, the application
// masters behind its proxy, and the job history server once the masters are gone.
//
// These parts serve any engine on YARN. A [Client] sends requests: it only reads, bounds the size of responses, and
// tries another ResourceManager if one is on standby (client*.go, site*.go, json*.go). A [Hub] requests what
// several workflows share: applications, nodes and queues (hub*.go, yarn_*.go, cluster.go) and the load of other
// tenants (tenants.go).
//
// The rest is for MapReduce. A [Source] finds the jobs of a workflow (target.go, workflow*.go, conf*.go, hive.go),
// polls their masters and the history server (job*.go, lifecycle.go, task*.go, counters.go, groups.go, input*.go),
// and makes a snapshot of the responses at each call, by the cluster's clock. An observation that failed for now is
// a *dag.MissedError. A workflow has ended once the cluster has reported it, and also the history server if it can
// be reached.
package hadoop
