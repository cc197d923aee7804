package recording

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// TestPlace: files have the names that the user would type, and those elsewhere the names that they have there.
func TestPlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.log")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := Place{Name: "webhdfs://h:1/logs", In: fstest.MapFS{"logs/b": {}}, File: "logs"}
	for _, c := range []struct {
		place      Place
		file, want string
		isFolder   bool
	}{
		{LocalPlace(folder), "sub/b", filepath.Join(folder, "sub", "b"), true},
		{LocalPlace(file), "a.log", file, false},
		{LocalPlace(file), "a.zip", filepath.Join(folder, "a.zip"), false},
		{elsewhere, "logs/b", "logs/b", true},
		{elsewhere, "logs", "webhdfs://h:1/logs", true},
	} {
		if got := c.place.Path(c.file); got != c.want || c.place.IsFolder() != c.isFolder {
			t.Errorf("%s of %s: %s, folder %v", c.file, c.place.Name, got, c.place.IsFolder())
		}
	}
}
