package report

// PartReading says how a part was read; it is "" for one without words.
type PartReading string

// The kinds of reading, and how long a word takes: 240 words a minute.
const (
	WordMs                  = 60_000 / 240
	PartRead    PartReading = "read"
	PartSkimmed PartReading = "skimmed" // seen, for less than half of the time that its words take
	PartSkipped PartReading = "skipped" // seen by less than half of the sessions
)

// partReading returns how a part was read by so many of the sessions, for a
// time on average.
func partReading(words int, views, sessions, avgMs int64) PartReading {
	switch {
	case words == 0 || sessions == 0:
		return ""
	case 2*views < sessions:
		return PartSkipped
	case 2*avgMs < int64(words)*WordMs:
		return PartSkimmed
	}
	return PartRead
}
