package phase

// Counts are the points that the counters of the tasks tell, polled every so many seconds. Hadoop counts a group when
// its first value is read, and its values as they are read, here evenly over its time. No point is older than the poll
// before the one that tells it.
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
	begin, next, read := r.Start[task], 0, 0.0 // the next group: when it begins, and the bytes before it
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

// A count follows the counters of a task as the watcher of a real job does (adapters/hadoop): groups that begin between
// two polls are a burst of equal ones, and are over once further ones begin. What is read and what time passes
// meanwhile is of the last.
type count struct {
	task              int
	at, groups, bytes float64 // of the newest poll
	open, last        burst   // not yet over, and what of it the last group alone has taken since
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
		// The group that was open has ended somewhere in this interval.
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

// end makes points of what is open.
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
