package screen

// The blocks of the screen, from top to bottom.
const (
	inHead = iota
	inWaiting
	inBounds
	inNotes
	inLanes // with the axis
	inJob
	inEnd
	inChart
	inChanges
	inScenarios
	inCritical // tasks on the critical path
	inLegend
	inLog
	inReplay
	inFoot
	allBlocks
)

// A ration gives rows to a block.
type ration struct {
	block int
	upTo  int
	least int // it gets none if it cannot have this many
}

// rations are in order of importance: if rows run out, the last ones get none.
var rations = [...]ration{
	{inHead, 3, 1},
	{inWaiting, 1, 1},
	{inBounds, 1, 1},
	{inLanes, 4, 2},
	{inNotes, 1, 1},
	{inFoot, 1, 1},
	{inReplay, 1, 1},
	{inJob, 1, 1},
	{inEnd, 1, 1},
	{inNotes, 3, 1},
	{inBounds, 3, 1},
	{inChanges, 1, 1},
	{inLanes, 9, 1},
	{inLog, 1, 1},
	{inWaiting, 2, 1},
	{inChanges, 3, 1},
	{inLegend, 1, 1},
	{inChart, chartRows, 3},
	{inBlank, 2, 1},
	{inScenarios, 8, 4},
	{inLanes, 1 << 20, 1},
	{inBlank, 5, 1},
	{inChanges, 8, 1},
	{inBounds, 8, 1},
	{inCritical, 16, 3},
}

// inBlank is blank lines between blocks: they are rationed like blocks.
const inBlank = allBlocks

// airy are the blocks with a blank line before them, in the order in which they get one.
var airy = [...]int{inLanes, inChart, inChanges, inScenarios, inCritical}

// wide is the width from which changes and scenarios are side by side.
const wide = 160

// whole returns the main screen.
func (p *pen) whole() []string {
	lanes := p.lanes()
	blocks := [allBlocks][]string{
		inHead: p.head(), inWaiting: p.waiting(), inBounds: p.bounds(), inNotes: p.notes(), inJob: p.selectedJob(),
		inEnd: lanes.ends(), inChart: lanes.chart(chartRows), inChanges: p.changes(), inScenarios: p.scenarios(),
		inCritical: p.criticalTasks(), inLegend: p.signs(), inLog: p.log(), inReplay: p.playing(), inFoot: p.foot(),
	}
	if p.s.Width >= wide && len(blocks[inChanges]) > 0 {
		blocks[inChanges] = sideBySide(blocks[inChanges], blocks[inScenarios], p.s.Width/2, p.tail)
		blocks[inScenarios] = nil
	}
	var have [allBlocks + 1]int
	for i, b := range blocks {
		have[i] = len(b)
	}
	if have[inLanes] = len(p.f.Jobs) + 1; p.f.IsWhole() {
		have[inLanes] += len(p.f.Jobs[0].Stages)
	}
	have[inBlank] = len(airy)
	got := share(p.s.Height, have)
	blocks[inLanes] = lanes.rows(got[inLanes])
	blocks[inChart] = lanes.chart(got[inChart])
	var out []string
	for i, b := range blocks {
		if i == inLegend && got[inFoot] > 0 {
			out = p.down(out, got[inLegend]+got[inLog]+got[inReplay]+got[inFoot])
		}
		if got[i] == 0 {
			continue
		}
		for n, a := range airy {
			if a == i && n < got[inBlank] {
				out = append(out, "")
			}
		}
		out = append(out, b[:min(got[i], len(b))]...)
	}
	return out
}

// share gives rows to blocks. have is how many each block can use.
func share(rows int, have [allBlocks + 1]int) (got [allBlocks + 1]int) {
	for _, r := range rations {
		n := min(r.upTo, have[r.block])
		if all := got[r.block] + rows; n > all {
			n = all
		}
		if more := n - got[r.block]; more > 0 && n >= min(r.least, have[r.block]) {
			got[r.block] += more
			rows -= more
		}
	}
	return got
}

// draw returns the lines of the screen.
func (p *pen) draw() []string {
	if p.f == nil {
		return p.nothing()
	}
	if !p.s.Choice.Help && (!p.s.Choice.Tasks || p.selected < 0) {
		return p.whole()
	}
	// A list gets the room between the parts that are always visible.
	foot := append(p.playing(), p.foot()...)
	out := p.head()
	room := func(least int) int { return max(least, p.s.Height-len(out)-len(foot)) }
	if p.s.Choice.Help {
		out = append(out, "")
		out = append(out, p.help(room(1))...)
	} else {
		out = append(append(out, first(1, p.waiting())...), first(1, p.bounds())...)
		lanes := p.lanes()
		out = append(out, "", lanes.axis(), lanes.job(p.selected), "")
		out = first(p.s.Height-len(foot)-4, out)
		out = append(out, p.tasks(room(0))...)
	}
	out = first(p.s.Height-len(foot), out)
	return append(p.down(out, len(foot)), foot...)
}

// down adds blank lines, so that the foot, which has foot lines, is at the bottom.
func (p *pen) down(out []string, foot int) []string {
	for len(out) < p.s.Height-foot {
		out = append(out, "")
	}
	return out
}

// nothing returns the screen before the first observation.
func (p *pen) nothing() []string {
	words := "Waiting for the first observation"
	if p.s.Subject != "" {
		words += " of " + p.foreign(p.s.Subject)
	}
	out := []string{text(strong, " "+words)}
	out = append(out, p.log()...)
	if p.s.Choice.Help {
		out = append(out, "")
		out = append(out, p.help(max(1, p.s.Height-len(out)-1))...)
	}
	return append(first(p.s.Height-1, out), first(p.s.Height, p.foot())...)
}

// log returns the newest log line.
func (p *pen) log() []string {
	if p.s.Log == "" {
		return nil
	}
	return []string{text(dim, " "+p.foreign(p.s.Log))}
}
