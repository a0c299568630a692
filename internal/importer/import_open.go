package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"io"

	"vitrine"
	"vitrine/report"
)

// importBatch is the number of views in a transaction. A server on the same log
// does not wait longer than that.
const importBatch = 16_384

// Views adds views, one a line, to links that exist. The file is read once:
// every line is checked and staged in a temporary file, so that a bad one stops
// the import before anything is kept. Then the views go to ViewLog.Import in
// batches, each with the import's progress. An import that was interrupted goes
// on where it stopped, and a second run of the same file adds nothing.
//
// What the log is promised: the views of a file, over all its batches, come in
// the order of account, link, time, those of one millisecond in the order of
// the file, and in the same order in each run. A batch has at most 16,384
// views. Each open's ID is the smallest of its millisecond. ImportReceipt.Lines
// is the number of views stored so far, and with the last batch the number of
// lines of the file.
func (s *Importer) Views(ctx context.Context, r io.Reader) (Result, error) {
	staged, err := newStaging(s.runViews)
	if err != nil {
		return Result{}, err
	}
	defer staged.close()
	in := importing{Importer: s, staged: staged, links: map[string]*importTarget{}}
	file, lines, err := in.stage(ctx, r)
	if err != nil {
		return Result{}, err
	}
	var before int64
	err = s.retry(ctx, func() error {
		before, err = s.Log.Imported(ctx, file)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	res := Result{Lines: lines, Already: lines > 0 && before >= lines}
	if before >= lines {
		return res, nil
	}
	res.Added, err = in.store(ctx, file, lines, before)
	return res, err
}

// importing is a file of views that is being imported.
type importing struct {
	*Importer
	staged  *staging
	links   map[string]*importTarget // by slug
	session report.Session           // of the last line
}

// stage reads the file, all of it, and returns its SHA-256 and number of lines.
func (i *importing) stage(ctx context.Context, r io.Reader) (file [32]byte, lines int64, err error) {
	sum := sha256.New()
	var o vitrine.ViewRecord
	lines, err = eachLine(io.TeeReader(r, sum), func(line int64, b []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := i.view(ctx, b, &o)
		if err != nil {
			return lineError(line, err)
		}
		return i.staged.add(t, &o)
	})
	return [32]byte(sum.Sum(nil)), lines, err
}

// store writes the staged views to the log, without those that an earlier run
// stored, and counts the added ones.
func (i *importing) store(ctx context.Context, file [32]byte, lines, before int64) (added int64, err error) {
	sorted, err := i.staged.sorted()
	if err != nil {
		return 0, err
	}
	views := i.staged.views
	stored := min(before, views)
	for range stored {
		if err := sorted.next(new(vitrine.ViewRecord)); err != nil {
			return 0, err
		}
	}
	for {
		batch := make([]vitrine.ViewRecord, min(int64(cmp.Or(i.batchViews, importBatch)), views-stored))
		for n := range batch {
			o := &batch[n]
			if err := sorted.next(o); err != nil {
				return added, err
			}
			o.ID = int64(vitrine.ViewIDAt(o.At, 0))
		}
		stored += int64(len(batch))
		receipt := vitrine.ImportReceipt{File: file, Lines: stored, At: i.Now()}
		if stored == views {
			receipt.Lines = lines
		}
		if err := i.retry(ctx, func() error { return i.Log.Import(ctx, receipt, batch) }); err != nil {
			return added, err
		}
		added += int64(len(batch))
		if stored == views {
			return added, nil
		}
	}
}
