// Package recordings holds what commands compute from recordings of real runs.
package recordings
