package rumen

import (
	"slices"

	"github.com/paratimer/paratimer/adapters/past"
)

// chain joins jobs that depend on each other into workflows. Jobs without dependencies, or with their own workflow,
// stay unchanged. links are, by job, the ids of the jobs that depend on it.
func chain(jobs []*past.Job, links [][]string) {
	at := map[string]int{}
	for i, j := range jobs {
		at[j.ID] = i
	}
	root := make([]int, len(jobs))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	after := make([]map[string][]string, len(jobs))
	for i, next := range links {
		for _, id := range next {
			k, ok := at[id]
			if !ok || k == i {
				continue
			}
			a, b := find(i), find(k)
			root[max(a, b)] = min(a, b)
			if after[i] == nil {
				after[i] = map[string][]string{}
			}
			if list := after[i][jobs[i].ID]; !slices.Contains(list, id) {
				after[i][jobs[i].ID] = append(list, id)
			}
		}
	}
	size := map[int]int{}
	for i := range jobs {
		size[find(i)]++
	}
	for i, j := range jobs {
		first := jobs[find(i)]
		if j.Settings.Workflow != "" || size[find(i)] == 1 {
			continue
		}
		s := &j.Settings
		s.Workflow, s.Node, s.Launch, s.After = "after "+first.ID, j.ID, first.ID, after[i]
	}
}
