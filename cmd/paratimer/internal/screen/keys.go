package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// An Action is the effect of a key.
type Action int

// The actions. Press handles those that change a Choice; the terminal program handles the others.
const (
	NoAction Action = iota
	Quit
	Help
	Pause
	Down
	Up
	PageDown
	PageUp
	Next // the next job that the end waits for
	Tasks
	Close
	Forward
	Back
	FarForward
	FarBack
	Start
	End
	Faster
	Slower
)

// A Key is a row of the table of keys.
type Key struct {
	Action  Action
	Keys    []string // as bubbletea names them; the help shows the first one
	Meaning string
	Replay  bool // works only while a recording is played
}

// Keys is the table of keys, as the help lists them.
func Keys() []Key {
	return []Key{
		{Help, []string{"?", "h", "f1"}, "this help", false},
		{Pause, []string{"space", "p"}, "pause, and go on", false},
		{Down, []string{"down", "j", "tab"}, "the next job, or line of a list", false},
		{Up, []string{"up", "k", "shift+tab"}, "the one before", false},
		{PageDown, []string{"pgdown", "ctrl+f"}, "ten further down", false},
		{PageUp, []string{"pgup", "ctrl+b"}, "ten further up", false},
		{Next, []string{"n", "c"}, "the next job on the critical path", false},
		{Tasks, []string{"enter", "t"}, "the job's tasks, running ones first", false},
		{Close, []string{"esc", "backspace"}, "close, or select no job", false},
		{Forward, []string{"right", "l"}, "a step on", false},
		{Back, []string{"left"}, "a step back", false},
		{FarForward, []string{".", "shift+right"}, "a tenth of the run on", false},
		{FarBack, []string{",", "shift+left"}, "a tenth of the run back", false},
		{Start, []string{"home", "g"}, "to the start", false},
		{End, []string{"end", "G"}, "to the end, or to now", false},
		{Faster, []string{"+", "="}, "play faster", true},
		{Slower, []string{"-"}, "play slower", true},
		{Quit, []string{"q", "ctrl+c"}, "quit", false},
	}
}

// ActionOf returns the action of a key, by bubbletea's name of it.
func ActionOf(key string) Action {
	for _, k := range Keys() {
		if slices.Contains(k.Keys, key) {
			return k.Action
		}
	}
	return NoAction
}

// scroll is how many lines actions move.
var scroll = map[Action]int{Down: 1, Up: -1, PageDown: 10, PageUp: -10}

// Press returns the choice after an action. Other actions leave it as it is.
func Press(c Choice, a Action, f *frame.Frame) Choice {
	switch {
	case c.Help:
		c.HelpScroll = min(max(0, c.HelpScroll+scroll[a]), len(Keys()))
		c.Help = a != Help && a != Close
	case a == Help:
		c.Help, c.HelpScroll = true, 0
	case a == Pause:
		c.Paused = !c.Paused
	case a == Close && c.Tasks:
		c.Tasks, c.Scroll = false, 0
	case a == Close:
		c.Selected = ""
	case f == nil || len(f.Jobs) == 0:
	case a == Tasks:
		if selected(c, f) < 0 {
			c = c.sel(f, next(c, f))
		}
		c.Tasks, c.Scroll = !c.Tasks, 0
	case a == Next:
		c = c.sel(f, next(c, f))
	case scroll[a] != 0:
		c = c.move(f, scroll[a])
	}
	return c
}

// selected returns the index of the selected job, -1 for none.
func selected(c Choice, f *frame.Frame) int {
	if c.Selected == "" || f == nil {
		return -1
	}
	return slices.IndexFunc(f.Jobs, func(j frame.Job) bool { return j.Node == c.Selected })
}

func (c Choice) sel(f *frame.Frame, job int) Choice {
	if c.Selected != f.Jobs[job].Node {
		c.Selected, c.Scroll = f.Jobs[job].Node, 0
	}
	return c
}

// mostTasks bounds the list of a job's tasks.
const mostTasks = 10_000

// move moves by some lines: through the tasks if they are listed, else through the jobs.
func (c Choice) move(f *frame.Frame, by int) Choice {
	at := selected(c, f)
	switch {
	case c.Tasks && at >= 0:
		all := 0
		if f.Tasks != nil {
			_, all = f.Tasks(at, 1)
		}
		c.Scroll = min(max(0, c.Scroll+by), max(0, min(all, mostTasks)-1))
		return c
	case at < 0 && by > 0:
		return c.sel(f, next(c, f))
	case at < 0:
		at = len(f.Jobs)
	}
	return c.sel(f, min(max(0, at+by), len(f.Jobs)-1))
}

// next returns the next job on the critical path. If there is none it returns the next job that has not ended, else
// the first one.
func next(c Choice, f *frame.Frame) int {
	at, running := selected(c, f), -1
	for i := 1; i <= len(f.Jobs); i++ {
		k := (at + i) % len(f.Jobs)
		if f.Jobs[k].Critical {
			return k
		}
		if running < 0 && !f.Jobs[k].State.Ended() {
			running = k
		}
	}
	return max(running, 0)
}

// foot returns the most important keys.
func (p *pen) foot() []string {
	quit, pause := "q quit", "space pause"
	if p.Listed {
		quit = "q list"
	}
	if p.Choice.Paused {
		pause = "space go on"
	}
	keys := []string{"? help", quit, pause, "↑↓ job", "enter tasks"}
	switch {
	case p.Choice.Help:
		keys = []string{"↑↓ scroll", "esc close", quit}
	case p.Choice.Tasks:
		keys = []string{"↑↓ scroll", "esc back", "? help", quit}
	case p.Play != nil:
		keys = []string{"? help", quit, pause, "←→ seek", "+- speed", "↑↓ job", "enter tasks"}
	}
	return []string{fitting(keysOf(keys), p.Width)}
}

// keysOf draws keys and their meanings.
func keysOf(all []string) []string {
	for i, k := range all {
		key, means, _ := strings.Cut(k, " ")
		all[i] = text(strong, key) + text(dim, " "+means)
	}
	return all
}

// fitting joins the first texts that fit on a line of a width.
func fitting(all []string, width int) string {
	s := ""
	for i, next := range all {
		if i > 0 {
			next = "  " + next
		}
		if cells(s)+cells(next)+1 > width {
			break
		}
		s += " " + next
	}
	return s
}

// playing returns the position in the recording, as a bar.
func (p *pen) playing() []string {
	b := p.Play
	if b == nil {
		return nil
	}
	speed := "as fast as it goes"
	switch {
	case p.Choice.Paused:
		speed = "paused"
	case b.Speed > 0:
		speed = fmt.Sprintf("%g×", b.Speed)
	}
	s := " replay " + speed + "  " + units.Short(b.At.Duration())
	if b.Length <= 0 {
		return []string{s}
	}
	length := " " + units.Short(b.Length.Duration())
	if room := p.Width - cells(s) - cells(length) - 3; room >= 6 {
		s += "  " + bar(float64(b.At/b.Length), room)
	}
	return []string{s + length}
}

// help lists the keys and the signs, scrolled to the user's position. On a wide screen they are side by side.
func (p *pen) help(rows int) []string {
	var list [][]string
	for _, k := range Keys() {
		if k.Action == Quit && p.Listed {
			k.Meaning = "back to the list"
		}
		if !k.Replay || p.Play != nil {
			list = append(list, []string{text(strong, " "+k.Keys[0]), k.Meaning})
		}
	}
	keys := table(p.Width, []column{{"", 12, true, false}, {"", p.Width, false, false}}, list)[1:]
	signs := p.signLines()
	out := append(append(slices.Clone(keys), ""), signs...)
	if p.Width >= 76 {
		out = sideBySide(keys, signs, slices.Max(units.Each(keys, cells))+2)
	}
	return first(rows, out[min(p.Choice.HelpScroll, max(0, len(out)-rows)):])
}

func (p *pen) signLines() []string {
	out := units.Each(p.legend(), func(s sign) string { return right(s.sign, 6) + "  " + s.words })
	out = append(out, "", text(dim, " (40s – 2m): 8 of 10 such queries"), text(dim, " end within that time; rough: fewer"),
		text(dim, " than 9 earlier runs back that."))
	if p.f.At != nil {
		out = append(out, text(dim, " Times are in "+p.Style.in(p.f.At.Time()).Format("MST")+"."))
	}
	return out
}

// A sign is an entry of the legend.
type sign struct {
	sign  string
	words string // the short legend has the part before a colon
	brief bool   // whether the short legend has it
}

func (p *pen) legend() []sign {
	stages := []sign{
		{text(lane, "▀▀"), "maps", true},
		{text(lane, "▄▄"), "reduces", true},
		{text(lane, "██"), "both", false},
	}
	if !p.mapReduce() {
		stages = []sign{
			{text(lane, "▀▄"), "stages: every second one is below", true},
			{text(lane, "██"), "overlapping stages", false},
		}
	}
	return append(stages, []sign{
		{text(lane, "⠉⣀"), "expected", true},
		{text(path, "◆ ⠛⣤━"), "critical: sets the end", true},
		{text(dim, "··"), "slack: can slip this much", true},
		{text(bad, signFailed), "failed", true},
		{text(dim, "──"), "waits: no running task", true},
		{text(warn, signLimit), "a bound", false},
		{text(good, signStates[dag.Succeeded]), "done", false},
		{text(lane, signStates[dag.Running]), "runs", false},
		{text(dim, signStates[dag.Submitted]), "submitted", false},
		{text(dim, signStates[dag.Blocked]), "to come", false},
	}...)
}

// signs returns the short legend on one line.
func (p *pen) signs() []string {
	var all []string
	for _, s := range p.legend() {
		if words, _, _ := strings.Cut(s.words, ":"); s.brief {
			all = append(all, s.sign+text(dim, " "+words))
		}
	}
	return []string{fitting(all, p.Width)}
}
