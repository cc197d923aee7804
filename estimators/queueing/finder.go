package queueing

import "math"

// A finder adds up what a task finds at its centres of the tasks beside it.
type finder struct {
	servers [4]int // of each kind of centre
	task    vector // its demand
	own     vector // the part of its time that it is at each centre
	seen    vector
	tasks   float64 // beside it on the node
}

// find adds so many tasks of one class on the same node.
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

// findApart adds so many tasks on other nodes: they are met in the network alone.
func (f *finder) findApart(n float64, stay, demand vector) {
	kept := f.kept(Network, demand)
	if rest := stay.sum() - kept; n > 0 && rest > 0 {
		f.seen[Network] += n * math.Max(0, stay[Network]-kept) / rest
	}
}

// kept is how long the task keeps one that asks so much at a centre. Of several servers it keeps nobody.
func (f *finder) kept(k CentreKind, demand vector) float64 {
	if f.servers[k] > 1 {
		return 0
	}
	return demand[k] * f.own[k]
}

// residence is the task's, with what was found.
func (f *finder) residence() (stay vector) {
	for k := range stay {
		stay[k] = f.task[k] * slowdown(f.seen[k], f.tasks, f.servers[k])
	}
	return stay
}

// slowdown of a task at a node's CPUs or disks, of which it uses one, while so many of the other tasks on the node want
// one in the mean. Each of the others wants one by chance, independently; with a single server it is 1 + seen, as
// equation 6 has it.
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
	// E[max(1, (1+K)/c)] of c servers for a binomial K.
	mean, p := 0.0, first
	for k := 0.0; k <= n; k++ {
		mean += p * math.Max(1, (1+k)/float64(servers))
		p *= (n - k) / (k + 1) * chance / (1 - chance)
	}
	return mean
}

// crowd is the same for a normal K.
func crowd(mean, deviation, servers float64) float64 {
	if deviation == 0 {
		return math.Max(1, (1+mean)/servers)
	}
	z := (mean + 1 - servers) / deviation
	above := deviation * (z*0.5*math.Erfc(-z/math.Sqrt2) + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
	return 1 + above/servers
}
