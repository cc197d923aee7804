package usage

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// An example is a command of a page and its output on the page. "..." stands for anything.
type example struct {
	line    int
	command string
	output  []string
}

// consoleExamples reads a page's console blocks.
func consoleExamples(t *testing.T, text string) []example {
	t.Helper()
	var all []example
	inside := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ "):
			all = append(all, example{line: i + 1, command: strings.TrimPrefix(line, "$ ")})
		case len(all) == 0:
			t.Fatalf("line %d: output without a command", i+1)
		default:
			s := &all[len(all)-1]
			s.output = append(s.output, line)
		}
	}
	return all
}

// TestReadme runs the README's commands.
func TestReadme(t *testing.T) { runPage(t, "../../README.md", 10) }

// TestGuides runs the commands of each guide, and reads the flags of those that need a cluster.
func TestGuides(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "reference.md" {
			t.Run(name, func(t *testing.T) { runPage(t, page, leastCommands[name]) })
		}
	}
}

// leastCommands is how many commands of a guide must run, so that no change of a page's form turns its test off.
var leastCommands = map[string]int{
	"tutorial.md": 18, "screen.md": 3, "reports.md": 9, "before-a-run.md": 8, "history.md": 6, "plans.md": 6, "alerts.md": 6,
	"hadoop.md": 3, "spark.md": 2, "tez.md": 3, "frames.md": 1,
}

// runPage runs the commands in a page's console blocks, in order, in one folder with the files that the page shows, and
// compares what they print. It reads the flags of those in sh blocks. At least so many must run.
func runPage(t *testing.T, page string, least int) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := pageFolder(t, string(text))
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	for _, command := range shellLines(string(text)) {
		args := slices.Insert(words(t, command)[1:], 1, "--help")
		if code, _, stderr := runIn(t, dir, args...); code != program.ExitOK {
			t.Errorf("%s: %s: exit code %d\n%s", page, command, code, stderr)
		}
	}
	ran := 0
	for _, s := range consoleExamples(t, string(text)) {
		if s.command == "go test ./..." {
			continue // it runs this test
		}
		line := strings.Replace(s.command, "go run ./cmd/paratimer", "paratimer", 1)
		if !strings.HasPrefix(line, "paratimer ") {
			t.Errorf("%s:%d: %q is not a command of ours", page, s.line, s.command)
			continue
		}
		ran++
		args := withCluster(t, words(t, line))
		run := runIn
		if args[1] == "demo" {
			run = demo
		}
		code, stdout, stderr := run(t, dir, args[1:]...)
		if code != program.ExitOK {
			t.Errorf("%s:%d: %s: exit code %d\n%s%s", page, s.line, s.command, code, stdout, stderr)
			continue
		}
		if len(s.output) > 0 && !promised(s.output).MatchString(stdout) {
			t.Errorf("%s:%d: output of %s differs from the page: got\n%s", page, s.line, s.command, stdout)
		}
	}
	if ran < least {
		t.Fatalf("%s: only %d commands found: nothing is guarded", page, ran)
	}
}

// fileBlock is a file that a page shows, behind its name.
var fileBlock = regexp.MustCompile("(?s)```(?:csv|yaml) (\\S+)\n(.*?)```\n")

// pageFolder is a folder with the files that a page's commands name: the examples, recordings, and those that it shows.
func pageFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, folder := range map[string]string{"examples": "../../examples", "adapters": "../../adapters"} {
		target, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range fileBlock.FindAllStringSubmatch(text, -1) {
		if err := os.WriteFile(filepath.Join(dir, file[1]), []byte(file[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shellLines are the command lines of ours in a page's sh blocks, without comments and what they are piped into.
func shellLines(text string) (lines []string) {
	inside := false
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		if strings.HasPrefix(line, "```") {
			inside = line == "```sh\n"
		}
		if inside && strings.HasPrefix(line, "paratimer ") {
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(line, " | ")
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// withCluster directs a command that needs a cluster to a simulated one, and plays a demo at once.
func withCluster(t *testing.T, args []string) []string {
	t.Helper()
	const query = "../../examples/pig-join.yaml"
	switch {
	case args[1] == "demo" && !slices.Contains(args, "--speed"):
		return append(args, "--speed", "0")
	case args[1] == "run":
		url := restsim.HadoopServer(t, query, simulate.Options{})
		return []string{
			"paratimer", "run", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms", "--",
			"echo", "application_1275814800000_0001",
		}
	case slices.Contains([]string{"attach", "doctor", "list", "status", "wait"}, args[1]):
		url := restsim.HadoopServer(t, query, simulate.Options{})
		session.Setenv(t, "HADOOP_CONF_DIR", hadoopConf(t, url))
		for i := range args {
			args[i] = strings.Replace(args[i], "http://resourcemanager:8088", url, 1)
			args[i] = strings.Replace(args[i], "application_1795222440184_0007", "application_1275814800000_0001", 1)
		}
		args = append(args, "--user", "alice")
		if args[1] == "attach" || args[1] == "wait" {
			args = append(args, "--every", "100ms")
		}
		if slices.Contains(args, "--rm") && args[1] != "list" {
			args = append(args, "--jhs", url)
		}
	}
	return args
}

// A printed is the output of a command.
type printed struct {
	code           int
	stdout, stderr string
}

// demos are the runs of the demo by their arguments: several pages have the same one.
var demos sync.Map

// demo is runIn of a demo, which reads no files.
func demo(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	once, _ := demos.LoadOrStore(strings.Join(args, " "), sync.OnceValue(func() (p printed) {
		p.code, p.stdout, p.stderr = runIn(t, dir, args...)
		return p
	}))
	p := once.(func() printed)()
	return p.code, p.stdout, p.stderr
}

// promised is the pattern of an output in which lines and words may be left out as "...".
func promised(lines []string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for _, line := range lines {
		if line == "..." {
			b.WriteString(`(?s:.*?)`)
			continue
		}
		parts := strings.Split(line, "...")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		b.WriteString(`(?m:^)` + strings.Join(parts, `.*`) + `\n`)
	}
	return regexp.MustCompile(b.String() + `\z`)
}

// hadoopConf is a configuration folder of the cluster at an address.
func hadoopConf(t *testing.T, url string) string {
	t.Helper()
	dir := t.TempDir()
	host := strings.TrimPrefix(url, "http://")
	for file, property := range map[string]string{
		"yarn-site.xml":   "yarn.resourcemanager.webapp.address",
		"mapred-site.xml": "mapreduce.jobhistory.webapp.address",
	} {
		site := "<configuration><property><name>" + property + "</name><value>" + host +
			"</value></property></configuration>"
		if err := os.WriteFile(filepath.Join(dir, file), []byte(site), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
