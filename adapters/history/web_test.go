package history

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestWeb reads a file of servers with and without ranges, from the beginning, from inside, at its end and
// behind it.
func TestWeb(t *testing.T) {
	t.Parallel()
	text := []byte("0123456789")
	mux := http.NewServeMux()
	mux.HandleFunc("/ranges/log", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1795366800, 0), bytes.NewReader(text))
	})
	mux.HandleFunc("/plain/log", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
	mux.HandleFunc("/refused/log", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, folder := range []string{"ranges", "plain"} {
		in, name, err := OpenWeb(t.Context(), server.URL+"/"+folder+"/log?signature=secret", nil)
		if err != nil || name != "log" {
			t.Fatal(name, err)
		}
		for offset, want := range map[int64]string{0: "0123456789", 7: "789", 10: "", 12: ""} {
			f, err := in.OpenAt(name, offset)
			if err != nil {
				t.Errorf("%s from %d: %v", folder, offset, err)
				continue
			}
			got, err := io.ReadAll(f)
			if string(got) != want || err != nil {
				t.Errorf("%s from %d: %q, %v", folder, offset, got, err)
			}
			_ = f.Close()
		}
		info, err := fs.Stat(in, name)
		if err != nil || !info.Mode().IsRegular() || folder == "ranges" && info.ModTime().Unix() != 1795366800 {
			t.Errorf("%s: %v, %v", folder, info, err)
		}
		if _, err := in.Open("log.zstd"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a missing file: %v", folder, err)
		}
	}
	in, name, _ := OpenWeb(t.Context(), server.URL+"/refused/log?signature=secret", nil)
	if _, err := in.Open(name); err == nil || strings.Contains(err.Error(), "secret") || !strings.HasSuffix(err.Error(), "/refused/log: the server answers 403 Forbidden") {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"ftp://host/log", "https://me:secret@host/log", "log"} {
		if _, _, err := OpenWeb(t.Context(), address, nil); err == nil {
			t.Errorf("%s is no error", address)
		}
	}
}
