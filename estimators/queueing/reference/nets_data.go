package reference

import "github.com/paratimer/paratimer/estimators/internal/mva"

// nets are closed networks with residences by class and centre and throughputs by class. octave-queueing 1.2.7 and an
// independent program agree on these values (docs/facts/queueing.md b).
var nets = []net{
	{
		name: "N1: one class at three centres, N = 5",
		network: mva.Network{
			Centres:    []mva.Centre{{}, {}, {}},
			Population: []int{5},
			Demand:     [][]float64{{0.5, 0.2, 0.1}},
			Think:      []float64{0},
		},
		exact: &figures{
			residence:  [][]float64{{2.08079625293, 0.319906323185, 0.123887587822}},
			throughput: []float64{1.98051948052},
		},
		approximate: &figures{
			residence:  [][]float64{{2.18574567655, 0.289225502386, 0.118238113498}},
			throughput: []float64{1.9281127885},
		},
	},
	{
		name: "N1z: the same, thinking 2 s",
		network: mva.Network{
			Centres:    []mva.Centre{{}, {}, {}},
			Population: []int{5},
			Demand:     [][]float64{{0.5, 0.2, 0.1}},
			Think:      []float64{2},
		},
		exact: &figures{
			residence:  [][]float64{{1.02881071858, 0.261274395969, 0.113810163262}},
			throughput: []float64{1.46890535458},
		},
		approximate: &figures{
			residence:  [][]float64{{1.15507255315, 0.258682250507, 0.112793660632}},
			throughput: []float64{1.41781689679},
		},
	},
	{
		name: "N2: maps of a node with four CPUs, N = 4",
		network: mva.Network{
			Centres:    []mva.Centre{{Servers: 4}, {}, {}},
			Population: []int{4},
			Demand:     [][]float64{{5.0764, 0.0677, 3.1844}},
			Think:      []float64{0},
		},
		exact: &figures{
			residence:  [][]float64{{5.0764, 0.0689379111738, 8.37480141216}},
			throughput: []float64{0.295854939386},
		},
	},
	{
		name: "N2b: the same, N = 8",
		network: mva.Network{
			Centres:    []mva.Centre{{Servers: 4}, {}, {}},
			Population: []int{8},
			Demand:     [][]float64{{5.0764, 0.0677, 3.1844}},
			Think:      []float64{0},
		},
		exact: &figures{
			residence:  [][]float64{{5.24943808501, 0.0691650604652, 20.1925313247}},
			throughput: []float64{0.31358856304},
		},
	},
	{
		name: "N2c: maps of a node, CPU as a delay, N = 4",
		network: mva.Network{
			Centres:    []mva.Centre{{Delay: true}, {}, {}},
			Population: []int{4},
			Demand:     [][]float64{{5.0764, 0.0677, 3.1844}},
			Think:      []float64{0},
		},
		exact: &figures{
			residence:  [][]float64{{5.0764, 0.0689379111738, 8.37480141216}},
			throughput: []float64{0.295854939386},
		},
		approximate: &figures{
			residence:  [][]float64{{5.0764, 0.0686623632656, 9.34564657906}},
			throughput: []float64{0.276038944397},
		},
	},
	{
		name: "N3: two classes at three centres, N = 3 and 2",
		network: mva.Network{
			Centres:    []mva.Centre{{}, {}, {}},
			Population: []int{3, 2},
			Demand:     [][]float64{{1, 2, 0.5}, {0.7, 1.2, 2.5}},
			Think:      []float64{0, 0},
		},
		exact: &figures{residence: [][]float64{
			{1.69194665944, 5.94921421383, 1.16672311682},
			{1.24050205165, 4.19647598359, 4.32697723067},
		}, throughput: []float64{0.340603941125, 0.20483502285}},
		approximate: &figures{residence: [][]float64{
			{1.5695410884, 6.58264197149, 1.06956896293},
			{1.13761921305, 4.28795302913, 4.50383876176},
		}, throughput: []float64{0.325317791302, 0.20142181638}},
	},
	{
		name: "N3z: the same, the third a delay, the first thinks 4 s",
		network: mva.Network{
			Centres:    []mva.Centre{{}, {}, {Delay: true}},
			Population: []int{3, 2},
			Demand:     [][]float64{{1, 2, 0.5}, {0.7, 1.2, 2.5}},
			Think:      []float64{4, 0},
		},
		exact: &figures{residence: [][]float64{
			{1.63154511372, 5.30343156747, 0.5},
			{1.11864362606, 3.18086345609, 2.5},
		}, throughput: []float64{0.262352961763, 0.29413896858}},
		approximate: &figures{residence: [][]float64{
			{1.55918512412, 5.99307869316, 0.5},
			{1.07683090631, 3.59134163145, 2.5},
		}, throughput: []float64{0.248915892108, 0.279011141189}},
	},
	{
		name: "N4: maps, a shuffle and a merge of Table 2, CPU as a delay, N = 4, 1, 1",
		network: mva.Network{
			Centres:    []mva.Centre{{Delay: true}, {}, {}, {}},
			Population: []int{4, 1, 1},
			Demand: [][]float64{
				{5.1057, 0.0677, 3.1844, 0},
				{0.6608, 0.0087, 0.4082, 0.185},
				{47.258, 1.258, 59.2157, 0},
			},
			Think: []float64{0, 0, 0},
		},
		exact: &figures{
			residence: [][]float64{
				{5.1057, 0.069149852899, 14.3509899492, 0},
				{0.6608, 0.00888664804308, 1.86992462819, 0.185},
				{47.258, 1.2846949667, 256.204292377, 0},
			},
			throughput: []float64{0.204856745755, 0.367024833495, 0.00328141061776},
		},
		approximate: &figures{
			residence: [][]float64{
				{5.1057, 0.0688621922634, 15.2500050502, 0},
				{0.6608, 0.00885146647569, 1.97474283292, 0.185},
				{47.258, 1.27890109864, 277.398240745, 0},
			},
			throughput: []float64{0.195842582734, 0.353432535088, 0.00306809506438},
		},
	},
}
