package screen

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

func blocks(s State) []string {
	if s.Frame == nil {
		return []string{"waiting for the first observation of " + view.Escape(s.Subject)}
	}
	style := lipgloss.NewStyle()
	if s.Style.Colour {
		style = style.Bold(true)
	}
	return []string{style.Render(view.Remaining(s.Frame.Headline))}
}

// fit cuts lines to the screen.
func fit(s State, lines []string) []string {
	lines = lines[:min(len(lines), s.Height)]
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, s.Width, "")
	}
	return lines
}
