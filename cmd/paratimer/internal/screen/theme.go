package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A theme is the look of each role.
type theme [roles]lipgloss.Style

// A look is a role's colour among the 16 of ANSI, which the terminal's colour scheme defines; -1: the default colour.
type look struct {
	colour               int
	bold, faint, reverse bool
}

// Of the 16 colours these are legible on their background in the usual schemes (TestContrast). dim has no colour:
// bright black is invisible in some schemes.
var (
	dark = [roles]look{
		plain:  {-1, false, false, false},
		strong: {-1, true, false, false},
		dim:    {-1, false, true, false},
		good:   {10, false, false, false},
		warn:   {11, false, false, false},
		bad:    {9, true, false, false},
		path:   {13, true, false, false},
		lane:   {14, false, false, false},
		pick:   {-1, true, false, true},
	}
	light = [roles]look{
		plain:  {-1, false, false, false},
		strong: {-1, true, false, false},
		dim:    {-1, false, true, false},
		good:   {-1, true, false, false},
		warn:   {1, false, false, false},
		bad:    {1, true, false, false},
		path:   {5, true, false, false},
		lane:   {4, false, false, false},
		pick:   {-1, true, false, true},
	}
)

func themeOf(s Style) theme {
	looks := dark
	if s.Light {
		looks = light
	}
	var t theme
	for r, l := range looks {
		st := lipgloss.NewStyle().Bold(l.bold).Faint(l.faint).Reverse(l.reverse)
		if l.colour >= 0 {
			st = st.Foreground(ansi.BasicColor(l.colour))
		}
		t[r] = st
	}
	return t
}

// render formats lines for a terminal.
func render(s Style, lines []line) []string {
	out := make([]string, len(lines))
	var t theme
	if s.Colour {
		t = themeOf(s)
	}
	for i, l := range lines {
		var b strings.Builder
		for _, sp := range merged(l) {
			if s.Colour && sp.role != plain {
				b.WriteString(t[sp.role].Render(sp.text))
			} else {
				b.WriteString(sp.text)
			}
		}
		out[i] = b.String()
	}
	return out
}

// merged joins neighbours of one role, gives blanks the role before them, and drops blanks at the end: fewer bytes
// for the same picture.
func merged(l line) line {
	var out line
	for _, s := range l {
		if s.text == "" {
			continue
		}
		n := len(out)
		if s.role != pick && strings.Trim(s.text, " ") == "" {
			if s.role = plain; n > 0 && out[n-1].role != pick {
				s.role = out[n-1].role
			}
		}
		if n > 0 && out[n-1].role == s.role {
			out[n-1].text += s.text
			out[n-1].cells += s.cells
			continue
		}
		out = append(out, s)
	}
	for n := len(out); n > 0 && out[n-1].role != pick; n-- {
		out[n-1].text = strings.TrimRight(out[n-1].text, " ")
		if out[n-1].text != "" {
			break
		}
		out = out[:n-1]
	}
	return out
}
