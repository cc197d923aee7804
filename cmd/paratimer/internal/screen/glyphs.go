package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// glyphs are the signs of the drawing, each one cell wide. Maps are the upper half of a lane and reduces the lower
// one, so that both are visible if they overlap; in ASCII they are letters. The past is solid. The prediction is
// dotted, and dense if it is critical; in ASCII it is in small letters.
type glyphs struct {
	seen                     [4]rune // by map (1) and reduce (2)
	dots                     bool    // braille for the prediction, else small letters
	waits, holds, slack, now rune    // holds: a pause on the critical path
	limit, failed            rune
	critical, picked         rune
	tick, here, more         rune
	from, mid, to            rune    // of a range
	full, empty              rune    // of a bar
	line                     []rune  // of a curve in a cell, from its top
	states                   [7]rune // by dag.State
}

func glyphsOf(s Style) *glyphs {
	if s.ASCII {
		return &glyphs{
			seen: [4]rune{' ', 'M', 'R', 'B'}, waits: '-', holds: '=', slack: '.', now: '|',
			limit: '!', failed: 'X', critical: '*', picked: '>', tick: '\'', here: 'v', more: '~',
			from: '[', mid: 'o', to: ']', full: '#', empty: '-',
			line: []rune("="), states: [7]rune{'.', ',', '>', '+', 'X', 'X', '?'},
		}
	}
	return &glyphs{
		seen: [4]rune{' ', '▀', '▄', '█'}, dots: true, waits: '─', holds: '━', slack: '·', now: '│',
		limit: '┊', failed: '✗', critical: '◆', picked: '›', tick: '╷', here: '▼', more: '…',
		from: '├', mid: '●', to: '┤', full: '━', empty: '─',
		line: []rune("⠉⠒⠤⣀"), states: [7]rune{'○', '◌', '▸', '✓', '✗', '✗', '?'},
	}
}

// expected returns the sign of predicted maps (1) and reduces (2); 4 and 8 mark them as critical.
func (g *glyphs) expected(what byte) rune {
	if !g.dots {
		return []rune(" mrb")[what&3]
	}
	dots := rune(0x2800)
	for _, d := range [...]struct {
		has  byte
		dots rune
	}{{1, 0x09}, {2, 0xC0}, {4, 0x1B}, {8, 0xE4}} {
		if what&d.has != 0 {
			dots |= d.dots
		}
	}
	return dots
}

// state returns the sign of a job's state.
func (g *glyphs) state(s dag.State) string {
	if int(s) < len(g.states) {
		return string(g.states[s])
	}
	return "?"
}

// own formats a text of the program.
func (p *pen) own(s string) string {
	if p.s.Style.ASCII {
		return view.ASCII(s)
	}
	return s
}

// foreign makes a text from the cluster safe: escaped, with a width that all terminals agree on, and in ASCII if the
// style requires it.
func (p *pen) foreign(s string) string {
	s = view.Escape(p.inZone(s))
	if p.s.Style.ASCII {
		return view.ASCII(s)
	}
	if cells(s) == ansi.StringWidthWc(s) {
		return s
	}
	return agreed(s)
}

// agreed writes a grapheme as Go escapes if its width depends on whether the terminal supports graphemes.
func agreed(s string) string {
	var b strings.Builder
	for s != "" {
		g, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if ansi.StringWidth(g) == ansi.StringWidthWc(g) {
			b.WriteString(g)
		} else {
			b.WriteString(view.ASCII(g))
		}
		s = s[len(g):]
	}
	return b.String()
}
