// Package calibration measures the coverage of ranges on simulated runs. Each workflow has its own history, and noise
// that differs from what the sampler assumes. Before a run nothing is known but a profile and the residuals of the
// workflow's earlier runs. It has tests alone; one of them writes docs/calibration.md.
package calibration
