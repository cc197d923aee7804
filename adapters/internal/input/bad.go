package input

import "fmt"

// mostBad bounds the unusable lines in a row. Damage usually affects a few lines of a file. But a zipped file of a
// few kilobytes can have millions of short lines, and each unusable one is counted or causes a warning.
const mostBad = 1000

// A Streak counts the unusable lines since the last good one. The zero value is ready for use.
type Streak int

// Good resets the count.
func (s *Streak) Good() { *s = 0 }

// Bad counts a line, and returns an error if there were too many in a row.
func (s *Streak) Bad() error {
	if *s++; *s <= mostBad {
		return nil
	}
	return fmt.Errorf("more than %d lines in a row cannot be used: the file is damaged, or not of this kind", mostBad)
}
