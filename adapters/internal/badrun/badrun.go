// Package badrun bounds how many lines in a row a reader skips because it cannot use them.
package badrun

import "fmt"

// Most is how many lines in a row may be bad. Damage spoils a few lines of a file; a zipped file of a few kilobytes can hold
// millions of short ones, and each is missed, counted or warned of.
const Most = 1000

// A Run counts bad lines since the last good one. The zero value is ready.
type Run int

// Good ends the run.
func (r *Run) Good() { *r = 0 }

// Bad counts a line, and returns an error if it was one too many.
func (r *Run) Bad() error {
	if *r++; *r <= Most {
		return nil
	}
	return fmt.Errorf("more than %d lines in a row cannot be used: the file is damaged, or not of this kind", Most)
}
