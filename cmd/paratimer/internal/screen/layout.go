package screen

import "slices"

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
	inList     // of the help, or of a job's tasks
	inLegend
	inLog
	inReplay
	inFoot
	inBlank // blank lines between blocks
	allBlocks
)

// A ration gives rows to a block.
type ration struct {
	block int
	upTo  int
	least int // it gets none if it cannot have this many
}

// rations are in order of importance: if rows run out, the last ones get none.
var rations = []ration{
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
	{inList, 1 << 20, 1},
	{inScenarios, 8, 2},
	{inLanes, 1 << 20, 1},
	{inBlank, 5, 1},
	{inChanges, 8, 1},
	{inBounds, 8, 1},
	{inCritical, 16, 3},
}

// airy are the blocks with a blank line before them; if there are too few, the first blocks get one.
var airy = [...]int{inLanes, inChart, inChanges, inScenarios, inCritical, inList}

// wide is the width from which changes and scenarios are side by side.
const wide = 160

// A block draws a part of the screen on a number of rows. It can use most rows.
type block struct {
	most int
	draw func(rows int) []string
}

// fixed returns a block of which the last lines are left out if there is no room.
func fixed(lines []string) block {
	return block{len(lines), func(rows int) []string { return lines[:rows] }}
}

// wrapped is fixed for lines of text: three dots stand for those that are left out.
func (p *pen) wrapped(lines []string) block {
	return block{len(lines), func(rows int) []string {
		if rows < len(lines) {
			lines[rows-1] = cut(lines[rows-1], p.Width-1) + signMore
		}
		return lines[:rows]
	}}
}

// draw returns the lines of the screen: each block on its rows, and the last blocks at the bottom.
func (p *pen) draw() []string {
	blocks := p.blocks()
	for _, i := range airy {
		blocks[inBlank].most += min(blocks[i].most, 1)
	}
	got := share(p.Height, blocks)
	var top, bottom []string
	for i, b := range blocks[:inBlank] {
		lines := []string{}
		if slices.Contains(airy[:], i) && got[i] > 0 && got[inBlank] > 0 {
			lines, got[inBlank] = append(lines, ""), got[inBlank]-1
		}
		if got[i] > 0 {
			lines = append(lines, b.draw(got[i])...)
		}
		if i < inLegend {
			top = append(top, lines...)
		} else {
			bottom = append(bottom, lines...)
		}
	}
	return append(append(top, make([]string, max(0, p.Height-len(top)-len(bottom)))...), bottom...)
}

// blocks returns what the user has chosen to see.
func (p *pen) blocks() (out [allBlocks]block) {
	out[inHead], out[inReplay], out[inFoot] = fixed(p.head()), fixed(p.playing()), fixed(p.foot())
	if p.Choice.Help {
		out[inList] = block{1 << 20, p.help}
		return out
	}
	lanes := p.lanes()
	out[inWaiting], out[inBounds] = p.wrapped(p.waiting()), fixed(p.bounds())
	if p.Choice.Tasks && p.selected >= 0 {
		out[inWaiting].most, out[inBounds].most = min(out[inWaiting].most, 1), min(out[inBounds].most, 1)
		out[inLanes] = fixed([]string{lanes.axis(), lanes.row(p.selected)})
		out[inList] = block{1 << 20, p.tasks}
		return out
	}
	if p.Log != "" {
		out[inLog] = fixed([]string{text(dim, " "+p.foreign(p.Log))})
	}
	changes, scenarios := p.changes(p.Width), p.scenarios(p.Width)
	if half := p.Width / 2; p.Width >= wide && len(changes) > 0 {
		changes, scenarios = sideBySide(p.changes(half-2), p.scenarios(half), half), nil
	}
	out[inNotes], out[inJob], out[inEnd] = fixed(p.notes()), fixed(p.selectedJob()), fixed(lanes.ends())
	out[inLanes], out[inChart] = block{1 + len(lanes.all), lanes.rows}, block{len(lanes.chart(chartRows)), lanes.chart}
	out[inChanges], out[inScenarios] = p.wrapped(changes), p.wrapped(scenarios)
	out[inCritical], out[inLegend] = fixed(p.criticalTasks()), fixed(p.signs())
	return out
}

// share gives rows to blocks.
func share(rows int, blocks [allBlocks]block) (got [allBlocks]int) {
	order := rations
	if blocks[inList].most > 0 { // the user has opened it, and needs the key that closes it
		order = append([]ration{{inHead, 3, 1}, {inFoot, 1, 1}, {inList, 4, 1}}, rations...)
	}
	for _, r := range order {
		most := blocks[r.block].most
		n := min(r.upTo, most, got[r.block]+rows)
		if more := n - got[r.block]; more > 0 && n >= min(r.least, most) {
			got[r.block] += more
			rows -= more
		}
	}
	return got
}
