package manual

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// shared are the flags that several commands describe with the same words, by name. A name has one description here:
// the one that most commands use. A command that describes the flag otherwise keeps its own row.
type shared map[string]*Flag

// sharedFlags finds the flags of a tree that at least two commands have in common.
func sharedFlags(root *Command) shared {
	count := map[string]int{}
	out := shared{}
	for _, c := range root.All() {
		for i := range c.Flags {
			f := &c.Flags[i]
			count[meaning(f)]++
			if best := out[f.Name]; best == nil || count[meaning(f)] > count[meaning(best)] {
				out[f.Name] = f
			}
		}
	}
	for name, f := range out {
		if count[meaning(f)] < 2 {
			delete(out, name)
		}
	}
	return out
}

// meaning is all that a reader sees of a flag.
func meaning(f *Flag) string {
	return strings.Join([]string{f.spelled(), f.Does, f.Default, strings.Join(f.Env, ",")}, "\x00")
}

// has reports whether a flag is described among the shared ones.
func (s shared) has(f *Flag) bool {
	same, found := s[f.Name]
	return found && meaning(same) == meaning(f)
}

// names are the flags of one command: a subject stands for its flags if the command has all of them and they are three
// or more.
func (s shared) names(flags []*Flag) []string {
	has := map[string]int{}
	for _, f := range flags {
		has[s[f.Name].Heading]++
	}
	whole := map[string]bool{}
	for _, g := range s.sections() {
		whole[g.heading] = len(g.all) >= 3 && has[g.heading] == len(g.all)
	}
	var out []string
	for _, f := range flags {
		name := code("--" + f.Name)
		if h := s[f.Name].Heading; h != "" && whole[h] {
			name = "*" + h + "*"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// sections are the shared flags by subject, those without one first. Subjects and flags are in the order of their
// names.
func (s shared) sections() []section[Flag] {
	all := make([]Flag, 0, len(s))
	for _, f := range s {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(x, y Flag) int {
		return cmp.Or(strings.Compare(x.Heading, y.Heading), strings.Compare(x.Name, y.Name))
	})
	return sectioned(all, "", func(f *Flag) string { return f.Heading })
}

// write adds the section of the shared flags.
func (s shared) write(b *strings.Builder) {
	if len(s) == 0 {
		return
	}
	b.WriteString("\n## Shared flags\n\nThese flags mean the same in every command that lists them. A subject stands for all of its flags.\n")
	for _, g := range s.sections() {
		if b.WriteString("\n"); g.heading != "" {
			fmt.Fprintf(b, "*%s*:\n\n", g.heading)
		}
		flagTable(b, g.all)
	}
}
