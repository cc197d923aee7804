package chaos

// A Fault is one way in which an answer goes wrong.
type Fault int

// The faults. Of all but Whole, Doubled, Stale, Reordered and Redated nothing can be learned.
const (
	Whole       Fault = iota // nothing is wrong
	ServerError              // 500, 502 or 503 with a page
	TooMany                  // 429 with Retry-After
	Redirect                 // 302 or 307 to nowhere, to itself, to a stranger, in another scheme
	Reset                    // the connection is cut before the header
	Hang                     // no header comes
	Drip                     // half of the body comes, then nothing more, and no end
	Broken                   // the body ends before its Content-Length
	Cut                      // the body ends early and looks complete: at any byte
	CutToken                 // the same, between two tokens of the JSON
	PackedCut                // a gzip stream that ends early
	PackedWrong              // a gzip stream whose checksum is wrong
	Page                     // a web page with status 200
	Empty                    // nothing, with status 200
	Hollow                   // {} or null, with status 200
	Garbage                  // bytes that are no JSON
	WrongType                // the right body, called something else
	Huge                     // a body without an end
	Doubled                  // headers twice, the second time different
	Stale                    // an earlier answer of the same address
	Reordered                // the one before, as when two answers overtake each other
	Redated                  // an earlier answer by a cache that says it is of now
	faults
)

var names = [faults]string{
	"whole", "server error", "too many", "redirect", "reset", "hang", "drip", "broken", "cut", "cut at a token",
	"packed, cut", "packed, wrong",
	"page", "empty", "hollow", "garbage", "wrong type", "huge", "doubled headers", "stale", "reordered", "redated",
}

// Faults are all of them, Whole left out.
func Faults() []Fault {
	all := make([]Fault, 0, faults-1)
	for f := Whole + 1; f < faults; f++ {
		all = append(all, f)
	}
	return all
}

func (f Fault) String() string { return names[f] }
