// Package live holds what commands do on a cluster, with files and with the history that they leave.
package live
