package view

import (
	"regexp"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// spoken formats lines for screen readers: sentences in place of columns, units in words, and no symbols, which are
// read aloud by their names or not at all.
type spoken struct{}

func (spoken) line(at *frame.Seconds, text string) string {
	text = strings.ReplaceAll(text, " %", " percent")
	if at == nil {
		return text
	}
	return "after " + spell(units.Elapsed(at.Duration())) + ": " + text
}

func (spoken) last(_ *frame.Seconds, text string) string { return text }

func (spoken) indent() string { return "" }
func (spoken) joint() string  { return ", " }

func (spoken) remaining(s shown) string {
	switch s.kind {
	case shownNothing:
		return "not known yet how much is left"
	case shownFloor:
		return "at least " + spell(units.Short(s.mid)) + " left"
	case shownCeiling:
		return "up to " + spell(units.Short(s.mid)) + " left" + spokenDoubt(s.doubt)
	case shownNow:
		return spell(units.Short(0)) + " left"
	case shownBetween:
		return "between " + spell(units.Short(s.low)) + " and " + spell(units.Short(s.high)) + " left" + spokenDoubt(s.doubt)
	case shownPoint, shownRange:
	}
	about := "about "
	if s.mid < time.Second {
		about = ""
	}
	text := about + spell(units.Short(s.mid)) + " left"
	if s.kind == shownRange {
		text += ", between " + spell(units.Short(s.low)) + " and " + spell(units.Short(s.high))
		text += spokenDoubt(s.doubt)
	}
	return text
}

func spokenDoubt(doubt string) string {
	switch doubt {
	case "":
		return ""
	case "rough":
		return ", roughly"
	}
	return ", in a " + doubt
}

func (spoken) moved(s frame.Seconds) string {
	if s < 0 {
		return "the end comes " + spell(units.About((-s).Duration())) + " sooner"
	}
	return "the end comes " + spell(units.Moved(s.Duration()))
}

func (spoken) replans(ours string) string {
	return spellOut(strings.Replace(ours, "±", "by at most ", 1))
}

func (spoken) seen(age time.Duration) string { return "seen " + spell(units.Short(age)) + " ago" }

func (spoken) reasons(parts []string) string { return strings.Join(parts, "; ") }

func (spoken) prose(ours string) string { return spellOut(ours) }

var (
	amount = regexp.MustCompile(`[+-]?<?\b(?:\d+h(?:\d+m)?(?:\d+s)?|\d+m(?:\d+s)?|\d+s)\b`)
	part   = regexp.MustCompile(`(\d+)([hms])`)
	words  = map[string]string{"h": "hour", "m": "minute", "s": "second"}
)

// spell writes a brief length of time in words: "1m30s" is "1 minute 30 seconds", "+5s" is "5 seconds later".
func spell(brief string) string {
	sign := ""
	switch {
	case strings.HasPrefix(brief, "+"):
		sign = " later"
	case strings.HasPrefix(brief, "-"):
		sign = " earlier"
	}
	if strings.Contains(brief, "<") {
		return "less than a second" + sign
	}
	var out []string
	for _, w := range part.FindAllStringSubmatch(brief, -1) {
		unit := words[w[2]]
		if w[1] != "1" {
			unit += "s"
		}
		out = append(out, w[1]+" "+unit)
	}
	return strings.Join(out, " ") + sign
}

// spellOut spells all lengths of time and percentages in a text of the program.
func spellOut(text string) string {
	text = amount.ReplaceAllStringFunc(text, spell)
	return strings.ReplaceAll(text, " %", " percent")
}
