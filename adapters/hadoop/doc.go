// Package hadoop observes a workflow on a Hadoop cluster over REST. It queries the ResourceManager, the application
// masters behind its proxy, and the job history server once the masters are gone.
//
// These parts serve any engine on YARN. A [Client] is a rest.Client that has the paths of Hadoop's services. It finds
// the active ResourceManager and the history server, and completes errors by advice (client.go, history_server.go,
// namenodes.go, login.go, advice.go, json.go). A [Hub] requests what several workflows share: applications,
// nodes and queues (hub*.go, yarn_*.go, cluster.go) and the load of other tenants (tenants.go).
//
// The rest is for MapReduce. A [Source] finds the jobs of a workflow (target.go, workflow*.go, conf*.go, hive.go),
// polls their masters and the history server (job*.go, lifecycle.go, task*.go, counters.go, groups.go, input*.go),
// and makes a snapshot of the responses at each call, by the cluster's clock. An observation that failed for now is
// a *dag.MissedError. A workflow has ended once the cluster has reported it, and also the history server if it can
// be reached.
package hadoop
