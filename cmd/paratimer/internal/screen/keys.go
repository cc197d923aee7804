package screen

import "slices"

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
	Keys    []string // as bubbletea names them
	Shown   string   // for the help
	Meaning string
	Replay  bool // works only while a recording is played
}

// Keys is the table of keys, as the help lists them.
func Keys() []Key {
	return []Key{
		{Help, []string{"?", "h", "f1"}, "?", "this help", false},
		{Pause, []string{"space", "p"}, "space", "pause, and go on", false},
		{Down, []string{"down", "j", "tab"}, "↓", "the next job, or line of a list", false},
		{Up, []string{"up", "k", "shift+tab"}, "↑", "the one before", false},
		{PageDown, []string{"pgdown", "ctrl+f"}, "pgdn", "ten further down", false},
		{PageUp, []string{"pgup", "ctrl+b"}, "pgup", "ten further up", false},
		{Next, []string{"n", "c"}, "n", "the next job on the critical path", false},
		{Tasks, []string{"enter", "t"}, "enter", "the job's tasks, by their end", false},
		{Close, []string{"esc", "backspace"}, "esc", "close, or select no job", false},
		{Forward, []string{"right", "l"}, "→", "a step on", false},
		{Back, []string{"left"}, "←", "a step back", false},
		{FarForward, []string{"shift+right", "."}, "shift →", "a tenth of the run on", false},
		{FarBack, []string{"shift+left", ","}, "shift ←", "a tenth of the run back", false},
		{Start, []string{"home", "g"}, "home", "to the start", false},
		{End, []string{"end", "G"}, "end", "to the end, or to now", false},
		{Faster, []string{"+", "="}, "+", "play faster", true},
		{Slower, []string{"-"}, "-", "play slower", true},
		{Quit, []string{"q", "ctrl+c"}, "q", "quit", false},
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
