package input

import "testing"

func TestStreak(t *testing.T) {
	t.Parallel()
	var s Streak
	for range 2 {
		for range mostBad {
			if err := s.Bad(); err != nil {
				t.Fatal(err)
			}
		}
		s.Good()
	}
	for range mostBad {
		_ = s.Bad()
	}
	if s.Bad() == nil {
		t.Errorf("%d bad lines in a row are not too many", mostBad+1)
	}
}
