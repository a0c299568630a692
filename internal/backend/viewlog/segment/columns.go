package segment

// Column is a column of a segment in which every row has a value.
type Column int

// The columns of words.
const (
	PlaceColumn  Column = columnPlace
	OriginColumn Column = columnOrigin
	AgentColumn  Column = columnAgent
)

// Column returns a reader of one column. Call it before reading rows.
func (u *Decoder) Column(c Column) Reader { return u.columns[c] }

// More reports whether there are more values.
func (r *Reader) More() bool { return r.left() > 0 }

// Word reads the number of a word.
func (r *Reader) Word() LabelID { return r.word() }
