// Package spark observes an application of Apache Spark: by what its driver and a history server answer over REST, by
// recordings of such answers, or by its event log.
//
// An [App] takes the answers or events of any of these and turns them into snapshots. A workflow is an application: a
// plan with one job whose stages are those of Spark that compute something. Stages that Spark skips, because an earlier
// job of the application has written what they would write, are no part of it.
//
// What is known of an application is in its facts. Each other type has one task: answers and player take facts from
// REST and from the events of a log, repairer adds events that a driver has dropped, planner and graph make the plan,
// tables and assigner the attempts, allocation the executors to come, outcome the end. A snapshot shares the attempts
// of all stages that have not changed with the snapshot before, and readers must not change them.
package spark
