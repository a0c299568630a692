package report

// SealPiece returns a piece with any payload.
func SealPiece(payload []byte) []byte { return seal(append([]byte{pieceVersion}, payload...), 0) }

// DropTimes forgets the engaged times that the median does not need.
func (t *Tally) DropTimes() {
	all := t.times
	t.times = times{}
	for k, b := range all {
		t.times[k] = &timeBucket{n: b.n}
	}
	for _, k := range t.times.lacking() {
		t.times[k] = all[k]
	}
}
