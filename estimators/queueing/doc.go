// Package queueing predicts MapReduce jobs that contend for a cluster's CPUs, disks and network before they run: a precedence
// tree of tasks over an approximate mean value analysis (E. Vianna et al., "Analytical Performance Models for MapReduce
// Workloads", International Journal of Parallel Programming 41, 2013; comments name its sections and equations).
package queueing
