// Package spark observes an application of Apache Spark. Its sources are the REST responses of the driver and of a
// history server, recordings of such responses, or the event log.
//
// An [App] turns these responses or events into snapshots. A workflow is an application. Its plan has one job, with
// the Spark stages that compute something. Spark skips a stage if an earlier job has written its output already.
// Skipped stages are not part of the plan.
//
// The state of an application is in its facts. Each other type has one task: answers and player add facts from REST
// responses and from log events. repairer adds events that a driver has dropped. planner and graph make the plan,
// tables and assigner the attempts, allocation the executors to come, outcome the end. A snapshot shares the
// attempts of all unchanged stages with the previous snapshot, so readers must not change them.
package spark
