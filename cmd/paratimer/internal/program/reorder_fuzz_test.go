package program

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// FuzzReorder fails if an argument is lost, added, or moved across "--" into a flag. A last argument is added, for a
// flag without its value at the end of the line hides the words before it, so that the cli package reports that flag.
func FuzzReorder(f *testing.F) {
	for _, s := range []string{
		"", "score a --output json", "--output\x00score", "score\x00--\x00--x", "-\x00-\x00--",
		"replay\x00-=\x00--=x", "score\x00\x00-c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		typed := append([]string{"paratimer"}, strings.Split(line, "\x00")...)
		app := New(strings.NewReader(""), io.Discard, io.Discard)
		reorder(app, typed)
		args := append(typed, "last")
		got := reorder(app, args)
		cmd, _, _, _ := parse(app, args[1:])
		if cmd == nil || len(cmd.Subcommands) > 0 || slices.Contains(got, "help") {
			return // flags of an unknown command are left out
		}
		count := func(list []string) map[string]int {
			n := map[string]int{}
			for _, a := range list {
				if a != "--" {
					n[a]++
				}
			}
			return n
		}
		was, is := count(args), count(got)
		for a := range was {
			if was[a] != is[a] {
				t.Fatalf("%q: %q comes %d times, came %d times", args, a, is[a], was[a])
			}
		}
		if !slices.Contains(got, cmd.Name) {
			t.Fatalf("%q: the command is gone: %q", args, got)
		}
	})
}
