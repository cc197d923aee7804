package settings

import "time"

// Subjects of the settings of `paratimer plan` that are for one of its two answers.
const (
	EstimateSubject   = "Estimate"
	SimulationSubject = "Simulated run"
)

var counts []int

// pastTable has the settings of commands about past runs.
var pastTable = []subject{
	{"", "report, skew", []Setting{
		choice("output", "write `FORMAT`", "html", "json"),
		flagged("out", "", "write to `FILE`, - for stdout (default: the run's name with .html; JSON and --skew: stdout)").short("o"),
		flagged("skew", false, "print only the tasks and keys that delay a query, also of a plan, as text or JSON"),
		flagged("at", "", "with --skew, show the state of a recording at `TIME` (90s) or at a part of the run (0.5, 50%)"),
		flagged("live", false, "serve the report as a page that follows the run; a recording is played"),
		flagged("listen", "0", "with --live, serve at `ADDRESS`; a port alone, such as 9189, is local, 0 is a free one"),
		flagged("speed", 1.0, "with --live, play a recording `N` times as fast; 0: without waiting"),
	}},
	{"", "compare", []Setting{
		flagged("base", 0, "compare the last run with run `N`, counted from 1 by start (default: the newest success before it)"),
		flagged("fail-on-regression", false, "exit with 1 if a job takes longer for its records than chance allows"),
		choice("output", "write `FORMAT`", "text", "json", "html"),
		flagged("out", "", "write to `FILE`, - for stdout").short("o"),
	}},
	{"", "score", []Setting{
		flagged("all", false, "print every estimator, not four (JSON has all)"),
		flagged("from", untimed, "count only observations from `TIME` of the run on"),
	}},
	{"", "history forget", []Setting{
		flagged("run", "", "forget only the run with this `ID`"),
		flagged("all", false, "forget all workflows"),
	}},
	{"", "history add, import", []Setting{
		flagged("out", "", "remember nothing, but write a recording of each run into `FOLDER`; it is created if missing").short("o"),
		flagged("user", "", "ask HDFS as `NAME` (default: HADOOP_USER_NAME)"),
	}},
	{"", "history profile, learn", []Setting{
		flagged("out", "", "write the profile to `FILE` (default: stdout)").short("o"),
		flagged("before", "", "the profile that the run with this `ID` had, from the runs before it"),
		flagged("demands", false, "learn the tasks' demands for CPU, disk and network instead: a job file for `paratimer model`"),
		flagged("disk-rate", "100MB/s", "demands: a node's disk moves `RATE`"),
		flagged("network-rate", "1Gbit/s", "demands: the network moves `RATE`"),
		flagged("waiting", false, "demands: count unexplained task time as CPU, with a CPU for each task"),
	}},
}

// planTable has the settings of commands that need no run.
var planTable = []subject{
	{"", "demo, plan, simulate, model", []Setting{
		flagged("seed", uint64(0), "random seed `N`"),
	}},
	{"", "plan", []Setting{
		choice("output", "write `FORMAT`", "text", "json", "ndjson"),
		flagged("simulate", false, "watch a simulated run, with noise, slow nodes, failures and skew"),
	}},
	{EstimateSubject, "plan", []Setting{
		flagged("delta1", untimed, "tasks of a round start and end within `TIME` of each other (default: from the tasks)").key(),
		flagged("delta2", untimed, "a round follows another within `TIME` (default: from the tasks)").key(),
		flagged("gantt", "", "draw the schedule to `FILE`, as SVG"),
	}},
	{SimulationSubject, "plan, simulate", []Setting{
		flagged("every", 5*time.Second, "observe every `TIME` of the run"),
		choice("know", "what the watcher knows of the plan", "all", "profile", "nothing"),
		flagged("noise", 0.0, "noise: sigma of the lognormal factor on each task's work, such as 0.02"),
		flagged("stall", untimed, "each map pauses for `TIME` before its end, as a combine does"),
		flagged("slow", texts, "slow node `NODE=FACTOR`: its tasks take that many times as long; repeatable"),
		flagged("fail", texts, "task `JOB:m3@195s` fails: the map (r: reduce) with this index, from 0, at this time; repeatable"),
		flagged("fail-rate", 0.0, "failures per hour of a running task"),
		flagged("lose", texts, "lose a node: `NODE@TIME`; repeatable"),
		flagged("skew", 0.0, "Zipf exponent of the sizes of reduces"),
		choice("groups", "who measures the key groups of a plan that has some", "tap", "complete", "none"),
		flagged("lambda", 2000, "number of keys of a map that a tap reports").key(),
		flagged("shuffle", false, "start reduces in random order"),
	}},
	{"", "whatif", []Setting{
		flagged("slots", texts, "run with `N` slots (64, +2, 2x, inf), of one kind after map= or reduce=; repeatable"),
		flagged("scale", texts, "read `N` times the input; repeatable"),
		flagged("fail", texts, "let `WHAT` fail at the worst moment: task, node, a job, or a task of it (JOB:m3, JOB:STAGE:3); repeatable"),
		choice("skew", "none: spread the work of each job's reduces evenly", "as-is", "none"),
		choice("policy", "ideal: a slot for every task, no start-ups and no pauses", "as-is", "ideal"),
		flagged("slowstart", "", "start reduces when this `RATIO` of the maps is done (YARN)"),
		flagged("pace", texts, "let records take `R` times as long, in one job after JOB=; repeatable"),
		flagged("at", "", "start in a recording at `TIME` (90s) or at a part of the run (0.5, 50%) (default: the whole run)"),
	}},
	{"", "ernest design, ernest run", []Setting{
		flagged("min-parts", 0, "a training run takes at least `N` parts of the input"),
		flagged("max-parts", 0, "a training run takes at most `N` parts of the input"),
		flagged("total-parts", 0, "the whole input has `N` parts"),
		flagged("min-mcs", 0, "a training run takes at least `N` machines"),
		flagged("max-mcs", 0, "a training run takes at most `N` machines"),
		flagged("cores-per-mc", 2, "a machine has `N` cores; a run has at least as many parts as cores"),
		flagged("budget", 10.0, "all training runs together cost at most `N` runs of the smallest input on one machine"),
		flagged("num-parts-interpolate", 20, "consider `N` sizes of input between the least and the most parts"),
	}},
	{"", "ernest run", []Setting{
		flagged("command", "", "run this `SHELL COMMAND` for each row, with its {fraction} or {parts}, {machines} or {cores}"),
		flagged("out", "", "write the times to `FILE`, a table that fit reads; runs in it are not repeated").short("o"),
		flagged("design", "", "take the runs from `FILE`, the JSON of `paratimer ernest design` (default: design them with its flags)"),
		flagged("repeat", 1, "make each run `N` times"),
		flagged("at-once", 1, "make `N` runs at once, on separate machines: runs that share some are slower"),
		flagged("timeout", untimed, "kill a run after `TIME`; it has failed"),
		flagged("log", "", "append the commands' output to `FILE` (default: their last words, if they fail)"),
		flagged("dry-run", false, "print the commands, and run nothing"),
	}},
	{"", "ernest run, ernest fit, ernest predict", []Setting{
		flagged("at", newTuples, "predict a run of `MACHINES,SCALE` (MACHINES alone: scale 1), of an iterative job MACHINES,SCALE,ITERATIONS; may be repeated"),
	}},
	{"", "ernest run, ernest fit, ernest predict, ernest choose", []Setting{
		flagged("force", false, "show refused numbers"),
		flagged("terms", texts, "fit these `TERMS` instead of 1, scale/machines, machines, log(machines)"),
		flagged("try", texts, "try `TERMS` as well (all, none, or names), and keep those that lower the error of left-out runs"),
		flagged("refuse-above", "20%", "refuse predictions that are probably off by more than `SHARE`, such as 20% or 0.2"),
	}},
	{"", "ernest fit, ernest predict, ernest choose", []Setting{
		flagged("machines", "machines", "the number of machines, cores or containers is in `COLUMN`, a name or a number from 1"),
		flagged("scale", "scale", "the input, as a fraction or in any unit, is in `COLUMN` (without a column scale: the whole input)"),
		flagged("seconds", "seconds", "the time of a run is in `COLUMN`"),
		flagged("unit", "", "times are in `UNIT`: s, ms, min, h (default: s)"),
		flagged("iterations", "", "iterative jobs: the number of iterations is in `COLUMN`"),
	}},
	{"", "ernest fit, ernest predict", []Setting{
		flagged("ran", newTuples, "a run of `MACHINES,SCALE,SECONDS`, of an iterative job MACHINES,SCALE,ITERATIONS,SECONDS, was made: say whether the model still holds; may be repeated, oldest first"),
	}},
	{"", "ernest choose", []Setting{
		flagged("offer", newLines, "machines of a type are `name=NAME,csv=FILE,price=P,min=N,max=N`: FILE is a table of runs on them, P is for a machine and hour; also step=N, billing=moment|second|hour; repeatable"),
		flagged("at", newTuples, "run of `SCALE` (default: 1 if scales are fractions), of an iterative job SCALE,ITERATIONS"),
		flagged("deadline", untimed, "take at most `TIME`, such as 20m"),
		flagged("budget", 0.0, "cost at most `N`, in the offers' currency"),
		choice("goal", "of what meets these, take what is", "cheapest", "fastest"),
	}},
	{"", "model", []Setting{
		choice("model", "what answers", "product", "vianna-fj", "tripathi", "vianna-table4", "simulate"),
		flagged("all", false, "show every model beside the simulation"),
		flagged("only", texts, "model only the job `NAME` of the file; repeatable"),
		flagged("job", "", "`NAME` of the job of --maps, --reduces and --copies, if the file has several"),
		flagged("runs", 400, "simulate `N` times"),
		flagged("cycles", 0, "submit each job again `N` times when it ends, as the models assume (default: with --all and several jobs 4; else once)"),
		flagged("epsilon", 1e-09, "models: iterate until task times change by less than `SECONDS` (the paper: 1e-4)").key(),
		choice("distribution", "how tasks of a class vary in the simulation", "exponential", "deterministic").key(),
		flagged("nodes", counts, "instead of the file's: `N` nodes; several, as in 2,4,8, make a table"),
		flagged("cpus", counts, "instead of the file's: `N` CPUs a node; several, as in 2,4,8, make a table"),
		flagged("disks", counts, "instead of the file's: `N` disks a node; several, as in 2,4,8, make a table"),
		flagged("map-slots", counts, "instead of the file's: `N` maps at once on a node; several, as in 2,4,8, make a table"),
		flagged("reduce-slots", counts, "instead of the file's: `N` reduces at once on a node; several, as in 2,4,8, make a table"),
		flagged("shuffle-threads", counts, "instead of the file's: `N` map outputs at once for a reduce; several, as in 2,4,8, make a table"),
		flagged("copies", counts, "instead of the file's: `N` such jobs at once; several, as in 2,4,8, make a table"),
		flagged("maps", counts, "instead of the file's: `N` maps as large as the file's: reduces merge as much more; several, as in 2,4,8, make a table"),
		flagged("reduces", counts, "instead of the file's: deal the same data to `N` reduces; several, as in 2,4,8, make a table"),
	}},
}
