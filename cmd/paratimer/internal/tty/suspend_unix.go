//go:build unix

package tty

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// settled is how long the renderer takes to stop, also on a busy machine.
const settled = 100 * time.Millisecond

// suspend stops the program until the shell continues it.
//
// tea.Suspend does the same, but stops the process at once. A goroutine of the renderer may then stop the ticker after
// the screen is back, which stays empty (bubbletea 2.0.9, startRenderer).
func suspend() tea.Msg {
	return tea.Exec(suspension{}, func(error) tea.Msg { return tea.ResumeMsg{} })()
}

type suspension struct{}

// Run returns when the process is continued.
func (suspension) Run() error {
	time.Sleep(settled)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil { // the whole group, as the terminal does
		return err
	}
	<-continued
	return nil
}

// The program that runs while the screen is released is this one: it keeps its own streams.
func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}
