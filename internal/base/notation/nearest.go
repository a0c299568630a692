package notation

// Nearest returns the known word that differs least from another one, by at
// most some letters, or "". Two words without a common letter are not near.
func Nearest(word string, known []string, most int) (nearest string) {
	for _, k := range known {
		if d := distance(word, k); d <= most && d < max(len(k)-1, 1) {
			nearest, most = k, d-1
		}
	}
	return nearest
}

// distance returns how many letters must be added, deleted or replaced to turn
// one word into another (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
