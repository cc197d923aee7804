// Package usage tests what users read: help, mistakes, exit codes, completion, configuration, a real terminal, and
// documents, whose commands, pictures, links and published numbers are what the program does.
package usage
