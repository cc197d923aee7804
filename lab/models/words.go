package models

import _ "embed"

// Texts beside the tables. They contain no numbers, which would become outdated: numbers are in the tables.
var (
	//go:embed words/intro.md
	introWords string
	//go:embed words/coefficients.md
	coefficientsWords string
	//go:embed words/designs.md
	designsWords string
	//go:embed words/greedy.md
	greedyWords string
	//go:embed words/overhead.md
	overheadWords string
	//go:embed words/table4.md
	table4Words string
	//go:embed words/independent.md
	independentWords string
	//go:embed words/chance.md
	chanceWords string
	//go:embed words/figures.md
	figuresWords string
	//go:embed words/grids.md
	gridsWords string
	//go:embed words/outside.md
	outsideWords string
	//go:embed words/live.md
	liveWords string
)
