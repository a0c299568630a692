package report

// hasMore reports whether t has what the second form of a body adds.
func (t *Tally) hasMore() bool {
	for _, c := range t.labels[firstDimensions:] {
		if len(c) > 0 {
			return true
		}
	}
	return len(t.products) > 0 || t.parts != partSums{}
}

func (t *Tally) appendMore(b []byte, id func(label string) (uint64, error)) (_ []byte, err error) {
	for _, c := range append([]counts{t.products}, t.labels[firstDimensions:]...) {
		if b, err = c.append(b, id); err != nil {
			return nil, err
		}
	}
	b = appendNumber(b, t.parts.sessions)
	if t.parts.sessions == 0 {
		return b, nil
	}
	for _, n := range t.parts.parts {
		b = appendNumber(b, n)
	}
	return b, nil
}

func (r *pieceReader) more(t *Tally, label func(id uint64) (string, error)) error {
	if err := r.counts(&t.products, label); err != nil {
		return err
	}
	for i := firstDimensions; i < dimensions; i++ {
		if err := r.counts(&t.labels[i], label); err != nil {
			return err
		}
	}
	n := r.number()
	if t.parts.sessions += n; n == 0 {
		return nil
	}
	for i := range t.parts.parts {
		t.parts.parts[i] += r.number()
	}
	return nil
}
