// Package tez observes one DAG of Apache Tez, as Hive and Pig run it, over REST. The ResourceManager reports the
// application. Its master, behind the proxy, reports the progress of tasks. The master's NodeManager serves the
// master's files, which are the only source of names, edges and times.
//
// The master, its files, and a history that Tez has written all yield events. The events change the state of a DAG
// (transitions.go). The questions about a DAG (questions.go) are requests that can add something to the state, and a
// view (snapshot.go) makes snapshots of it.
//
// A [Source] observes a DAG and returns a snapshot per call. A [Player] replays a history. A workflow is a DAG: a plan
// with one job that has the vertices as stages. A temporary failure is a *dag.MissedError. The end of a DAG comes from
// its master, its master's log or history, or the ResourceManager.
package tez
