// Package usage tests what users read: help, errors, exit codes, completion, configuration, a real terminal, and
// documents. Commands, pictures, links and published numbers in the documents must match the program.
package usage
