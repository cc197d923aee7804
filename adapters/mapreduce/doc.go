// Package mapreduce observes a workflow of MapReduce jobs on a cluster over REST. It queries the jobs' masters behind
// the ResourceManager's proxy, and the job history server once the masters are gone. Package yarn has the
// ResourceManager.
//
// A [Client] is a yarn.Client that finds the history server and reads sizes from NameNodes (client.go,
// history_server.go, namenodes.go). A [Source] finds the jobs of a workflow (workflow*.go, conf.go), polls their
// masters and the history server (job*.go, lifecycle.go, task*.go, counters.go, groups.go, inputs.go), and makes a
// snapshot of the responses at each call, by the cluster's clock (snapshot.go). A [Hub] has what several sources
// share (hub.go), such as the work that other applications have left (tenants.go). Package mrjob reads settings,
// graphs and counters.
//
// An observation that failed for now is a *dag.MissedError. A workflow has ended once the cluster has reported it, and
// also the history server if it can be reached.
package mapreduce
