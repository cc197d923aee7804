package program

import (
	"io"
	"strings"
	"testing"
)

func TestReorder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"score a b", "score a b"},
		{"score a --output json b", "score --output json a b"},
		{"score a b --profile=p --output json --profile q", "score --profile=p --output json --profile q a b"},
		{"--output json score a", "score --output json a"},
		{"score a --log-level debug", "--log-level debug score a"},
		{"--log-level debug score a", "--log-level debug score a"},
		{"score -- --odd", "score -- --odd"},
		{"score a -- -b --output", "score -- a -b --output"},
		{"score - a", "score - a"},
		{"score a --nonsense b", "score --nonsense a b"},
		{"score a --output", "score --output"}, // which lacks its value: the cli package reports it
		{"attach --set insecure=true app_1 --rm http://x", "--set insecure=true attach --rm http://x app_1"},
		{"attach --set=repost=2m app_1", "--set=repost=2m attach app_1"},
		{"attach --set repast=2m app_1", "--set repast=2m attach app_1"},
		{"attach --repost 2m app_1", "attach --repost 2m app_1"},
		{"simulate --help", "help plan"},
		{"--seed 1 import a -o b", "history add --seed 1 -o b a"},
		{"--version", "--version"},
		{"nonsense --output json", "help nonsense"}, // the error is about an unknown command, not about its flags
		{"--nonsense", "--nonsense"},
		{"--help score", "help score"},
		{"attach job_1_1 --rm x --help", "help attach"},
		{"attach --help all", "help all attach"},
		// A command of a command, and words that it does not know.
		{"history list", "history list"},
		{"history list a --output json", "history list --output json a"},
		{"--output json history --log-level debug list a", "--log-level debug history list --output json a"},
		{"history --output json", "history --output json"},
		{"history nonsense --output json a", "help history nonsense a"},
		{"history -- list", "help history list"},
	} {
		app := New(strings.NewReader(""), io.Discard, io.Discard)
		got := strings.Join(reorder(app, append([]string{"paratimer"}, strings.Fields(c.in)...))[1:], " ")
		if got != c.want {
			t.Errorf("reorder(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
