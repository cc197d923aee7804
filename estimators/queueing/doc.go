// Package queueing predicts MapReduce jobs that contend for a cluster's CPUs, disks and network before they run. It
// combines a precedence tree of tasks with an approximate mean value analysis (E. Vianna et al., "Analytical
// Performance Models for MapReduce Workloads", International Journal of Parallel Programming 41, 2013; comments name
// its sections and equations).
//
// The solver computes residence times and the timeline in turn until neither changes. The models differ in the last
// step. Product is the one to use: overlap as in the drawn timeline, queues by equations 5 and 6, CPUs and disks as
// servers that tasks share, and the mean end of the last task. It combines the tasks of a class on equal nodes. The
// other models follow tasks one by one. ViannaForkJoin has harmonic numbers at the two places where a job waits for
// all of its threads, the last map and the last merge. Tripathi evaluates the precedence tree with its operators
// there. ViannaTable4 is the reading that is nearest to the paper's Table 4.
//
// The full text of the paper was not available. Equation 5 is reconstructed from a prototype's figures, which it
// reproduces within 5e-4. docs/models.md lists which of the paper's figures each model reproduces, and why no sound
// model reproduces all.
//
// # Stability
//
// Young: names may change in a minor version; the changelog lists such changes (docs/api.md).
package queueing
