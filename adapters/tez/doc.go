// Package tez observes one DAG of Apache Tez, as Hive and Pig run it, over REST: the ResourceManager tells of the
// application, its master behind the proxy tells how far the tasks are, and the NodeManager that the master runs on
// serves the master's own files, which alone tell names, edges and times.
//
// A [Source] turns the answers into snapshots, one a call. A workflow is a DAG: a plan with one job whose stages are
// the DAG's vertices. What cannot be observed for now is a *dag.MissedError. A DAG's end is told once its master, its
// master's log or history, or the ResourceManager has said so.
package tez
