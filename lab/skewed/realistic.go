package skewed

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// A graph is a source of realistic group sizes.
type graph struct {
	name    string
	degrees []float64
}

// histograms is the suffix of the names of graph files.
const histograms = ".degcount.txt"

// graphs reads the degree histograms of a folder; none if the folder does not exist.
func graphs(folder string) ([]graph, error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var all []graph
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), histograms)
		if !ok {
			continue
		}
		g, err := read(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, graph{name, g})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no file *%s", folder, histograms)
	}
	return all, nil
}

func read(file string) ([]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return phase.Degrees(f)
}

// realisticTitle is the title of a section that needs graphs.
const realisticTitle = "Realistic group sizes (Table 3)"

// realistic is the number of tasks of a phase with group sizes from a graph.
const realistic = 8

// realisticExperiment runs Table 3's kinds of cost on the degrees of graphs.
func realisticExperiment(graphs []graph) experiment {
	e := experiment{title: realisticTitle}
	kinds := phase.Kinds()
	for _, g := range graphs {
		for _, k := range kinds {
			e.rows = append(e.rows, row{func(seed uint64) *phase.Run {
				values, costs := k.Make(rand.New(rand.NewPCG(seed, 3)), g.degrees)
				return phase.Play(phase.Make(spec(values, costs, realistic, seed)), realistic)
			}, onGraphs})
		}
	}
	e.write = func(p printer, r []result) error {
		p("Groups have the sizes that the nodes of real graphs have (SNAP), with a value for each edge, on %d reduce tasks:", realistic)
		p("")
		for _, k := range kinds {
			p("* *%s*: %s", k.Name, k.Means)
		}
		p("")
		methods := []string{theory, stream, onefit, ours, exact, foreknown, byJob, byTask, hadoop}
		head(p, []string{"graph", "cost"}, methods)
		for i, g := range graphs {
			for j, k := range kinds {
				p("%s", line(append([]string{g.name, k.Name}, r[i*len(kinds)+j].cells(methods)...)...))
			}
		}
		p("")
		p("%s", realisticWords)
		return nil
	}
	return e
}

// exact is a method with only groups of the same size as neighbours.
const exact = "ours, δ = 0"

func onGraphs(run *phase.Run) []*watcher {
	p := deviating()
	p.DeltaBytes = 0
	return append(all(run), newWatcher(paper(run.Work), p, run.Seen, nearest(exact)))
}
