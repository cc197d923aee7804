package badrun

import "testing"

func TestRun(t *testing.T) {
	t.Parallel()
	var r Run
	for range 2 {
		for range Most {
			if err := r.Bad(); err != nil {
				t.Fatal(err)
			}
		}
		r.Good()
	}
	for range Most {
		_ = r.Bad()
	}
	if r.Bad() == nil {
		t.Errorf("%d bad lines in a row are not too many", Most+1)
	}
}
