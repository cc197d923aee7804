//go:build unix

package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPrintJob(t *testing.T) {
	t.Parallel()
	got, err := printJob(strings.Fields("hadoop --collect w:9190 --every 20s --show-keys /x/tap.jar"), env())
	want := `-libjars /x/tap.jar -D mapreduce.client.libjars.wildcard=false \
  -D mapreduce.job.map.output.collector.class=com.github.paratimer.tap.MapOutput \
  -D mapreduce.job.reduce.shuffle.consumer.plugin.class=com.github.paratimer.tap.ReduceInput \
  -D paratimer.tap.collect=w:9190 \
  -D paratimer.tap.every=20000ms \
  -D paratimer.tap.show.keys=true \
  -D paratimer.tap.token="$PARATIMER_TOKEN"
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = printJob(strings.Fields("--lambda 10 pig hdfs://nn/tap.jar"),
		env("PARATIMER_COLLECT=w:9190"))
	want = `REGISTER 'hdfs://nn/tap.jar';
SET mapreduce.job.map.output.collector.class 'com.github.paratimer.tap.MapOutput';
SET mapreduce.job.reduce.shuffle.consumer.plugin.class 'com.github.paratimer.tap.ReduceInput';
SET paratimer.tap.collect 'w:9190';
SET paratimer.tap.lambda '10';
SET paratimer.tap.token '$token';  -- pig -p token="$PARATIMER_TOKEN"
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for args, want := range map[string]string{
		"":                                   "hadoop or pig",
		"hive --collect a:1 x.jar":           `not "hive"`,
		"hadoop --collect a:1":               "one JAR",
		"hadoop --collect a:1 x.jar y.jar":   "one JAR",
		"hadoop x.jar":                       "where measurements go",
		"hadoop --collect a x.jar":           "--collect takes HOST:PORT",
		"hadoop --spool /x --lambda 0 x.jar": "--lambda takes",
		"hadoop --what":                      "-what",
	} {
		if _, err := printJob(strings.Fields(args), env()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := printJob([]string{"--help"}, env()); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// TestPrintedForAShell holds that a shell reads the words that are meant, whatever is in them.
func TestPrintedForAShell(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "it's $HOME `x`")
	text, err := printJob([]string{"hadoop", "--spool", folder, "--collect", "w:1", "my tap.jar"}, env())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+text)
	cmd.Env = append(os.Environ(), "PARATIMER_TOKEN=a secret")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(string(out), "\n")
	jar, _ := filepath.Abs("my tap.jar")
	for _, want := range []string{jar, "paratimer.tap.spool=" + folder, "paratimer.tap.token=a secret"} {
		if !slices.Contains(words, want) {
			t.Errorf("no word %q in %q", want, words)
		}
	}
}
