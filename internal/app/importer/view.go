package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/report"
)

// importBatch is the number of views in a transaction. A server on the same log
// does not wait longer than that.
const importBatch = 16_384

// Views adds views to existing links, one per line. The file is read once:
// every line is checked and staged in a temporary file, so that invalid lines
// stop the import before anything is stored, with an [InvalidLinesError]. Then
// the views go to ViewLog.Import in batches, each with the import's progress.
// An interrupted import continues where it stopped, and a second run of the
// same file adds nothing. Views that the log has from another file are left
// out.
//
// Views passes views to the log sorted by account, link and time. Views of one
// millisecond keep the order of the file. The order is the same in every run. A
// batch has at most 16,384 views. The ID of each view is the smallest of its
// millisecond. ImportReceipt.Lines is the number of views stored so far, and
// with the last batch the number of lines of the file.
func (s *Importer) Views(ctx context.Context, r io.Reader) (Result, error) {
	staged, err := newStaging(s.runViews)
	if err != nil {
		return Result{}, err
	}
	defer staged.close()
	in := importing{Importer: s, staged: staged, links: map[string]*importTarget{},
		albums: map[vitrine.AccountID]map[string]int64{}}
	file, lines, err := in.stage(ctx, r)
	if err != nil {
		return Result{}, err
	}
	dated, err := in.dateBack(ctx)
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
	res := Result{Lines: lines, Already: lines > 0 && before >= lines, Dated: dated}
	if before >= lines {
		return res, nil
	}
	known, err := in.known(ctx)
	if err != nil {
		return res, err
	}
	err = in.store(ctx, file, before, known, &res)
	return res, err
}

// importing is a file of views that is being imported.
type importing struct {
	*Importer
	staged  *staging
	links   map[string]*importTarget               // by slug
	albums  map[vitrine.AccountID]map[string]int64 // of accounts, by their IDs as texts
	session report.Session                         // of the last line
}

// stage reads the file, all of it, and returns its SHA-256 and number of lines.
func (i *importing) stage(ctx context.Context, r io.Reader) (file [32]byte, lines int64, err error) {
	sum := sha256.New()
	var v vitrine.ViewRecord
	var wrong invalidLines
	lines, err = eachLine(io.TeeReader(r, sum), func(line int64, b []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := i.view(ctx, b, &v)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return wrong.add(line, err)
		case len(wrong) > 0: // nothing will be added
			return nil
		}
		t.first, t.last = min(t.first, v.At), max(t.last, v.At)
		return i.staged.add(t, &v)
	})
	return [32]byte(sum.Sum(nil)), lines, wrong.result(err)
}

// dateBack makes each link with views from before its creation one that was
// created at the first of them, because the range "all" begins there. It
// returns how many links these are.
func (i *importing) dateBack(ctx context.Context) (dated int64, err error) {
	older := slices.DeleteFunc(slices.Clone(i.staged.targets),
		func(t *importTarget) bool { return t.first >= t.created })
	if len(older) == 0 {
		return 0, nil
	}
	err = i.retry(ctx, func() error {
		return i.Store.Update(ctx, func(tx vitrine.Tx) error {
			for _, t := range older {
				l, err := tx.Link(t.link)
				if err != nil {
					return err
				}
				if err := links.DateBack(tx, l, time.UnixMilli(t.first), i.Now()); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return int64(len(older)), err
}

// store writes the staged views to the log, without known ones and those that
// an earlier run stored, and counts the added and known ones.
func (i *importing) store(ctx context.Context, file [32]byte, before int64, known places, res *Result) error {
	sorted, err := i.staged.sorted()
	if err != nil {
		return err
	}
	views := i.staged.views
	stored := min(before, views)
	for range stored {
		if err := sorted.next(new(vitrine.ViewRecord)); err != nil {
			return err
		}
	}
	size := min(cmp.Or(i.batchViews, importBatch), int(views-stored))
	for {
		batch := make([]vitrine.ViewRecord, 0, size)
		for ; stored < views && len(batch) < size; stored++ {
			var v vitrine.ViewRecord
			if err := sorted.next(&v); err != nil {
				return err
			}
			if known.has(stored) {
				res.Known++
				continue
			}
			v.ID = int64(vitrine.ViewIDAt(v.At, 0))
			batch = append(batch, v)
		}
		receipt := vitrine.ImportReceipt{File: file, Lines: stored, At: i.Now()}
		if stored == views {
			receipt.Lines = res.Lines
		}
		if err := i.retry(ctx, func() error { return i.Log.Import(ctx, receipt, batch) }); err != nil {
			return err
		}
		res.Added += int64(len(batch))
		if stored == views {
			return nil
		}
	}
}
