package usage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A pane is a shell in a terminal of tmux, where the tests' own paratimer is found.
type pane struct {
	*testing.T
	socket, dir string
}

// newPane is a shell in a terminal of the given size, with settings of its environment.
func newPane(t *testing.T, width, height int, env ...string) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: no tmux here, so the screen is tried on no terminal; install tmux")
	}
	dir := t.TempDir()
	rc := filepath.Join(dir, "rc") // the shell reads it first (POSIX, sh, ENV)
	if err := os.WriteFile(rc, []byte("PS1='READY '\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &pane{T: t, socket: filepath.Join(dir, "s"), dir: dir}
	args := []string{
		"-u", "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y",
		strconv.Itoa(height),
	}
	for _, e := range append([]string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + dir,
		"LC_ALL=C.UTF-8", "NO_COLOR=", "HADOOP_CONF_DIR=", "ENV=" + rc,
	}, env...) {
		args = append(args, "-e", e)
	}
	s.tmux(append(args, "sh")...)
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() // a session that has ended has no server
	})
	s.waits("READY")
	return s
}

func (s *pane) tmux(args ...string) string {
	s.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("tmux %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// types sends keys, by tmux's names of them.
func (s *pane) types(keys ...string) {
	s.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// runs types a command, which leaves its process id in a file and then prints its exit code.
func (s *pane) runs(command string) {
	s.Helper()
	s.types("-l", "clear; sh -c 'echo $$ >"+s.dir+"/pid; exec "+command+"'; echo code=$?.")
	s.types("Enter")
}

// pid is that of the command that runs.
func (s *pane) pid() int {
	s.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, "pid"))
	if err != nil {
		s.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		s.Fatal(err)
	}
	return pid
}

func (s *pane) picture() string { s.Helper(); return s.tmux("capture-pane", "-p") }

// is is a figure of the terminal, such as alternate_on.
func (s *pane) is(name string) string {
	s.Helper()
	return strings.TrimSpace(s.tmux("display-message", "-p", "#{"+name+"}"))
}

// until polls, because the speed of the machine is unknown.
func (s *pane) until(what string, isShown func() bool) {
	s.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !isShown(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("not in five minutes: %s\n%s", what, s.picture())
		}
	}
}

// waits until the terminal shows all of these at a time.
func (s *pane) waits(all ...string) {
	s.Helper()
	s.until(fmt.Sprintf("%q", all), func() bool {
		picture := s.picture()
		for _, want := range all {
			if !strings.Contains(picture, want) {
				return false
			}
		}
		return true
	})
}

// ends waits for the exit code and that the terminal is as it was before.
func (s *pane) ends(code int) {
	s.Helper()
	s.waits(fmt.Sprintf("code=%d.", code), "READY")
	if alternate, cursor := s.is("alternate_on"), s.is("cursor_flag"); alternate != "0" || cursor != "1" {
		s.Errorf("the terminal is not restored: alternate screen %s, cursor %s", alternate, cursor)
	}
	s.types("-l", "stty -a | tr ';' '\\n' | grep -c -w -e icanon -e echo")
	s.types("Enter")
	s.waits("\n1\n") // both stand in one line of stty's
}

// up waits for the screen, and until it shows all of these.
func (s *pane) up(all ...string) {
	s.Helper()
	s.until("the screen is up", func() bool { return s.is("alternate_on") == "1" && s.is("cursor_flag") == "0" })
	s.waits(all...)
}

// fits checks that the picture has no more lines and cells than the terminal.
func (s *pane) fits(width, height int) {
	s.Helper()
	lines := strings.Split(strings.TrimRight(s.picture(), "\n"), "\n")
	if len(lines) > height {
		s.Errorf("%d lines of %d", len(lines), height)
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); n > width {
			s.Errorf("%d cells of %d: %s", n, width, l)
		}
	}
}

var terminalSizes = [][2]int{{80, 24}, {40, 12}, {200, 50}}

// TestTerminalDemo plays the demo at several sizes: it opens, shows its keys, pauses, goes through time, and leaves.
func TestTerminalDemo(t *testing.T) {
	t.Parallel()
	for _, z := range terminalSizes {
		t.Run(fmt.Sprintf("%dx%d", z[0], z[1]), func(t *testing.T) {
			s := newPane(t, z[0], z[1])
			s.runs("paratimer demo")
			s.up("paper-4.2GB")
			s.fits(z[0], z[1])
			s.types("?")
			s.waits("this help")
			s.fits(z[0], z[1])
			s.types("Escape") // a key that follows at once would count as one with Alt
			s.until("the help is closed", func() bool { return !strings.Contains(s.picture(), "this help") })
			s.types("Space")
			s.waits("paused")
			s.types("End")
			s.waits("ucceeded")
			s.fits(z[0], z[1])
			s.types("Home")
			s.until("the start", func() bool { return !strings.Contains(s.picture(), "ucceeded") })
			s.types("q")
			s.ends(0)
		})
	}
}

// TestTerminalReplay plays a tape: a job's tasks, another size, and what stands below the screen afterwards.
func TestTerminalReplay(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs("../../examples/join-failure.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	s := newPane(t, 120, 40)
	s.runs("paratimer replay " + file)
	s.up("join.pig", "scope-30", "help")
	s.tmux("resize-window", "-x", "60", "-y", "20")
	s.until("60 cells", func() bool { return s.is("pane_width") == "60" })
	s.waits("join.pig", "help")
	s.fits(60, 20)
	s.tmux("resize-window", "-x", "120", "-y", "40")
	s.waits("join.pig", "predicted")
	s.types("Down")
	s.waits("›")
	s.types("Enter")
	s.waits("the last to end first")
	s.types("End")
	s.waits("ucceeded", "2m6s")
	s.types("q")
	s.ends(0)
	s.waits("join.pig: 2 jobs", "failed: map 6 of scope-30", "succeeded after")
}

// TestTerminalAttach watches a query of a simulated cluster: the screen leaves with its query, and by q before.
func TestTerminalAttach(t *testing.T) {
	t.Parallel()
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	s := newPane(t, 80, 24)
	s.runs("paratimer attach --rm " + url + " --jhs " + url + " --user alice --every 300ms")
	s.up("join.pig", "scope-")
	s.ends(0)
	s.waits("join.pig: ", "succeeded after")

	url = restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	s.runs("paratimer attach --rm " + url + " --jhs " + url + " --user alice --every 1s")
	s.up("join.pig", "scope-")
	s.types("Space")
	s.waits("paused")
	s.types("q")
	s.ends(program.ExitInterrupted)
	s.waits("join.pig: ")
}

// TestTerminalAttachToNothing leaves the terminal alone.
func TestTerminalAttachToNothing(t *testing.T) {
	t.Parallel()
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	s := newPane(t, 80, 24)
	s.runs("paratimer attach application_1_0001 --rm " + url + " --jhs " + url)
	s.ends(program.ExitBlind)
	s.waits("application_1_0001")
}

// join is a recorded run: on a screen, where all of its frames are made ahead, it takes a quarter of the demo's time.
func join(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../examples/join.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTerminalSignals checks that each way to end restores the terminal, and its exit code.
func TestTerminalSignals(t *testing.T) {
	s := newPane(t, 80, 24)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		s.runs("paratimer replay --speed 1 " + join(t))
		s.up("join.pig")
		if err := syscall.Kill(s.pid(), sig); err != nil {
			t.Fatal(err)
		}
		s.ends(program.ExitInterrupted)
		s.waits("paratimer: interrupted")
	}
	s.runs("paratimer replay --speed 1 " + join(t))
	s.up("join.pig")
	s.types("C-c")
	s.ends(program.ExitInterrupted)
	s.runs("paratimer replay --speed 1 --timeout 5s " + join(t))
	s.up("join.pig")
	s.ends(program.ExitTimeout)
}

// TestTerminalSuspend: control-Z gives the shell its terminal, fg takes it again.
func TestTerminalSuspend(t *testing.T) {
	t.Parallel()
	s := newPane(t, 80, 24)
	s.types("-l", "clear; paratimer demo; echo code=$?.")
	s.types("Enter")
	s.up("paper-4.2GB")
	s.types("C-z")
	s.until("the shell's screen", func() bool { return s.is("alternate_on") == "0" && s.is("cursor_flag") == "1" })
	s.waits("READY")
	s.types("-l", "fg")
	s.types("Enter")
	s.until("the screen again", func() bool { return s.is("alternate_on") == "1" })
	s.up("paper-4.2GB", "help")
	s.types("q")
	s.until("the shell's screen", func() bool { return s.is("alternate_on") == "0" && s.is("cursor_flag") == "1" })
}

// TestTerminalPlainly: where a terminal cannot show colour or UTF-8, there is none; where it can show no screen, or
// lines are asked for, there are lines.
func TestTerminalPlainly(t *testing.T) {
	t.Parallel()
	escape := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	s := newPane(t, 100, 30, "NO_COLOR=1")
	s.runs("paratimer replay --speed 1 " + join(t))
	s.up("join.pig", "help")
	if got := escape.FindString(s.tmux("capture-pane", "-p", "-e")); got != "" {
		t.Errorf("NO_COLOR: %q is on the screen", got)
	}

	s = newPane(t, 100, 30)
	s.runs("paratimer replay --speed 1 " + join(t))
	s.up("join.pig", "help")
	if !escape.MatchString(s.tmux("capture-pane", "-p", "-e")) {
		t.Error("no colour on a terminal that has it")
	}

	s = newPane(t, 100, 30, "LC_ALL=C")
	s.runs("paratimer replay --speed 1 " + join(t))
	s.up("join.pig", "help")
	for _, r := range s.picture() {
		if r >= utf8.RuneSelf {
			t.Fatalf("LC_ALL=C: %q is on the screen:\n%s", r, s.picture())
		}
	}

	for _, c := range [][2]string{{"TERM=dumb", ""}, {"A=b", "--plain"}, {"A=b", "--quiet"}} {
		s = newPane(t, 100, 30, c[0])
		s.runs("env " + c[0] + " paratimer replay --speed 0 " + join(t) + " " + c[1])
		s.ends(0)
		picture := s.tmux("capture-pane", "-p", "-S", "-1000")
		if !strings.Contains(picture, "succeeded after") || strings.Contains(picture, "help") {
			t.Errorf("%s: no lines:\n%s", c, picture)
		}
	}
}

// runIn runs the command as a process in a folder: parallel tests share the folder of this process.
func runIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	cmd := session.Process(t, dir, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}
