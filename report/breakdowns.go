package report

import (
	"cmp"
	"slices"
)

// Bucket is one label of a card. Pct is its share of all labels of the card,
// including labels that the card has no room for.
type Bucket struct {
	Key   string `json:"key"`
	Count int64  `json:"count"`
	Pct   Tenths `json:"pct"`
}

// directSource is the source of a view without any other source.
const directSource = "Direct"

// addLabels counts the labels of a counted view n times.
func (t *Tally) addLabels(v *View, n int64) {
	for _, d := range carded {
		if d.Dimension == OnCity {
			if v.City != "" {
				t.labels[d.index].addCity(v.City, v.Country, n)
			}
		} else if label := d.Key(v); label != "" {
			t.labels[d.index].add(label, n)
		}
	}
}

// addCity counts a city under the name that its card shows. Unlike with other
// labels, the name is joined without allocating memory for every view.
func (c *counts) addCity(city, country string, n int64) {
	if country == "" {
		c.add(city, n)
		return
	}
	var room [64]byte
	label := append(append(append(room[:0], city...), ", "...), country...)
	if count := (*c)[string(label)]; count != nil && *count+n != 0 {
		*count += n
		return
	}
	c.add(string(label), n)
}

func breakdowns(t *Tally) Breakdowns { return t.Breakdowns(DefaultRows, false) }

// Breakdowns returns the cards with at most rows buckets each; with extra, also
// the extra cards.
func (t *Tally) Breakdowns(rows int, extra bool) (b Breakdowns) {
	for _, d := range carded {
		if extra || !d.Extra {
			*d.buckets(&b) = t.Labels(d.Dimension, rows)
		}
	}
	return b
}

// Labels lists the n labels of a dimension with the most views (for screens,
// the most sessions), most first, ties by label.
func (t *Tally) Labels(d Dimension, n int) []Bucket { return topBuckets(t.labels[d.Row().index], n) }

// topBuckets returns the n largest counts, ties by key ascending.
func topBuckets(c counts, n int) []Bucket {
	n = min(n, len(c))
	top := make([]Bucket, 0, min(2*n, len(c)))
	var last *Bucket // the smallest of the n largest until now, once they are known
	for key, count := range c {
		b := Bucket{Key: key, Count: *count}
		if last != nil && bySize(*last, b) < 0 {
			continue
		}
		if top = append(top, b); len(top) == 2*n {
			slices.SortFunc(top, bySize)
			top = top[:n]
			last = &top[n-1]
		}
	}
	slices.SortFunc(top, bySize)
	top = top[:n]
	all := c.total()
	for i := range top {
		top[i].Pct = pct(top[i].Count, all)
	}
	return top
}

// bySize orders buckets: most first, then by key.
func bySize(a, b Bucket) int {
	if a.Count != b.Count {
		return cmp.Compare(b.Count, a.Count)
	}
	return cmp.Compare(a.Key, b.Key)
}
