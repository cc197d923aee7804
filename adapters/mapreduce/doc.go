// Package mapreduce observes a workflow of MapReduce jobs on a cluster over REST. It queries the jobs' masters
// behind the ResourceManager's proxy, and the job history server once the masters are gone. Package yarn has the
// ResourceManager.
//
// A [Client] is a yarn.Client that finds the history server (client.go). A [Source] polls these services at each
// call, in a fixed order (source.go). The responses decide which jobs the workflow has (workflow.go), what is
// known of each job (job.go) and of its tasks (task.go, counters.go), and which requests are due next
// (job_poll.go, task_poll.go, avoided.go). The number of tasks is limited (task_limits.go). A snapshot shows what
// is known, by the cluster's clock (snapshot.go, workflow_end.go). A [Hub] has what several sources share
// (hub.go), such as the work that other applications have left (tenants.go). Package mrjob reads settings, graphs
// and counters.
//
// An observation that failed for now is a *dag.MissedError. A workflow has ended once the cluster has reported it,
// and also the history server if it can be reached.
package mapreduce
