package schedule

import (
	"cmp"
	"slices"
)

// sortSpans orders spans by start, stage (pauses last), first slot, attempt.
func sortSpans(spans []Span) {
	slices.SortStableFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pause, b.Pause), cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(firstSlot(a), firstSlot(b)), cmp.Compare(a.Attempt, b.Attempt))
	})
}

func firstSlot(s Span) int32 {
	if len(s.Slots) == 0 {
		return -1
	}
	return s.Slots[0]
}
