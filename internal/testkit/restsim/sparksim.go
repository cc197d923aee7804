package restsim

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A Job is a job of Spark. All its stages but the last one run at once, and the last one reads them.
type Job struct {
	At    time.Duration // its earliest submission; it is submitted after the end of the job before it
	Tasks []int         // of each stage
	Work  time.Duration // mean of a task
	SQL   bool          // it is an execution of SQL
}

// An SparkApplication is the schedule of an application. It never changes. Its times are milliseconds since its begin.
type SparkApplication struct {
	ID        string
	Executors int // of Cores each
	Cores     int
	// Retained is how many jobs, stages and executions of SQL the driver keeps of each; 0 means 1000, as in Spark.
	Retained int

	jobs   []sparkJob
	stages []stage
	sql    []int // the job of each execution
}

type sparkJob struct {
	Job
	first    int // stage
	from, to int // its submission and its end
	sql      int // execution, -1 for none
}

type stage struct {
	job      *sparkJob
	first    int // task
	from, to int
	starts   []int32 // of its tasks, ascending
	ends     []int32
}

// The pauses of a driver, in milliseconds.
const (
	submitPause = 20 // from a job's submission to its first stages, and between stages
	launchPause = 2  // from the end of a task to the next one on its core
)

// Run schedules jobs, one after the other. A task takes 0.6 to 1.4 times the mean, and one in 100 four times as long.
func (a *SparkApplication) Run(jobs []Job) *SparkApplication {
	idle := make([]int, a.Executors*a.Cores) // when each core becomes idle, ascending
	random := rand.New(rand.NewPCG(1, 2))
	now, tasks := 0, 0
	a.jobs = make([]sparkJob, len(jobs)) // stages have pointers to them
	for i, j := range jobs {
		of := &a.jobs[i]
		*of = sparkJob{Job: j, first: len(a.stages), from: max(now+submitPause, int(j.At.Milliseconds())), sql: -1}
		if j.SQL {
			of.sql, a.sql = len(a.sql), append(a.sql, i)
		}
		now = of.from
		for k, n := range j.Tasks {
			s := stage{job: of, first: tasks, from: of.from + submitPause}
			s.starts, s.ends = make([]int32, n), make([]int32, n)
			if k > 0 && k == len(j.Tasks)-1 {
				s.from = now + submitPause
			}
			s.to, tasks = s.from, tasks+n
			for t := range n {
				start := max(idle[0]+launchPause, s.from)
				long := 0.6 + 0.8*random.Float64()
				if random.IntN(100) == 0 {
					long *= 4
				}
				end := start + int(long*float64(j.Work.Milliseconds()))
				s.starts[t], s.ends[t], s.to = int32(start), int32(end), max(s.to, end)
				at, _ := slices.BinarySearch(idle, end) // the first core moves to its new place in the order
				copy(idle, idle[1:at])
				idle[at-1] = end
			}
			a.stages, now = append(a.stages, s), max(now, s.to)
		}
		of.to = now
	}
	return a
}

// Ends returns when the last job ends.
func (a *SparkApplication) Ends() time.Duration {
	return time.Duration(a.jobs[len(a.jobs)-1].to) * time.Millisecond
}

// Widest returns when half of the widest stage has run.
func (a *SparkApplication) Widest() time.Duration {
	widest := &a.stages[0]
	for i := range a.stages {
		if s := &a.stages[i]; len(s.ends) > len(widest.ends) {
			widest = s
		}
	}
	return time.Duration(widest.from+widest.to) / 2 * time.Millisecond
}

// SparkLarge is an application of SQL and RDDs with 100,000 tasks in 3,000 stages on 400 cores, and a stage of 20,000
// tasks in its middle. It takes about an hour.
func SparkLarge() *SparkApplication {
	a := &SparkApplication{ID: "app-20261128000000-0001", Executors: 50, Cores: 8, Retained: 10_000}
	jobs := make([]Job, 1000)
	for i := range jobs {
		jobs[i] = Job{Tasks: []int{48, 24, 8}, Work: 600 * time.Millisecond, SQL: i%2 == 0}
	}
	jobs[500] = Job{Tasks: []int{20_000, 72, 8}, Work: 20 * time.Second}
	return a.Run(jobs)
}

// SparkStream is structured streaming: a batch every second, each an execution of SQL with a job of 16 tasks.
func SparkStream(batches int) *SparkApplication {
	a := &SparkApplication{ID: "app-20261128000000-0002", Executors: 2, Cores: 4}
	jobs := make([]Job, batches)
	for i := range jobs {
		jobs[i] = Job{At: time.Duration(i) * time.Second, Tasks: []int{8, 8}, Work: 150 * time.Millisecond, SQL: true}
	}
	return a.Run(jobs)
}

// SparkNotebook is a session of people who think between two executions of SQL.
func SparkNotebook(executions int) *SparkApplication {
	a := &SparkApplication{ID: "app-20261128000000-0003", Executors: 4, Cores: 4}
	jobs := make([]Job, executions)
	for i := range jobs {
		jobs[i] = Job{At: time.Duration(i) * 20 * time.Second, Tasks: []int{100, 40, 10}, Work: time.Second, SQL: true}
	}
	return a.Run(jobs)
}

// Medium is an application in which 500 tasks run for an hour.
func Medium(id string) *SparkApplication {
	a := &SparkApplication{ID: id, Executors: 125, Cores: 4}
	return a.Run([]Job{
		{Tasks: []int{400, 100, 200}, Work: 20 * time.Second, SQL: true},
		{Tasks: []int{20_000, 10_000, 2000}, Work: time.Minute, SQL: true},
	})
}
