package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"golang.org/x/sync/errgroup"
)

// A Number is a measured value. NaN is unknown: null in JSON, – on a page.
type Number float64

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// String returns the number with one decimal.
func (n Number) String() string { return n.format("%.1f", 1) }

// Percent returns a ratio in percent.
func (n Number) Percent() string { return n.format("%.0f%%", 100) }

func (n Number) format(format string, by Number) string {
	if math.IsNaN(float64(n)) {
		return "–"
	}
	return fmt.Sprintf(format, float64(by*n))
}

// Numbers are the values of several runs.
type Numbers []Number

// Known returns the values that are not NaN, ascending.
func (n Numbers) Known() Numbers {
	return slices.Sorted(func(yield func(Number) bool) {
		for _, v := range n {
			if !math.IsNaN(float64(v)) && !yield(v) {
				return
			}
		}
	})
}

// Quantile returns the value at a share of the known values, 0..1: interpolated, NaN if there is none.
func (n Numbers) Quantile(share float64) Number {
	all := n.Known()
	if len(all) == 0 {
		return Number(math.NaN())
	}
	at := share * float64(len(all)-1)
	low, high := all[int(at)], all[int(math.Ceil(at))]
	return low + Number(at-math.Floor(at))*(high-low)
}

// Median returns the median of the known values.
func (n Numbers) Median() Number { return n.Quantile(0.5) }

// Most returns the largest known value.
func (n Numbers) Most() Number { return n.Quantile(1) }

// Mean returns the mean of all values, which is NaN if one is unknown.
func (n Numbers) Mean() Number {
	sum := Number(0)
	for _, v := range n {
		sum += v
	}
	return sum / Number(len(n))
}

// A Mean is a mean over ticks of several runs.
type Mean struct{ sum, ticks Number }

// Add adds the mean of one run over some ticks.
func (m *Mean) Add(mean Number, ticks int) {
	if ticks > 0 {
		m.sum, m.ticks = m.sum+mean*Number(ticks), m.ticks+Number(ticks)
	}
}

// Value returns the mean, NaN without ticks.
func (m *Mean) Value() Number { return m.sum / m.ticks }

// Each calls do for 0 to n-1 on all processors. Results belong at their index, so the order of calls does not matter.
func Each(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// Write writes a page: a template with the functions row, which makes a line of a table from its cells, and join.
func Write(out io.Writer, text string, data any) error {
	t, err := template.New("page").Funcs(template.FuncMap{"row": Row, "join": strings.Join}).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(out, data)
}

// Row returns a line of a table.
func Row(cells ...any) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		fmt.Fprintf(&b, " %v |", c)
	}
	return b.String()
}

// Table returns a table: its heading, and a line for each row.
func Table(heading []any, rows [][]any) string {
	var b strings.Builder
	b.WriteString(Row(heading...) + "\n|" + strings.Repeat("---|", len(heading)) + "\n")
	for _, cells := range rows {
		b.WriteString(Row(cells...) + "\n")
	}
	return b.String()
}
