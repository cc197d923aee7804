package planfile

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// The structs of a file, with the fields of plan.schema.json. Zero fields are left out.
type (
	file struct {
		Version   int        `plan:"version"`
		Name      string     `plan:"name"`
		Cluster   cluster    `plan:"cluster"`
		Engine    string     `plan:"engine"`
		Driver    string     `plan:"driver"`
		Overheads overheads  `plan:"overheads"`
		Jobs      []job      `plan:"jobs"`
		Residuals []residual `plan:"residuals"`
		// InputSizes are the records of a mean map, by run.
		InputSizes []float64 `plan:"input_sizes"`
	}
	residual struct {
		Run      string  `plan:"run"`
		Progress float64 `plan:"progress"`
		Score    float64 `plan:"score"`
	}
	cluster struct {
		Policy       policy        `plan:"policy"`
		MapSlots     int           `plan:"map_slots"`
		ReduceSlots  int           `plan:"reduce_slots"`
		SlotsPerNode int           `plan:"slots_per_node"`
		Setup        time.Duration `plan:"setup"`
		Memory       *memory       `plan:"memory"`
		QueueMemory  memory        `plan:"queue_memory"`
		Cores        *int          `plan:"cores"`
		Nodes        []machine     `plan:"nodes"`
		Pools        []pool        `plan:"pools"`
		FailRate     float64       `plan:"fail_rate"`
	}
	// policy is a name, or a scheduler given as data.
	policy struct {
		name  string
		Slots string   `plan:"slots"`
		Order []string `plan:"order"`
	}
	machine struct {
		Name   string  `plan:"name"`
		Memory memory  `plan:"memory"`
		Cores  int     `plan:"cores"`
		Slow   float64 `plan:"slow"`
	}
	// pool is a pool of a FAIR scheduler. The default of Weight is 1, that of Mode fifo.
	pool struct {
		Name     string `plan:"name"`
		Weight   *int   `plan:"weight"`
		MinShare int    `plan:"min_share"`
		Mode     string `plan:"mode"`
	}
	overheads struct {
		Launch   time.Duration `plan:"launch"`
		AMStart  time.Duration `plan:"am_start"`
		Boot     time.Duration `plan:"boot"`
		Beat     time.Duration `plan:"beat"`
		Finish   time.Duration `plan:"finish"`
		Wave     time.Duration `plan:"wave"`
		Stagger  time.Duration `plan:"stagger"`
		Handoff  time.Duration `plan:"handoff"`
		Idle     time.Duration `plan:"idle"`
		AMHold   time.Duration `plan:"am_hold"`
		Report   time.Duration `plan:"report"`
		Abandon  time.Duration `plan:"abandon"`
		Copy     time.Duration `plan:"copy"`
		SetupMin time.Duration `plan:"setup_min"`
		SetupPer time.Duration `plan:"setup_per"`
		Cold     time.Duration `plan:"cold"`
	}
	job struct {
		Name    string   `plan:"name"`
		Title   string   `plan:"title"`
		Feature string   `plan:"feature"`
		Alias   string   `plan:"alias"`
		After   []string `plan:"after"`
		Input   []string `plan:"input"`
		// InputBytes is the size of the inputs by the file system.
		InputBytes float64 `plan:"input_bytes"`
		Limits     limits  `plan:"limits"`
		// Priority only matters if the order of the cluster's policy contains it.
		Priority int         `plan:"priority"`
		Rules    string      `plan:"rules"`
		Map      *mapTasks   `plan:"map"`
		Reduce   *reduceTask `plan:"reduce"`
		Stages   []stage     `plan:"stages"`
	}
	// stage is a stage of a job that is not of MapReduce. Edge is one word for all its inputs, or one for each.
	stage struct {
		Name       string   `plan:"name"`
		After      []string `plan:"after"`
		Edge       []string `plan:"edge"`
		SlowStart  *float64 `plan:"slow_start"`
		FullStart  float64  `plan:"full_start"`
		Tasks      *tasks   `plan:"tasks"`
		Records    numbers  `plan:"records"`
		Cost       times    `plan:"cost"`
		Memory     memory   `plan:"memory"`
		Cores      int      `plan:"cores"`
		MaxRunning int      `plan:"max_running"`
		Pool       string   `plan:"pool"`
		Setup      times    `plan:"setup"`
		Out        numbers  `plan:"out"`
		Bytes      numbers  `plan:"bytes"`
		Extent     times    `plan:"extent"`
		// Pause is the driver's pause before the stage.
		Pause time.Duration `plan:"pause"`
	}
	limits struct {
		AMMemory     memory   `plan:"am_memory"`
		MapMemory    memory   `plan:"map_memory"`
		ReduceMemory memory   `plan:"reduce_memory"`
		SlowStart    *float64 `plan:"slow_start"`
		RampUp       *float64 `plan:"ramp_up"`
		MaxMaps      int      `plan:"max_maps"`
		MaxReduces   int      `plan:"max_reduces"`
	}
	mapTasks struct {
		Tasks   *tasks  `plan:"tasks"`
		Records numbers `plan:"records"`
		Cost    times   `plan:"cost"`
		Setup   times   `plan:"setup"`
		Out     numbers `plan:"out"`
		Bytes   numbers `plan:"bytes"`
		Extent  times   `plan:"extent"`
	}
	reduceTask struct {
		Tasks   *tasks    `plan:"tasks"`
		Records numbers   `plan:"records"`
		Cost    times     `plan:"cost"`
		Copy    *pipeline `plan:"copy"`
		Sort    *pipeline `plan:"sort"`
		Reduce  *pipeline `plan:"reduce"`
		Setup   times     `plan:"setup"`
		Out     numbers   `plan:"out"`
		Bytes   numbers   `plan:"bytes"`
		Extent  times     `plan:"extent"`
		Groups  *groups   `plan:"groups"`
		Keys    *keys     `plan:"keys"`
	}
	groups struct {
		Origin string       `plan:"origin"`
		Maps   int          `plan:"maps"`
		Note   string       `plan:"note"`
		Tasks  []taskGroups `plan:"tasks"`
	}
	taskGroups struct {
		Bytes *float64 `plan:"bytes"`
		Rest  *float64 `plan:"rest"`
		Sizes sizes    `plan:"sizes"`
		Top   []topKey `plan:"top"`
		Done  points   `plan:"done"`
	}
	topKey struct {
		Key   string  `plan:"key"`
		Bytes float64 `plan:"bytes"`
	}
	// keys describes the drawing of groups. Write writes the drawn groups instead.
	keys struct {
		Values     float64 `plan:"values"`
		Distinct   int     `plan:"distinct"`
		Zipf       float64 `plan:"zipf"`
		ValueBytes float64 `plan:"value_bytes"`
		Cost       keyCost `plan:"cost"`
		Seed       int     `plan:"seed"`
	}
	keyCost struct {
		Fixed length   `plan:"fixed"`
		Per   length   `plan:"per"`
		Power *float64 `plan:"power"`
	}
	pipeline struct {
		Records numbers `plan:"records"`
		Cost    times   `plan:"cost"`
	}

	memory  int     // MB
	length  float64 // milliseconds
	sizes   []dag.GroupSize
	points  []dag.GroupPoint
	numbers struct{ dag.Series } // of tuples or bytes
	times   struct{ dag.Series } // of milliseconds
	tasks   struct {
		n     int
		known bool
	}
)
