package spark

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A stage has two names. Its dag.Stage.Name is the same in each run, so that profiles can be matched. Its title is for
// people: the id that the driver's pages have, and what Spark's SQL tab shows of it. The RDDs of a stage have scopes,
// such as "WholeStageCodegen (3)" or "Scan csv". The text of the execution's physical plan has the operators with that
// number.

// Bounds of what is kept for titles.
const (
	mostPlanText  = 1 << 20 // bytes of a plan's text
	mostOperators = 1000    // of a plan
	mostScopes    = 100     // of a stage
	mostNamed     = 3       // operators, and tables, in a title
	mostTitle     = 80      // characters of a title
)

// A queryPlan has the operators of an execution's physical plan, by their numbers in the plan's text. The operators
// that one reads precede it, and are deeper in the plan's tree.
type queryPlan []operator

type operator struct {
	number, depth int
	name          string // such as "SortMergeJoin Inner"
	codegen       int    // of the generated code that contains it; 0: none
	table         string // that it scans
	reuses        int    // the operator whose output it reuses; 0: none
}

var (
	// treeLine is a line of the plan's tree: its depth, and an operator's number.
	treeLine = regexp.MustCompile(`^([ :+-]*)(?:\* )?[A-Z].*?\((\d{1,6})\)(?:, Statistics.*)?$`)
	// head begins the description of an operator below the tree.
	head = regexp.MustCompile(`^\((\d{1,6})\) ([^\[]*?) *(?:\[codegen id : (\d{1,6})\])?(?: *\[Reuses operator id: (\d{1,6})\])?$`)
	// scan is the name of an operator that scans a table.
	scan = regexp.MustCompile(`^Scan \S+ (?:.*\.)?([^.]*)$`)
	// location is the first folder that an operator scans.
	location = regexp.MustCompile(`^Location: \w+ ?(?:\(\d+ paths\))?\[([^,\]]+)`)
	// generated is a scope of generated code.
	generated = regexp.MustCompile(`^WholeStageCodegen \((\d{1,6})\)$`)
)

// cachedScan is the scope of an RDD that reads a cached table, or computes it first.
const cachedScan = "InMemoryTableScan"

// parsePlan parses the text of a physical plan in Spark's mode "formatted", its default. Of an adaptive plan it reads
// the current one, not the initial one.
func parsePlan(text string) queryPlan {
	if len(text) > mostPlanText {
		return nil
	}
	byNumber := map[int]*operator{}
	add := func(number int) *operator {
		if byNumber[number] == nil && len(byNumber) < mostOperators {
			byNumber[number] = &operator{number: number}
		}
		return byNumber[number]
	}
	var current *operator
	inTree := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		inTree = inTree && !strings.Contains(line, "== Initial Plan ==")
		m := treeLine.FindStringSubmatch(line)
		switch h := head.FindStringSubmatch(line); {
		case h != nil:
			inTree = false
			if current = add(atoi(h[1])); current != nil {
				current.name, current.codegen, current.reuses = intern(dag.Clean(h[2])), atoi(h[3]), atoi(h[4])
				if of := scan.FindStringSubmatch(current.name); of != nil {
					current.table = of[1]
				}
			}
		case inTree && m != nil:
			if o := add(atoi(m[2])); o != nil {
				o.depth = utf8.RuneCountInString(m[1])
			}
		case current != nil && location.MatchString(line):
			current.table = dag.Clean(path.Base(location.FindStringSubmatch(line)[1]))
		}
	}
	return units.Each(sortedKeys(byNumber), func(number int) operator { return *byNumber[number] })
}

// atoi returns the number of a text that has only digits; 0 for "".
func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// mostReuses bounds how often the search for tables goes from an operator to the one whose output it reuses: numbers in
// a damaged text may form a cycle.
const mostReuses = 2

// tables returns the tables that an operator reads, directly or not, in the order of the plan.
func (p queryPlan) tables(number, reuses int) (out []string) {
	last, ok := slices.BinarySearchFunc(p, number, func(o operator, n int) int { return cmp.Compare(o.number, n) })
	if !ok {
		return nil
	}
	first := last
	for first > 0 && p[first-1].depth > p[last].depth {
		first--
	}
	for _, o := range p[first : last+1] {
		if o.table != "" {
			out = append(out, o.table)
		} else if o.reuses > 0 && reuses < mostReuses {
			out = append(out, p.tables(o.reuses, reuses+1)...)
		}
	}
	return out
}

// sameWord matches the beginning of an operator's name that is its word in a title.
var sameWord = regexp.MustCompile(`^(?:CartesianProduct|Window|Sort|Generate|Expand|Union|Scan|Range)`)

// words are the words for operators that have another name, by the beginning of that name. Operators that describe
// little of the work, such as Project, have no word.
var words = []struct {
	word   string
	begins *regexp.Regexp
}{
	{"Aggregate", regexp.MustCompile(`^(?:Hash|ObjectHash|Sort)Aggregate`)},
	{"Python", regexp.MustCompile(`^(?:(?:Batch|Arrow)EvalPython|PythonMapInArrow|` +
		`(?:Map|FlatMapGroups|FlatMapCoGroups|Aggregate|Window)InPandas)`)},
	{"Top", regexp.MustCompile(`^TakeOrderedAndProject`)},
	{"Scan", regexp.MustCompile(`^BatchScan`)},
	{"Scan of a cached table", regexp.MustCompile(`^` + cachedScan)},
	{"Map", regexp.MustCompile(`^Map(?:Elements|Partitions|Groups)`)},
	{"Broadcast", regexp.MustCompile(`^BroadcastExchange`)},
	{"Write", regexp.MustCompile(`^WriteFiles`)},
	{"Limit", regexp.MustCompile(`^(?:Collect|Global)Limit`)},
}

// wordOf returns the word for an operator or a scope; "" if a title does not name it.
func wordOf(name string) string {
	first, _, _ := strings.Cut(name, " ")
	if strings.HasSuffix(first, "Join") {
		return first
	}
	for _, w := range words {
		if w.begins.MatchString(name) {
			return w.word
		}
	}
	return sameWord.FindString(name)
}

// describe returns what a stage with these scopes does, such as "SortMergeJoin + Aggregate (orders ⋈ customers)"; "" if
// that is unknown. The scopes are in the order of their RDDs.
func (p queryPlan) describe(scopes []string) string {
	var found, tables []string
	join, isExchange := 0, false
	add := func(name string) {
		if word := wordOf(name); word != "" && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	for _, scope := range scopes {
		m := generated.FindStringSubmatch(scope)
		if m == nil {
			add(scope)
			isExchange = isExchange || scope == "Exchange" || scope == "AQEShuffleRead"
			continue
		}
		for i := range p {
			o := &p[i]
			if o.codegen == 0 || o.codegen != atoi(m[1]) {
				continue
			}
			if add(o.name); isJoin(wordOf(o.name)) {
				join = o.number
			}
			if i > 0 && p[i-1].table != "" && slices.Contains(scopes, p[i-1].name) { // a scan has no generated code
				tables = append(tables, p[i-1].table)
			}
		}
	}
	if slices.ContainsFunc(found, func(w string) bool { return isJoin(w) || w == "Window" }) {
		found = slices.DeleteFunc(found, func(w string) bool { return w == "Sort" || w == "Scan" }) // they only prepare
	}
	joint := ", "
	if join > 0 {
		tables, joint = p.tables(join, 0), " ⋈ "
	}
	switch {
	case len(found) == 0 && !isExchange:
		return ""
	case len(found) == 0:
		found = []string{"Exchange"}
	}
	text := strings.Join(shortened(found), " + ")
	if tables = slices.Compact(tables); len(tables) > 0 {
		text += " (" + strings.Join(shortened(tables), joint) + ")"
	}
	return text
}

func isJoin(word string) bool { return strings.HasSuffix(word, "Join") || word == "CartesianProduct" }

func shortened(list []string) []string {
	if len(list) > mostNamed {
		return append(slices.Clone(list[:mostNamed]), "…")
	}
	return list
}

// noCallSite matches call sites of Spark itself, which do not describe the program.
var noCallSite = regexp.MustCompile(`^\S*\$anonfun|NativeMethodAccessorImpl\.java:0|FutureTask\.java`)

// titleOf returns the title of a stage, such as "Stage 12 · SortMergeJoin (orders ⋈ customers)".
func (f *facts) titleOf(s *stage) string {
	plan, text := f.planOf(s), ""
	if plan != nil || slices.ContainsFunc(s.scopes, generated.MatchString) { // else they are RDDs of the program's own
		text = plan.describe(s.scopes)
	}
	if text == "" || text == "Scan" && !noCallSite.MatchString(s.name) {
		if text = callSite(s.name); noCallSite.MatchString(text) {
			method, _, _ := strings.Cut(text, " at ")
			if strings.Contains(method, "$") {
				method = ""
			}
			text = cmp.Or(jobText(s.jobs), method)
		}
	}
	title := dag.StageTitle(s.id, dag.Clean(text))
	if utf8.RuneCountInString(title) > mostTitle {
		title = string([]rune(title)[:mostTitle-1]) + "…"
	}
	return title
}

// jobText returns the description of a job, or its group.
func jobText(jobs []*job) string {
	for _, j := range jobs {
		if text := cmp.Or(j.description, j.group); text != "" {
			return text
		}
	}
	return ""
}

// planOf returns the physical plan of the execution of SQL that a stage belongs to; nil if it is unknown.
func (f *facts) planOf(s *stage) queryPlan {
	for _, j := range s.jobs {
		if x := f.byJob[j.id]; x != nil && x.plan != nil {
			return x.plan
		}
	}
	return nil
}

// scope sets the scopes of a stage's RDDs, given by RDD.
func (s *stage) scope(of map[int]string) {
	if len(s.scopes) > 0 || len(of) == 0 {
		return
	}
	for _, rdd := range sortedKeys(of) {
		name := intern(strings.TrimSpace(dag.Clean(of[rdd])))
		if name == cachedScan { // the numbers of generated code before it are those of the plan that was cached
			s.scopes = slices.DeleteFunc(s.scopes, generated.MatchString)
		}
		if name != "" && !slices.Contains(s.scopes, name) && len(s.scopes) < mostScopes {
			s.scopes = append(s.scopes, name)
		}
	}
}

// scopes returns the scopes of a logged stage, by RDD.
func (w *stageRow) scopes() map[int]string {
	of := make(map[int]string, len(w.RDDInfo))
	for i := range w.RDDInfo {
		var scope struct{ Name string }
		if json.Unmarshal([]byte(w.RDDInfo[i].Scope), &scope) == nil {
			of[w.RDDInfo[i].RDDID.ID()] = scope.Name
		}
	}
	return of
}

// isSQL reports whether an execution of SQL submitted the job.
func (j *job) isSQL() bool {
	return slices.ContainsFunc(j.stages, func(s *stage) bool { return s.isSQL })
}

// lacksScopes reports whether the operators of a stage of SQL are unknown.
func (j *job) lacksScopes() bool {
	return slices.ContainsFunc(j.stages, func(s *stage) bool { return s.isSQL && len(s.scopes) == 0 })
}
