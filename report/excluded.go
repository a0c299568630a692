package report

// ExcludedViews are the views that are excluded for one reason.
type ExcludedViews struct {
	Reason string `json:"reason"` // a reason code
	Count  int64  `json:"count"`
	Pct    Tenths `json:"pct"` // of all excluded views
	// Programs are the programs and networks among them that are known by name,
	// most first.
	Programs []ExcludedProgram `json:"programs"`
}

// ExcludedProgram is a program or network, and its number of excluded views.
type ExcludedProgram struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// ExcludedViews lists the excluded views by reason, most first.
func (s *Summary) ExcludedViews() []ExcludedViews {
	list := []ExcludedViews{}
	for _, b := range s.Excluded {
		e := ExcludedViews{Reason: b.Key, Count: b.Count, Pct: b.Pct, Programs: []ExcludedProgram{}}
		for _, p := range s.Products {
			if p.Reason == b.Key {
				e.Programs = append(e.Programs, ExcludedProgram{p.Product, p.Count})
			}
		}
		list = append(list, e)
	}
	return list
}
