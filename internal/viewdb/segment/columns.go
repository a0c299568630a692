package segment

// Column is a column of a segment that every row has a value of.
type Column int

// Columns of words.
const (
	PlaceColumn  Column = columnPlace
	OriginColumn Column = columnOrigin
	AgentColumn  Column = columnAgent
)

// Column reads a column apart from the rows, before any of them.
func (u *Unpacker) Column(c Column) Reader { return u.columns[c] }

// More reports whether there is more to read.
func (r *Reader) More() bool { return r.left() > 0 }

// Word reads the number of a word.
func (r *Reader) Word() LabelID { return r.word() }
