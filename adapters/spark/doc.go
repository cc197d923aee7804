// Package spark observes an application of Apache Spark. Its sources are the REST responses of the driver and of a
// history server, recordings of such responses, or the event log.
//
// A workflow is an application, an execution of SQL or a group of jobs. Its plan has one job, with the Spark stages
// that compute something. Spark skips a stage if an earlier job has written its output already. Skipped stages are not
// part of the plan.
//
// An [App] makes snapshots in three steps:
//
//   - The facts are what is known of the application. App applies REST responses and the events of a log to them;
//     repairer adds what a driver has dropped and later facts imply. A recording and a watched driver share all of it.
//   - The questions are what a [Source] requests next, a table in the order of priority. They depend on the facts
//     alone.
//   - A snapshot is made of the facts: planner makes the plan, and the table of each stage its attempts. It shares the
//     attempts of all unchanged stages with the previous snapshot, so readers must not change them.
package spark
