package skewed

import (
	"fmt"
	"strings"
)

// A printer writes a line.
type printer func(format string, args ...any)

// head writes the header of a table.
func head[T any](p printer, left []string, columns []T, right ...string) {
	titles := left
	for _, c := range columns {
		titles = append(titles, fmt.Sprint(c))
	}
	titles = append(titles, right...)
	p("%s", line(titles...))
	p("|%s", strings.Repeat("---|", len(titles)))
}

// line returns a line of a table.
func line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// cells returns the result's cells for methods.
func (r result) cells(methods []string) []string {
	text := make([]string, len(methods))
	for i, m := range methods {
		text[i] = r[m].String()
	}
	return text
}
