package spark

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// The text of an execution's plan contains stages that are not submitted yet. Each exchange ends a stage, and the
// root ends the last one. Adaptive execution submits a stage as a query stage once its input exists, and then plans
// the rest again. The text has the current plan, followed by the initial one.

// An exchange ends a stage of a plan.
type exchange struct {
	name      string // the operators of the stage
	id        int    // plan id of the node, higher for later submissions; -1 unknown
	submitted bool   // as a query stage
	done      bool   // its statistics are known
	broadcast bool   // it sends all data to each executor
	ranged    bool   // it sorts: a sampling job runs first
	parts     int    // the number of partitions that it writes at most; 0 unknown
	reads     []int  // indices of the exchanges that its stage reads; all are smaller
}

// A sqlPlan is the parsed text of a plan. Its last exchange stands for the root.
type sqlPlan struct {
	exchanges []exchange
	adaptive  bool
	more      bool // there are subqueries, whose stages are not included
}

// tasks returns how many tasks the stage of an exchange has at most. It is 0, unknown, if the stage reads no
// exchange.
func (p *sqlPlan) tasks(i int) int {
	n := 0
	for _, k := range p.exchanges[i].reads {
		if e := &p.exchanges[k]; !e.broadcast {
			n = max(n, e.parts)
		}
	}
	return n
}

// jobs returns how many jobs submit the stage of an exchange: two for a sort, because one samples the input first.
func (e *exchange) jobs() int {
	if e.ranged {
		return 2
	}
	return 1
}

// Bounds of a plan's text.
const (
	mostPlanText  = 4 << 20
	mostPlanNodes = 5000
)

// A planNode is a line of the plan's tree.
type planNode struct {
	op    string // such as Exchange
	text  string // the whole line
	depth int
	kids  []int
}

var (
	planLine   = regexp.MustCompile(`^([ :+-]*)(?:\*(?:\(\d+\))? ?)?([A-Za-z]+)`)
	planNumber = regexp.MustCompile(`\((\d{1,6})\)`)
	planDetail = regexp.MustCompile(`(?m)^(?:\((\d{1,6})\) |Arguments: (.*))`)
	planParts  = regexp.MustCompile(`artitioning\((?:.*, *)?(\d{1,9})\)`)
	planID     = regexp.MustCompile(`\[(?:plan_id=|id=#)(\d{1,9})\]`)
)

// parsePlan parses the text of a plan. It returns nil if the text is not a plan, or is too large.
func parsePlan(text string) *sqlPlan {
	if text == "" || len(text) > mostPlanText {
		return nil
	}
	head, details, _ := strings.Cut(text, "\n\n")
	r := planReader{plan: &sqlPlan{more: strings.Contains(details, "== Subqueries ==")}, args: arguments(details)}
	if !r.tree(head) {
		return nil
	}
	last := exchange{id: -1}
	r.stage(0, &last)
	last.add(r.nodes[0].op)
	r.plan.exchanges = append(r.plan.exchanges, last)
	return r.plan
}

type planReader struct {
	plan  *sqlPlan
	nodes []planNode
	args  map[string]string // by number of the operator
}

// arguments returns the arguments of a plan's operators by operator number. The text lists them below the tree.
func arguments(details string) map[string]string {
	out := map[string]string{}
	number := ""
	for _, m := range planDetail.FindAllStringSubmatch(details, -1) {
		if m[1] != "" {
			number = m[1]
		} else if number != "" {
			out[number] = m[2]
		}
	}
	return out
}

// tree reads the lines of the tree without the initial plan. It reports whether there are any.
func (r *planReader) tree(head string) bool {
	var stack []int
	skip := -1 // the depth of an initial plan, which ends at the next line that is less deep
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, "\r\n")
		depth := len(line) - len(strings.TrimLeft(line, " :+-"))
		if skip >= 0 && depth >= skip {
			continue
		}
		if skip = -1; strings.HasPrefix(line[depth:], "==") {
			if strings.Contains(line, "Initial Plan") {
				skip = depth
			}
			continue
		}
		m := planLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if len(r.nodes) >= mostPlanNodes {
			return false
		}
		for len(stack) > 0 && r.nodes[stack[len(stack)-1]].depth >= depth {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			parent := &r.nodes[stack[len(stack)-1]]
			parent.kids = append(parent.kids, len(r.nodes))
		} else if len(r.nodes) > 0 {
			return false // two roots are not a tree
		}
		stack = append(stack, len(r.nodes))
		r.plan.adaptive = r.plan.adaptive || m[2] == "AdaptiveSparkPlan"
		r.nodes = append(r.nodes, planNode{op: m[2], text: line, depth: depth})
	}
	return len(r.nodes) > 0
}

// stage collects the operators below a node that belong to the stage of an exchange, and the exchanges that the stage
// reads.
func (r *planReader) stage(at int, of *exchange) {
	for _, kid := range r.nodes[at].kids {
		n := &r.nodes[kid]
		switch {
		case n.op == "ResultQueryStage":
			r.stage(kid, of)
		case strings.HasSuffix(n.op, "QueryStage"):
			for _, below := range n.kids {
				r.exchange(below, of, true, strings.Contains(n.text, "Statistics("))
			}
		case strings.HasSuffix(n.op, "Exchange"):
			r.exchange(kid, of, false, false)
		case n.op == "Subquery" || n.op == "SubqueryBroadcast":
			r.plan.more = true
		default:
			r.stage(kid, of)
			of.add(n.op)
		}
	}
}

// exchange adds a node if it is an exchange. A reused exchange has no stage of its own.
func (r *planReader) exchange(at int, of *exchange, submitted, done bool) {
	n := &r.nodes[at]
	if !strings.HasSuffix(n.op, "Exchange") || strings.HasPrefix(n.op, "Reused") {
		return
	}
	e := exchange{id: -1, submitted: submitted, done: done, broadcast: strings.Contains(n.op, "Broadcast")}
	r.stage(at, &e)
	args := n.text
	if m := planNumber.FindStringSubmatch(n.text); m != nil {
		args = cmp.Or(r.args[m[1]], args)
	}
	e.parts, e.ranged = partitions(args)
	if m := planID.FindStringSubmatch(args); m != nil {
		e.id, _ = strconv.Atoi(m[1])
	}
	of.reads = append(of.reads, len(r.plan.exchanges))
	r.plan.exchanges = append(r.plan.exchanges, e)
}

// partitions returns how many partitions an exchange writes, 0 if unknown, and whether it splits them by sort
// ranges. The number is the last argument of the partitioning.
func partitions(args string) (n int, ranged bool) {
	ranged = strings.Contains(args, "rangepartitioning(")
	if strings.Contains(args, "SinglePartition") {
		return 1, ranged
	}
	if m := planParts.FindStringSubmatch(args); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	return min(n, mostTasks), ranged
}

// plainOps are operators that describe little of a stage's work.
var plainOps = map[string]bool{
	"Project": true, "Filter": true, "AQEShuffleRead": true, "CustomShuffleReader": true, "WholeStageCodegen": true,
	"InputAdapter": true, "AdaptiveSparkPlan": true, "Execute": true, "WriteFiles": true, "ColumnarToRow": true,
}

// add appends an operator to the name of a stage, from first to last, without plainOps.
func (e *exchange) add(op string) {
	const most = 3
	ops := strings.Fields(e.name)
	if !plainOps[op] && len(ops) < most && !strings.HasSuffix(" "+e.name, " "+op) {
		e.name = strings.Join(append(ops, op), " ")
	}
}
