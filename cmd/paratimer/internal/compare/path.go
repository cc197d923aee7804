package compare

import "slices"

// path says which jobs came onto the critical path, and which left it.
func (c *Comparison) path() {
	c.Path = PathChange{Before: c.onPath(c.Base), Now: c.onPath(c.Subject)}
	for _, row := range c.Path.Now {
		if !slices.Contains(c.Path.Before, row) {
			c.Path.Came = append(c.Path.Came, row)
		}
	}
	for _, row := range c.Path.Before {
		if !slices.Contains(c.Path.Now, row) {
			c.Path.Left = append(c.Path.Left, row)
		}
	}
}

// leastOnPath is how much of a run, as a part of its length, a job must take of the path to be named: the moment in
// which its last task ends after another's is no news.
const leastOnPath = 0.01

// onPath are the rows on a run's critical path, in its order.
func (c *Comparison) onPath(run int) (rows []int) {
	r := c.Runs[run]
	for _, p := range r.Path {
		if p.Job < 0 || r.onPath(p.Job) < leastOnPath*r.Length {
			continue
		}
		row := slices.IndexFunc(c.Rows, func(row Row) bool { return row.Index[run] == p.Job })
		if row >= 0 && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}
