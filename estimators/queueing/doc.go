// Package queueing predicts MapReduce jobs that contend for a cluster's CPUs, disks and network before they run: a
// precedence tree of tasks over an approximate mean value analysis (E. Vianna et al., "Analytical Performance Models
// for MapReduce Workloads", International Journal of Parallel Programming 41, 2013; comments name its sections and
// equations).
//
// Residence times and the timeline are found in turn until neither changes. The models end differently. Product is the
// one to use: overlap as it is drawn, queues by equations 5 and 6, CPUs and disks as servers that tasks share, and the
// mean of the last of what the job ends with. It takes tasks of a class on like nodes together. The others follow tasks
// one by one. ViannaForkJoin has harmonic numbers at the two places where a job waits for all of its threads, the last
// map and the last merge; Tripathi evaluates the precedence tree with its operators there. ViannaTable4 is the reading
// that is nearest to the paper's Table 4.
//
// The paper's text was not at hand as a whole. Equation 5 is reconstructed from a prototype's figures, which come out
// within 5e-4. docs/models.md says which of the paper's figures each model gives, and why no sound model gives all.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package queueing
