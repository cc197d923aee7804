// Package hadoop observes a workflow on a Hadoop cluster over REST: the ResourceManager, the application masters behind its proxy, and
// the job history server once they are gone.
//
// A [Client] asks, politely: it reads only, bounds what an answer may weigh, tries another ResourceManager where one stands by. A
// [Source] turns answers into snapshots, one a call, by the cluster's clock; what it cannot observe for now is a
// *dag.MissedError. Many sources of one cluster share what they all need through a [Hub]. The end of a workflow must be earned: it is told once
// the cluster, and where it can be asked the history server, has said so.
package hadoop
