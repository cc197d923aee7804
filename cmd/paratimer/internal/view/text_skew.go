package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// reportedSkew is the skew of a stage as it was last written.
type reportedSkew struct {
	task  int
	delay frame.Seconds
}

// skewAgain is the factor by which a delay must have grown to be reported again. A delay that falls as time passes is
// not reported.
const skewAgain = 1.5

// mostSkewed bounds the reported stages that are kept: beyond it they are reported again.
const mostSkewed = 1000

// skewLines returns lines about stages with new skew: not reported yet, with another longest task than reported, or
// with a much longer delay.
func (t *Text) skewLines(f frame.Frame) []string {
	if len(t.skewed) > mostSkewed {
		clear(t.skewed)
	}
	var out []string
	for _, s := range f.Skew {
		if len(skewedOnes(&s)) == 0 {
			continue
		}
		stage := s.Job + "\n" + s.Stage
		reported, any := t.skewed[stage]
		if any && reported.task == s.Worst[0].Task && s.DelaySeconds < skewAgain*reported.delay {
			continue
		}
		t.skewed[stage] = reportedSkew{s.Worst[0].Task, s.DelaySeconds}
		out = append(out, t.paint(yellow, "skew:")+" "+SkewSentence(&s))
		if gains := SkewGains(&s); gains != "" && t.Plain {
			out = append(out, gains)
		} else if gains != "" {
			out = append(out, "      "+gains)
		}
	}
	return out
}

// SkewSentence names the tasks that delay a query, with how much of the data, and which key. The stage must have a
// skewed task.
func SkewSentence(s *frame.Skew) string {
	all := skewedOnes(s)
	worst := &all[0]
	who, has, holds := fmt.Sprintf("%s %d", SkewedTask(s), worst.Task), "has", "holds"
	if s.Skewed > 1 {
		who, has, holds = SkewedTask(s)+"s "+numbers(s.Skewed, all), "have", "hold"
	}
	if worst.Done { // the run has ended
		has, holds = "had", "held"
	}
	text := who + " of " + SkewedStage(s) + " "
	if of := share(s.Skewed, all); of != "" {
		text += has + " " + of + " and "
	}
	text += holds + " the end back by " + units.About(s.DelaySeconds.Duration())
	delays := func(k frame.SkewedKey) bool { return k.DelaySeconds != nil && *k.DelaySeconds >= 1 }
	if at := slices.IndexFunc(worst.Keys, delays); at >= 0 {
		k := &worst.Keys[at]
		which := "its largest key"
		if k.Key != nil {
			which = "key " + ShortKey(*k.Key)
		}
		if s.Skewed > 1 {
			which += fmt.Sprintf(" of reduce %d", worst.Task)
		}
		text += ", " + which + " alone by " + units.About(k.DelaySeconds.Duration())
	}
	return text
}

// SkewedTask returns the word for a task of the stage.
func SkewedTask(s *frame.Skew) string {
	if s.Stage == "" {
		return "reduce"
	}
	return "task"
}

// SkewedStage names the stage in a sentence: "scope-30" if it is the reduces of that job, "Reducer 2", "scan of query".
func SkewedStage(s *frame.Skew) string {
	switch {
	case s.Stage == "":
		return Escape(s.Job)
	case s.Whole:
		return Escape(s.Stage)
	}
	return Escape(s.Stage) + " of " + Escape(s.Job)
}

// skewedOnes returns the skewed tasks among those that the frame lists for a stage.
func skewedOnes(s *frame.Skew) []frame.SkewedTask {
	return slices.DeleteFunc(slices.Clone(s.Worst), func(r frame.SkewedTask) bool { return r.DelaySeconds == nil })
}

// numbers lists tasks; n is how many there are: "4 and 5", "4, 5, 1 and 7 more".
func numbers(n int, reported []frame.SkewedTask) string {
	shown := reported[:min(len(reported), 4)]
	names := units.Each(shown, func(t frame.SkewedTask) string { return strconv.Itoa(t.Task) })
	if more := n - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// SkewGains returns what another partitioning of the keys would gain; "" if unknown.
func SkewGains(s *frame.Skew) string {
	var parts []string
	if p := s.Split; p != nil {
		parts = append(parts, fmt.Sprintf("that key in %d parts: %s", p.Parts, sooner(p.SoonerSeconds)))
	}
	if d := s.Doubled; d != nil {
		parts = append(parts, fmt.Sprintf("%d reduces: %s", d.Reduces, sooner(d.SoonerSeconds)))
	}
	return strings.Join(parts, "; ")
}

func sooner(s frame.Seconds) string {
	if s < 1 {
		return "no sooner"
	}
	return units.About(s.Duration()) + " sooner"
}

// share returns the part of the data that n tasks have; "" if that is unknown for one of them.
func share(n int, reported []frame.SkewedTask) string {
	if n > len(reported) {
		return ""
	}
	sum, what := frame.Ratio(0), "bytes"
	for _, r := range reported {
		if r.ShareRatio == nil {
			return ""
		}
		if sum += *r.ShareRatio; r.SizeBytes == nil {
			what = "records"
		}
	}
	return units.Percent(sum) + " of the " + what
}

// longestKey is how many characters of a key a line shows.
const longestKey = 40

// ShortKey makes a key safe for a terminal, and short.
func ShortKey(key string) string {
	return ansi.Truncate(Escape(key), longestKey, "…")
}
