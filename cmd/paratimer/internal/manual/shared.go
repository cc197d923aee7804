package manual

import (
	"slices"
	"strings"
)

// shared are the flags that several commands describe with the same words, by name. A name has one description here: the one that most
// commands use. A command that describes the flag otherwise keeps its own row.
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

// write adds the section of the shared flags, by name.
func (s shared) write(b *strings.Builder) {
	if len(s) == 0 {
		return
	}
	all := make([]*Flag, 0, len(s))
	for _, f := range s {
		all = append(all, f)
	}
	slices.SortFunc(all, func(x, y *Flag) int { return strings.Compare(x.Name, y.Name) })
	b.WriteString("\n## Shared flags\n\nThese flags mean the same in every command that lists them.\n\n")
	flagTable(b, all)
}
