// Package replaytest runs the paratimer command over recordings, for the tools that write docs/. They read only its
// frames.
package replaytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A Command is the paratimer command, built from the working folder.
type Command struct {
	Exe string
	Tmp string // its own temporary folder
}

// Build builds the command. Call Remove when done.
func Build(ctx context.Context) (Command, error) { return BuildEdited(ctx, nil) }

// An Edit replaces a text that occurs once in a source file of the project.
type Edit struct{ File, Old, New string }

// BuildEdited builds the command from edited sources; those on disk do not change. An error names an edit that no
// longer applies.
func BuildEdited(ctx context.Context, edits []Edit) (Command, error) {
	tmp, err := os.MkdirTemp("", "played")
	if err != nil {
		return Command{}, err
	}
	c := Command{filepath.Join(tmp, "paratimer"), tmp}
	overlay, err := c.overlay(edits)
	if err != nil {
		return c, errors.Join(err, c.Remove())
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", c.Exe,
		"./cmd/paratimer").CombinedOutput(); err != nil {
		return c, errors.Join(fmt.Errorf("build: %w\n%s", err, out), c.Remove())
	}
	return c, nil
}

// overlay writes the edited sources and go build's list of them, and returns the path of the list.
func (c Command) overlay(edits []Edit) (string, error) {
	texts := map[string]string{}
	for _, e := range edits {
		if _, ok := texts[e.File]; !ok {
			text, err := os.ReadFile(e.File)
			if err != nil {
				return "", err
			}
			texts[e.File] = string(text)
		}
		if n := strings.Count(texts[e.File], e.Old); n != 1 {
			return "", fmt.Errorf("%s: %q stands there %d times: write the edit anew", e.File, e.Old, n)
		}
		texts[e.File] = strings.Replace(texts[e.File], e.Old, e.New, 1)
	}
	list := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range texts {
		to := filepath.Join(c.Tmp, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
		list.Replace[file] = to
	}
	data, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.Tmp, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}

// Remove removes the command and its folder.
func (c Command) Remove() error { return os.RemoveAll(c.Tmp) }

// Learn makes the profile of a recording, and returns its path and the name of the script.
func (c Command) Learn(ctx context.Context, file string) (profile, script string, err error) {
	profile = filepath.Join(c.Tmp, fixtures.Name(file)+".yaml")
	if out, err := exec.CommandContext(ctx, c.Exe, "learn", file, "-o", profile).CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("learn %s: %w\n%s", fixtures.Name(file), err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			return profile, path.Base(strings.Trim(strings.TrimSpace(name), `"`)), nil
		}
	}
	return profile, "", nil
}

// Frames runs a command that prints frames. F is the part of a frame to decode.
func Frames[F any](ctx context.Context, c Command, args ...string) ([]F, error) {
	cmd := exec.CommandContext(ctx, c.Exe, append(args, "--output", "ndjson")...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	// Exit code 1 means that the query failed, which is a valid result.
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, &talk)
	}
	var frames []F
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var f F
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		return nil, fmt.Errorf("%s: no frames\n%s", strings.Join(args, " "), &talk)
	}
	return frames, nil
}
