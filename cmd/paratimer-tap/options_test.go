//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

func quoted[T string | []byte](v T) string { return strconv.Quote(string(v)) }

func words(all ...any) string { return strings.TrimSuffix(fmt.Sprintln(all...), "\n") }

func TestOptions(t *testing.T) {
	given := env("PARATIMER_COLLECT=watcher:9999", "PARATIMER_TOKEN=secret")
	o, err := parse(strings.Fields("map -- ./mapper.py --show-keys -x"), given)
	if err != nil || o.side != mapSide || words(o.command) != "[./mapper.py --show-keys -x]" ||
		o.collector != "watcher:9999" ||
		o.token != "secret" || o.lambda != 2000 || o.every != 2*time.Second ||
		o.show {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = parse(strings.Fields("--show-keys reduce --collect [::1]:5 --every 500ms --lambda 7 --spool /x sort -k 1"),
		given)
	if err != nil || o.side != reduceSide || words(o.command) != "[sort -k 1]" || o.collector != "[::1]:5" ||
		o.lambda != 7 ||
		o.every != 500*time.Millisecond || !o.show || o.spool != "/x" {
		t.Errorf("%+v, %v", o, err)
	}
	// What the environment has wrong fails no job.
	if o, err := parse([]string{"map", "cat"}, env("PARATIMER_COLLECT=watcher")); err != nil || o.collector != "" ||
		o.trouble == "" {
		t.Errorf("%+v, %v", o, err)
	}
	for args, want := range map[string]string{
		"":                        "the first word is map or reduce",
		"cat":                     "the first word is map or reduce",
		"combine -- cat":          `not "combine"`,
		"map":                     "no command",
		"map --":                  "no command",
		"map --lambda 0 cat":      "--lambda takes 1 to 8192",
		"map --lambda 10000 cat":  "--lambda takes 1 to 8192",
		"map --lambda x cat":      "lambda",
		"map --every 0s cat":      "--every takes 100ms to 1h",
		"map --what cat":          "-what",
		"map --collect host cat":  "--collect takes HOST:PORT",
		"map --collect host: cat": "--collect takes HOST:PORT",
	} {
		if _, err := parse(strings.Fields(args), env()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range []string{"--help", "map --help", "-h"} {
		if _, err := parse(strings.Fields(args), env()); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestCommandLine is what a user sees of it.
func TestCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"--help":    "0 " + quoted(usage) + " []",
		"--version": `0 "paratimer-tap `,
		"nothing":   `2 "" [the first word is map or reduce, not "nothing"; see paratimer-tap --help]`,
	} {
		cmd := tapped(t, args)
		cmd.Args = cmd.Args[:len(cmd.Args)-1] // without "--"
		got := play(t, cmd, strings.NewReader(""))
		if text := words(got.code, quoted(got.out), got.said); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s", args, text)
		}
	}
	for command, want := range map[string]string{
		"no-such-command-1": "127 no-such-command-1: command not found",
		"/no/such/file":     "127 /no/such/file: no such file or directory",
		"/":                 "126 /: permission denied",
		"/etc/passwd":       "126 /etc/passwd: permission denied",
		"/etc/passwd/x":     "127 /etc/passwd/x: not a directory",
	} {
		for side, env := range sides {
			cmd := tapped(t, side, command)
			cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+t.TempDir())
			got := play(t, cmd, strings.NewReader(""))
			if len(got.said) == 0 || words(got.code, got.said[len(got.said)-1]) != want {
				t.Errorf("%s, %s: exit %d, %q", side, command, got.code, got.said)
			}
		}
	}
}

// TestFault holds that a fault of the measuring ends the measuring, and is said once.
func TestFault(t *testing.T) {
	var c care
	done := 0
	for range 3 {
		c.do(func() { done++; panic("index out of range\x1b[2J") })
	}
	if done != 1 || c.note() != `nothing is measured: a fault of the tap: index out of range\x1b[2J` {
		t.Errorf("done %d times, %q", done, c.note())
	}
}
