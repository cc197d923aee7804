// Package script runs the sessions in testdata/script.
package script
