package queueing

import "math"

// A finder sums the load that a task meets at its centres from the tasks beside it.
type finder struct {
	servers [4]int // of each kind of centre
	task    vector // its demand
	own     vector // share of its time at each centre
	seen    vector
	tasks   float64 // number of tasks beside it on the node
}

// find adds n tasks of one class on the same node.
func (f *finder) find(n float64, stay, demand vector) {
	rest := stay.sum()
	for k := range stay {
		rest -= f.kept(CentreKind(k), demand)
	}
	if n <= 0 || rest <= 0 {
		return
	}
	f.tasks += n
	for k := range stay {
		f.seen[k] += n * math.Max(0, stay[k]-f.kept(CentreKind(k), demand)) / rest
	}
}

// findApart adds n tasks on other nodes. The task meets them only in the network.
func (f *finder) findApart(n float64, stay, demand vector) {
	kept := f.kept(Network, demand)
	if rest := stay.sum() - kept; n > 0 && rest > 0 {
		f.seen[Network] += n * math.Max(0, stay[Network]-kept) / rest
	}
}

// kept returns how long the task delays another task with that demand at a centre. At several servers there is no
// delay.
func (f *finder) kept(k CentreKind, demand vector) float64 {
	if f.servers[k] > 1 {
		return 0
	}
	return demand[k] * f.own[k]
}

// residence returns the residence of the task with the load found so far.
func (f *finder) residence() (stay vector) {
	for k := range stay {
		stay[k] = f.task[k] * slowdown(f.seen[k], f.tasks, f.servers[k])
	}
	return stay
}

// slowdown returns the factor by which a task's residence at a node's CPUs or disks grows. On average seen of the
// tasks beside it are there, each independently of the others. With a single server the factor is 1 + seen, as in
// equation 6.
func slowdown(seen, tasks float64, servers int) float64 {
	if servers == 1 {
		return 1 + seen
	}
	n := math.Ceil(tasks - 1e-9)
	if seen <= 0 || n < float64(servers) {
		return 1
	}
	chance := math.Min(1, seen/n)
	first := math.Pow(1-chance, n)
	if n > 200 || first == 0 {
		return crowd(seen, math.Sqrt(seen*(1-chance)), float64(servers))
	}
	// The mean E[max(1, (1+K)/c)] for c servers and a binomial K.
	mean, p := 0.0, first
	for k := 0.0; k <= n; k++ {
		mean += p * math.Max(1, (1+k)/float64(servers))
		p *= (n - k) / (k + 1) * chance / (1 - chance)
	}
	return mean
}

// crowd returns the same mean for a normal K.
func crowd(mean, deviation, servers float64) float64 {
	if deviation == 0 {
		return math.Max(1, (1+mean)/servers)
	}
	z := (mean + 1 - servers) / deviation
	above := deviation * (z*0.5*math.Erfc(-z/math.Sqrt2) + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
	return 1 + above/servers
}
