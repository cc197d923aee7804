// Package terminal holds what a real terminal shows.
package terminal
