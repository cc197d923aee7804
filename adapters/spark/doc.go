// Package spark observes an application of Apache Spark: by what its driver and a history server answer over REST, by
// recordings of such answers, or by its event log.
//
// An [App] takes the answers or events of any of these and turns them into snapshots. A workflow is an application: a plan with one
// job whose stages are those of Spark that compute something. Stages that Spark skips, because an earlier job of the
// application has written what they would write, are no part of it.
package spark
