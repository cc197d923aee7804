package phase

// Counts returns the points derived from the tasks' counters, polled at the interval every, in seconds. Hadoop counts
// a group when its first value is read, and values as they are read, here evenly over the group's time. A point's
// instant is never before the poll that precedes its report.
func (r *Run) Counts(every float64) []Point {
	var all []Point
	for task := range r.Work.Order {
		all = append(all, r.counted(task, every)...)
	}
	byInstant(all)
	return all
}

func (r *Run) counted(task int, every float64) []Point {
	c := count{task: task, at: r.Start[task]}
	order := r.Work.Order[task]
	begin, next, read := r.Start[task], 0, 0.0 // the next group: its begin, and the bytes before it
	for poll := every; ; poll += every {
		if poll <= r.Start[task] {
			continue
		}
		at := min(poll, r.Stop[task])
		for next < len(order) && begin+r.Work.Groups[order[next]].Seconds <= at {
			g := r.Work.Groups[order[next]]
			begin, read, next = begin+g.Seconds, read+g.Bytes, next+1
		}
		if poll >= r.Stop[task] {
			c.report(at, float64(len(order)), r.Work.Bytes()[task])
			c.end(at)
			return c.points
		}
		g := r.Work.Groups[order[next]]
		c.report(at, float64(next+1), read+g.Bytes*(at-begin)/g.Seconds)
	}
}

// A count follows a task's counters as the watcher of a real job does (adapters/mapreduce). Groups that begin between
// two polls are a burst of equal groups, and end once other groups begin. Bytes and time in between belong to the
// last group.
type count struct {
	task              int
	at, groups, bytes float64 // values of the newest poll
	open, last        burst   // the unfinished burst, and what its last group has taken since its poll
	points            []Point
}

func (c *count) report(at, groups, bytes float64) {
	now := burst{count: groups - c.groups, bytes: bytes - c.bytes, seconds: at - c.at}
	c.at, c.groups, c.bytes = at, groups, bytes
	if now.count == 0 {
		c.last.bytes += now.bytes
		c.last.seconds += now.seconds
		return
	}
	if c.open.count > 0 {
		// The open burst's last group has ended somewhere in this interval.
		share := 1 / (now.count + 1)
		c.last.seconds += now.seconds * share
		now.seconds -= now.seconds * share
		if c.last.bytes > 0 {
			c.last.bytes += now.bytes * share
			now.bytes -= now.bytes * share
		}
		c.end(at - now.seconds)
	}
	c.open = now
}

// end turns the open burst into points.
func (c *count) end(at float64) {
	b, last := c.open, c.last
	c.open, c.last = burst{}, burst{}
	bytes, seconds := b.bytes/b.count, b.seconds/b.count
	if last.bytes > 0 {
		b.count--
		c.points = append(c.points, Point{at, c.task, bytes + last.bytes, seconds + last.seconds, 1})
	} else {
		seconds += last.seconds / b.count
	}
	if b.count > 0 {
		c.points = append(c.points, Point{at, c.task, bytes, seconds, b.count})
	}
}
