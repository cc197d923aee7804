// Package queueing predicts MapReduce jobs that contend for a cluster's CPUs, disks and network before they run: a precedence
// tree of tasks over an approximate mean value analysis (E. Vianna et al., "Analytical Performance Models for MapReduce
// Workloads", International Journal of Parallel Programming 41, 2013; comments name its sections and equations).
//
// Residence times and the timeline are found in turn until neither changes. Three models end differently. Product is the one to
// use: overlap as it is drawn, queues by equations 5 and 6, CPUs as servers that tasks share, and the mean of the last of what
// the job ends with. It takes tasks of a class on like nodes together. ViannaForkJoin follows tasks one by one, in a reading
// of the paper that an independent prototype selected by the published figures: it is calibrated by what it is compared with.
// Tripathi evaluates the same timeline's precedence tree.
//
// The paper's text was not at hand. Equation 5 and some of Table 2 are reconstructed from the prototype's figures, which come
// out within 5e-4 (tripathi: 0.7 %); the paper's own Tripathi column is not reproduced.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package queueing
