package planfile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// others maps field names of other papers and tools to ours.
var others = map[string]string{
	"alpha": "cost", "tuples": "records", "count": "tasks", "maps": "map", "mappers": "map", "reduces": "reduce",
	"reducers": "reduce",
	"deps":     "after", "depends_on": "after", "dependencies": "after", "requires": "after", "id": "name",
	"node":      "name",
	"slowstart": "slow_start", "scheduler": "policy", "shuffle": "copy", "merge": "sort", "duration": "extent",
}

// unknownField returns the message for an unknown field at a path, and the field that it probably stands for.
func (d *decoder) unknownField(name string, path []string, fields []*field) (why, meant string) {
	known := namesOf(fields)
	slices.Sort(known)
	why = "unknown field " + quote(name)
	if len(path) > 0 {
		why += " in " + pathString(path)
	}
	if meant = Nearest(name, known); meant == "" && d.isPlan && slices.Contains(known, others[strings.ToLower(name)]) {
		meant = others[strings.ToLower(name)]
	}
	if meant != "" {
		return fmt.Sprintf("%s; did you mean %s?", why, quote(meant)), meant
	}
	if homes := homesOf(name, reflect.TypeFor[file](), ""); d.isPlan && len(homes) > 0 {
		return fmt.Sprintf("%s; it belongs in %s", why, strings.Join(homes, " or ")), ""
	}
	return fmt.Sprintf("%s; known here: %s", why, strings.Join(known, ", ")), ""
}

// homesOf returns the parts of a type, at a path, that have a field with this name.
func homesOf(name string, t reflect.Type, path string) (homes []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fieldsOf(t) {
		if f.name == name && path != "" {
			homes = append(homes, path)
		}
		homes = append(homes, homesOf(name, f.typ, strings.TrimPrefix(path+"."+f.name, "."))...)
	}
	return homes
}

// Nearest returns the most similar candidate for a misspelt name, or "" if none is similar.
func Nearest(name string, candidates []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c), least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance returns the number of letters to insert, delete, change or swap with their neighbor (optimal string
// alignment). The result is at most most.
func distance(a, b string, most int) int {
	if diff := len(a) - len(b); diff >= most || -diff >= most || len(a) > 100 {
		return most
	}
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			now[j] = min(change, last[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return min(last[len(b)], most)
}
