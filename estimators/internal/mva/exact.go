package mva

// Bounds of an exact solution.
const (
	// with more, the probability that all are idle underflows in a float64 while it still counts
	maxServers = 512
	maxNumbers = 1 << 24 // stored numbers: 128 MiB
	maxWork    = 1 << 29 // approximate number of multiplications
	maxMulti   = 20
)

// Exact solves the network by the recursion over all populations. It costs Π (population+1) · 2^(centers of several
// servers).
//
// Centers of several servers follow M. Reiser, "Mean-value analysis and convolution method for queue-dependent
// servers in closed queueing networks" (Performance Evaluation 1, 1981): the probability of j customers there. The
// probability of an empty center comes from the throughput of the network without that center. The textbook
// recursion takes the difference of the others to 1, which has no digits near saturation.
//
// Errors are a *NetworkError or a *SizeError.
func Exact(n *Network) (*Result, error) {
	if err := check(n); err != nil {
		return nil, err
	}
	e, err := newExact(n)
	if err != nil {
		return nil, err
	}
	// Networks with fewer centers come first. Counting down, a mask comes after its supersets.
	for mask := 1<<len(e.multi) - 1; mask >= 0; mask-- {
		e.solve(mask)
	}
	residence, throughput := make([][]float64, len(n.Population)), make([]float64, len(n.Population))
	for c := range n.Population {
		residence[c], throughput[c], _ = n.settled(c)
	}
	for i, c := range e.classes {
		residence[c], throughput[c] = e.residence[i], e.x[0][(e.states-1)*len(e.classes)+i]
	}
	return n.result(residence, throughput), nil
}

// An exact is the state of the recursion, over the classes that take part.
type exact struct {
	n       *Network
	classes []int
	stride  []int // of the number of a state, for each class
	states  int
	servers []int // of each center; 0 if there is no queue
	multi   []int // centers of several servers

	x         [][]float64 // [mask of multi that are left out][state · classes + class] throughput
	queue     []float64   // [state · centers + center], of the current mask
	idle      [][]float64 // [multi][state · (servers-1) + j] probability of j customers there
	residence [][]float64 // at the last state
}

func newExact(n *Network) (*exact, error) {
	e := &exact{n: n, servers: make([]int, len(n.Centres))}
	states, total := 1.0, 0
	for c, population := range n.Population {
		if _, _, ok := n.settled(c); !ok {
			e.classes = append(e.classes, c)
			states *= float64(population) + 1
			total += population
		}
	}
	kept, largest := 0, 0
	for k := range n.Centres {
		// With a server for each customer there is no queue.
		if s := n.servers(k); s < total {
			e.servers[k] = s
			if s > 1 && n.hasDemand(k) {
				e.multi = append(e.multi, k)
				kept += s - 1
				largest = max(largest, s)
			}
		}
	}
	masks := float64(int(1) << min(len(e.multi), maxMulti))
	perState := float64(len(n.Centres)+kept) + masks*float64(len(e.classes))
	work := masks * float64(len(e.classes)) * float64(len(n.Centres)+kept)
	if len(e.multi) > maxMulti || largest > maxServers || states*perState > maxNumbers || states*work > maxWork {
		return nil, &SizeError{States: states, MultiServers: len(e.multi), Servers: largest}
	}
	e.states = int(states)
	stride := 1
	for _, c := range e.classes {
		e.stride = append(e.stride, stride)
		stride *= n.Population[c] + 1
		e.residence = append(e.residence, make([]float64, len(n.Centres)))
	}
	e.x = make([][]float64, int(masks))
	for m := range e.x {
		e.x[m] = make([]float64, e.states*len(e.classes))
	}
	e.queue = make([]float64, e.states*len(n.Centres))
	for _, k := range e.multi {
		e.idle = append(e.idle, make([]float64, e.states*(e.servers[k]-1)))
	}
	return e, nil
}

// hasDemand reports whether a class has a demand at a center.
func (n *Network) hasDemand(centre int) bool {
	for c := range n.Demand {
		if n.Demand[c][centre] > 0 {
			return true
		}
	}
	return false
}

// solve iterates over all populations of the network without the centers of the mask.
func (e *exact) solve(mask int) {
	centres := len(e.n.Centres)
	clear(e.queue)
	for _, p := range e.idle {
		clear(p)
		p[0] = 1
	}
	here := make([]int, len(e.classes))
	for state := 1; state < e.states; state++ {
		for i := range here {
			if here[i]++; here[i] <= e.n.Population[e.classes[i]] {
				break
			}
			here[i] = 0
		}
		queue := e.queue[state*centres : (state+1)*centres]
		x := e.x[mask][state*len(e.classes) : (state+1)*len(e.classes)]
		for i, c := range e.classes {
			if here[i] == 0 {
				continue
			}
			r, cycle := e.residence[i], e.n.think(c)
			for k := range r {
				r[k] = e.wait(mask, state-e.stride[i], k) * e.n.Demand[c][k]
				cycle += r[k]
			}
			x[i] = float64(here[i]) / cycle // +Inf if the class has demands only at left out centers
			for k, v := range r {
				if v > 0 {
					queue[k] += x[i] * v
				}
			}
		}
		e.likely(mask, state, x, here)
	}
}
