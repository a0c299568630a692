package preview

import (
	"vitrine"
	"vitrine/internal/filetype"
)

// entries makes the part with the entries of an archive.
func (j *job) entries() error {
	list := filetype.Listing{Entries: j.facts.Entries, Total: j.facts.EntriesTotal, Encrypted: j.facts.Encrypted}
	if list.Total == 0 && !list.Encrypted {
		return nil
	}
	if list.Entries == nil {
		list.Entries = []filetype.Entry{}
	}
	return j.putJSON(vitrine.PartEntries, list)
}
