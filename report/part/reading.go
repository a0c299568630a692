package part

// Reading says how a part was read; it is "" for one without words.
type Reading string

// The kinds of reading, and how long a word takes: 240 words a minute.
const (
	WordMs          = 60_000 / 240
	Read    Reading = "read"
	Skimmed Reading = "skimmed" // seen, for less than half of the time that its words take
	Skipped Reading = "skipped" // seen by less than half of the sessions
)

// ReadingOf returns how a part was read by so many of the sessions, for a
// time on average.
func ReadingOf(words int, views, sessions, avgMs int64) Reading {
	switch {
	case words == 0 || sessions == 0:
		return ""
	case 2*views < sessions:
		return Skipped
	case 2*avgMs < int64(words)*WordMs:
		return Skimmed
	}
	return Read
}
