package preview

import (
	"errors"
	"io"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/bodgit/sevenzip"
	"github.com/nwaples/rardecode/v2"
)

// maxCounted is how many entries of an archive are counted.
const maxCounted = 100_000

// entries lists an archive. Inspection has listed most; of 7z and RAR the
// headers are read here.
func (j *job) entries() error {
	list := vitrine.Listing{Entries: j.facts.Entries, Total: j.facts.EntriesTotal, Encrypted: j.facts.Encrypted}
	var err error
	switch j.Ext {
	case "7z":
		list, err = sevenZip(j.file, j.size)
	case "rar":
		list, err = rar(j.reader())
	}
	if err != nil {
		return err
	}
	if list.Entries == nil {
		list.Entries = []filetype.Entry{}
	}
	if list.Total == 0 && !list.Encrypted {
		return nil
	}
	return j.putJSON(vitrine.PartEntries, list)
}

// sevenZip reads the header of a 7z archive. If that is encrypted, nothing is
// known but that.
func sevenZip(r io.ReaderAt, size int64) (list vitrine.Listing, err error) {
	z, err := sevenzip.NewReader(r, size)
	if failed := new(sevenzip.ReadError); errors.As(err, &failed) && failed.Encrypted {
		return vitrine.Listing{Encrypted: true}, nil
	}
	if err != nil {
		return list, err
	}
	for _, f := range z.File {
		add(&list, f.Name, int64(min(f.UncompressedSize, 1<<62)), f.FileInfo().IsDir())
	}
	return list, nil
}

// rar reads the headers of a RAR archive, from one to the next.
func rar(r io.ReadSeeker) (list vitrine.Listing, err error) {
	z, err := rardecode.NewReader(r, rardecode.SkipCheck)
	for err == nil && list.Total < maxCounted {
		var h *rardecode.FileHeader
		if h, err = z.Next(); err == nil {
			add(&list, h.Name, max(h.UnPackedSize, 0), h.IsDir)
			list.Encrypted = list.Encrypted || h.Encrypted
		}
	}
	switch {
	case errors.Is(err, rardecode.ErrArchiveEncrypted):
		return vitrine.Listing{Encrypted: true}, nil
	case err == nil, errors.Is(err, io.EOF):
		return list, nil
	}
	return list, err
}

// add counts an entry, and lists the first.
func add(list *vitrine.Listing, name string, size int64, dir bool) {
	list.Total++
	if len(list.Entries) < filetype.MaxListed {
		list.Entries = append(list.Entries, filetype.Entry{Name: clean(name), Size: size, Dir: dir})
	}
}
