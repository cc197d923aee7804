package post

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// spoolBytes limits the size of an attempt's spool file on its node.
const spoolBytes = 8 << 20

// A spool is a file of batches, one a line. It contains only whole lines.
type spool struct {
	folder, name string
	file         *os.File
	size         int64
}

func newSpool(folder, attempt string) *spool {
	return &spool{folder: folder, name: "paratimer-tap." + attempt + ".ndjson"}
}

func (s *spool) path() string { return filepath.Join(s.folder, s.name) }

// write appends a line. It creates the file on first use.
func (s *spool) write(line []byte) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return fmt.Errorf("%s: %w", s.folder, err)
		}
	}
	line = append(line, '\n')
	if s.size+int64(len(line)) > spoolBytes {
		return fmt.Errorf("%s has reached %d bytes", s.path(), spoolBytes)
	}
	n, err := s.file.Write(line)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, s.file.Truncate(s.size))
		}
		return err
	}
	s.size += int64(n)
	return nil
}

func (s *spool) open() error {
	// OpenRoot does not follow links that lead out of the folder.
	in, err := os.OpenRoot(s.folder)
	if err != nil {
		return err
	}
	f, err := in.OpenFile(s.name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	_ = in.Close()
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", s.path())
	}
	if err != nil {
		f.Close()
		return err
	}
	s.file, s.size = f, info.Size()
	return nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
