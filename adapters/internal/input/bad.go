package input

import "fmt"

// mostBad is how many lines in a row may be bad. Damage spoils a few lines of a file; a zipped file of a few kilobytes
// can hold millions of short ones, and each is missed, counted or warned of.
const mostBad = 1000

// A Streak counts the lines that a reader cannot use since the last good one. The zero value is ready.
type Streak int

// Good starts anew.
func (s *Streak) Good() { *s = 0 }

// Bad counts a line, and returns an error if it was one too many.
func (s *Streak) Bad() error {
	if *s++; *s <= mostBad {
		return nil
	}
	return fmt.Errorf("more than %d lines in a row cannot be used: the file is damaged, or not of this kind", mostBad)
}
