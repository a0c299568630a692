package filetype

// Listing is the content of an archive, stored as vitrine.PartEntries.
type Listing struct {
	Entries   []Entry `json:"entries"` // the first ones, in order
	Total     int     `json:"total"`
	Encrypted bool    `json:"encrypted,omitempty"`
}

// Workbook is the displayed cells of a spreadsheet, stored as
// vitrine.PartSheets.
type Workbook struct {
	Sheets []Sheet `json:"sheets"`
	Cut    bool    `json:"cut,omitempty"` // more sheets exist
}

// Sheet is one sheet of a workbook. Rows may differ in length.
type Sheet struct {
	Name string     `json:"name"`
	Rows [][]string `json:"rows"`
	Cut  bool       `json:"cut,omitempty"` // more rows or columns exist

	// In vitrine.PartSheets: the number of its rows, and where these are in the
	// lines after the first one, in bytes.
	Total int   `json:"total"`
	At    int64 `json:"at"`
	Size  int64 `json:"size"`
}
