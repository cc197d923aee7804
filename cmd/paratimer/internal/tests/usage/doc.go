// Package usage holds the words of the command line: help, mistakes, exit codes, completion, configuration.
package usage
