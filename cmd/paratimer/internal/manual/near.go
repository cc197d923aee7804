package manual

// Near is the known word that somebody who typed word most likely meant: one that is a slip or two away; "" where there is
// none.
func Near(word string, known []string) string {
	if len(word) > maxWord {
		return ""
	}
	best, least := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if d := slips(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// maxWord bounds what is compared.
const maxWord = 64

// slips is the number of letters to insert, delete, replace, or swap with their neighbour to get from a to b (optimal string
// alignment).
func slips(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			same := 1
			if x[i-1] == y[j-1] {
				same = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+same)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
