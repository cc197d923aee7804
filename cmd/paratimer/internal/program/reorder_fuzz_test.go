package program

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// FuzzReorder holds that no argument is lost, made up or moved across "--" into a flag.
func FuzzReorder(f *testing.F) {
	for _, s := range []string{
		"", "score a --output json", "--output\x00score", "score\x00--\x00--x", "-\x00-\x00--",
		"replay\x00-=\x00--=x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := append([]string{"paratimer"}, strings.Split(line, "\x00")...)
		app := New(strings.NewReader(""), io.Discard, io.Discard)
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
