package spark

import (
	"regexp"
	"slices"
	"strconv"
)

// The page of a job draws its stages and their RDDs as graphs in the DOT language. A driver shows the dependencies
// between stages only there: an edge from an RDD of one stage to an RDD of another is a shuffle. The event log has
// the same edges (edges.go).

var (
	metadata = regexp.MustCompile(`<div class="stage-metadata" stage-id="(\d{1,9})"`)
	incoming = regexp.MustCompile(`<div class="incoming-edge">\s*(\d{1,9})\s*,\s*(\d{1,9})\s*</div>`)
)

// mostPage bounds the page of a job, in bytes.
const mostPage = 16 << 20

// TakePage applies the page of a job with known stages. It reports whether the page has the job's graph.
func (a *answers) TakePage(body string, jobID int) bool {
	j := a.jobs[jobID]
	if j == nil || len(body) > mostPage {
		return false
	}
	starts := metadata.FindAllStringSubmatchIndex(body, -1)
	if len(starts) == 0 || len(starts) > mostListed {
		return false
	}
	for i, at := range starts {
		end := len(body)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		id, _ := strconv.Atoi(body[at[2]:at[3]])
		s := a.stages[id]
		if s == nil || !slices.Contains(j.stages, id) {
			continue
		}
		s.parents, s.known = nil, true
		for _, m := range incoming.FindAllStringSubmatch(body[at[0]:end], -1) {
			from, _ := strconv.Atoi(m[1])
			if p := a.writer(j, from, id); p >= 0 && !slices.Contains(s.parents, p) {
				s.parents = append(s.parents, p)
			}
		}
		slices.Sort(s.parents)
	}
	return true
}

// writer returns the stage before reader with rdd as its last RDD, or else one that contains rdd; -1 if there is none.
func (a *answers) writer(j *job, rdd, reader int) int {
	found := -1
	for _, id := range j.stages {
		s := a.stages[id]
		if s == nil || id >= reader || !slices.Contains(s.rdds, rdd) {
			continue
		}
		if s.rdds[len(s.rdds)-1] == rdd {
			return id
		}
		if found < 0 {
			found = id
		}
	}
	return found
}
