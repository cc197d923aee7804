package manual

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// shared are the flags that several commands describe with the same words, by name. If there are several
// descriptions of a name, it is the most common one; commands with another one have a row of their own.
type shared map[string]*Flag

// sharedFlags returns the flags of a tree that at least two commands share.
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

// meaning returns everything that a reader sees of a flag.
func meaning(f *Flag) string {
	return strings.Join([]string{f.spelled(), f.Does, f.Default, strings.Join(f.Env, ",")}, "\x00")
}

// has reports whether a flag is described among the shared ones.
func (s shared) has(f *Flag) bool {
	same, found := s[f.Name]
	return found && meaning(same) == meaning(f)
}

// names returns the names of a command's shared flags. A subject replaces its flags if the command has all of them
// and they are at least three.
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

// sections returns the shared flags by subject, those without one first. Subjects and flags are sorted by name.
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
