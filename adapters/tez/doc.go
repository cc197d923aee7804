// Package tez observes one DAG of Apache Tez, as Hive and Pig run it, over REST. The ResourceManager reports the
// application. Its master, behind the proxy, reports the progress of tasks. The master's NodeManager serves the
// master's files, which are the only source of names, edges and times.
//
// The log, the history files and the web service of a master change the state of a DAG (transitions.go), and so does a
// history that Tez has written. A [Source] sends the requests that can add something to the state (requests.go), and
// returns a snapshot of it per call (snapshot.go). [NewPastReader] reads a history to replay.
//
// A workflow is a DAG: a plan with one job that has the vertices as stages. A temporary failure is a *dag.MissedError.
// The end of a DAG comes from its master, its master's log or history, or the ResourceManager.
package tez
