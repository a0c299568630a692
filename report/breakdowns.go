package report

import (
	"cmp"
	"slices"
)

// Breakdowns is `breakdowns` of a report: counted views by label, the largest
// first (analytics, Breakdowns). Only Screens counts sessions.
type Breakdowns struct {
	Countries []Bucket `json:"countries"` // ISO 3166-1 alpha-2
	Cities    []Bucket `json:"cities"`    // "City, CC"
	Referrers []Bucket `json:"referrers"`
	Sources   []Bucket `json:"sources"`
	Devices   []Bucket `json:"devices"`
	Browsers  []Bucket `json:"browsers"`
	OS        []Bucket `json:"os"`
	Screens   []Bucket `json:"screens"`

	// The values of utm_ parameters, on request.
	Campaigns []Bucket `json:"campaigns,omitzero"`
	Mediums   []Bucket `json:"mediums,omitzero"`
	Contents  []Bucket `json:"contents,omitzero"`
	Terms     []Bucket `json:"terms,omitzero"`
}

// Bucket is one label of a card. Pct is its share of all labels of the card,
// including labels that the card has no room for.
type Bucket struct {
	Key   string `json:"key"`
	Count int64  `json:"count"`
	Pct   Tenths `json:"pct"`
}

// directSource is the source of a view without any other source.
const directSource = "Direct"

// The labels that a tally counts.
const (
	byCountry = iota
	byCity
	byReferrer
	bySource
	byDevice
	byBrowser
	byOS
	byScreen
	byCampaign
	byMedium
	byContent
	byTerm
	dimensions

	// firstDimensions is the number of dimensions that stored tallies always
	// have.
	firstDimensions = byScreen + 1
)

// addLabels counts the labels of a counted view n times.
func (t *Tally) addLabels(o *View, n int64) {
	labels := [dimensions]string{
		byCountry:  o.Country,
		byReferrer: o.Referrer,
		bySource:   cmp.Or(o.Source, directSource),
		byDevice:   o.Device,
		byBrowser:  o.Browser,
		byOS:       o.OS,
		byCampaign: o.Campaign,
		byMedium:   o.Medium,
		byContent:  o.Content,
		byTerm:     o.Term,
	}
	if o.Session != nil {
		labels[byScreen] = o.Session.Screen
	}
	for i, label := range labels {
		if label != "" {
			t.labels[i].add(label, n)
		}
	}
	if o.City != "" {
		t.labels[byCity].addCity(o.City, o.Country, n)
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

func breakdowns(t *Tally) Breakdowns { return t.Breakdowns(maxBuckets, false) }

// Breakdowns returns the cards with at most rows buckets each; with utm, also
// the cards of utm_ parameters.
func (t *Tally) Breakdowns(rows int, utm bool) Breakdowns {
	b := Breakdowns{
		Countries: topBuckets(t.labels[byCountry], rows),
		Cities:    topBuckets(t.labels[byCity], rows),
		Referrers: topBuckets(t.labels[byReferrer], rows),
		Sources:   topBuckets(t.labels[bySource], rows),
		Devices:   topBuckets(t.labels[byDevice], rows),
		Browsers:  topBuckets(t.labels[byBrowser], rows),
		OS:        topBuckets(t.labels[byOS], rows),
		Screens:   topBuckets(t.labels[byScreen], rows),
	}
	if utm {
		b.Campaigns, b.Mediums = topBuckets(t.labels[byCampaign], rows), topBuckets(t.labels[byMedium], rows)
		b.Contents, b.Terms = topBuckets(t.labels[byContent], rows), topBuckets(t.labels[byTerm], rows)
	}
	return b
}

// Labels lists the n labels with the most views (for screens, the most
// sessions), most first, ties by label.
func (t *Tally) Labels(l Label, n int) []Bucket { return topBuckets(t.labels[l], n) }

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
