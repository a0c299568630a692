package vitrinetest

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/report"
)

// ErrFault is the cause of every failure that a Fault makes.
var ErrFault = errors.New("injected fault")

// Fault fails one operation of the ports that it is put around. A test runs a flow once for each n, from 1 on until a run is
// not Hit, and looks after each whether what it left is in order.
//
// Beginning a Read or an Update, asking for the Version, each method of their Tx, and each commit is an operation of a Store; each method of a ViewLog
// and of Blobs, each Read of a body and each method of an open blob but Close and Size is one of theirs.
type Fault struct {
	// N is the number of the operation that fails, from 1; 0: none does.
	N int64
	// After lets an Update's commit, and methods that change something, take effect before they fail, as when an answer is lost.
	After bool

	count atomic.Int64
}

// Hit reports whether the operation that was to fail was reached.
func (f *Fault) Hit() bool { return f.N > 0 && f.count.Load() >= f.N }

// Operations is how many operations there were.
func (f *Fault) Operations() int64 { return f.count.Load() }

// strike counts an operation and tells whether it is the one to fail.
func (f *Fault) strike() bool { return f.count.Add(1) == f.N }

func failure() error { return vitrine.Unavailable(ErrFault) }

// do runs an operation that changes something, and its error, or fails it.
func (f *Fault) do(change func() error) error {
	if f.strike() {
		if f.After {
			_ = change()
		}
		return failure()
	}
	return change()
}

// Store puts f around a store.
func (f *Fault) Store(s vitrine.Store) vitrine.Store { return faultyStore{s, f} }

// ViewLog puts f around a log.
func (f *Fault) ViewLog(l vitrine.ViewLog) vitrine.ViewLog { return faultyLog{l, f} }

// Blobs puts f around blobs; what it returns is a vitrine.Receiver if b is.
func (f *Fault) Blobs(b vitrine.Blobs) vitrine.Blobs {
	if r, ok := b.(vitrine.Receiver); ok {
		return faultyReceiver{faultyBlobs{b, f}, r}
	}
	return faultyBlobs{b, f}
}

type faultyStore struct {
	store vitrine.Store
	fault *Fault
}

func (s faultyStore) Read(ctx context.Context, run func(vitrine.Tx) error) error {
	if s.fault.strike() {
		return failure()
	}
	return s.store.Read(ctx, func(tx vitrine.Tx) error {
		t := &faultyTx{Tx: tx, fault: s.fault}
		return t.outcome(run(t))
	})
}

func (s faultyStore) Update(ctx context.Context, run func(vitrine.Tx) error) error {
	if s.fault.strike() {
		return failure()
	}
	lost := false
	err := s.store.Update(ctx, func(tx vitrine.Tx) error {
		t := &faultyTx{Tx: tx, fault: s.fault}
		if err := t.outcome(run(t)); err != nil {
			return err
		}
		if s.fault.strike() { // the commit
			if !s.fault.After {
				return failure()
			}
			lost = true
		}
		return nil
	})
	if err == nil && lost {
		err = failure()
	}
	return err
}

func (s faultyStore) Version(ctx context.Context) (int64, error) {
	return value(s.fault.do, func() (int64, error) { return s.store.Version(ctx) })
}

// faultyTx fails as a database does: after the first failure nothing of the transaction can be committed.
type faultyTx struct {
	vitrine.Tx
	fault  *Fault
	failed error
}

// outcome is what a transaction comes to whose function returned err.
func (t *faultyTx) outcome(err error) error {
	if t.failed != nil {
		return t.failed
	}
	return err
}

func (t *faultyTx) do(f func() error) error {
	if t.failed == nil && t.fault.strike() {
		t.failed = failure()
	}
	if t.failed != nil {
		return t.failed
	}
	return f()
}

func value[T any](do func(func() error) error, f func() (T, error)) (v T, err error) {
	err = do(func() (err error) { v, err = f(); return err })
	if err != nil {
		return *new(T), err
	}
	return v, nil
}

func (t *faultyTx) AddAccount(a *vitrine.Account) error {
	return t.do(func() error { return t.Tx.AddAccount(a) })
}

func (t *faultyTx) Account(id vitrine.AccountID) (*vitrine.Account, error) {
	return value(t.do, func() (*vitrine.Account, error) { return t.Tx.Account(id) })
}

func (t *faultyTx) AccountByEmail(email string) (*vitrine.Account, error) {
	return value(t.do, func() (*vitrine.Account, error) { return t.Tx.AccountByEmail(email) })
}

func (t *faultyTx) PutAccount(a *vitrine.Account) error {
	return t.do(func() error { return t.Tx.PutAccount(a) })
}

func (t *faultyTx) CountAccounts() (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.CountAccounts() })
}

func (t *faultyTx) Accounts(q vitrine.AccountQuery) ([]*vitrine.Account, error) {
	return value(t.do, func() ([]*vitrine.Account, error) { return t.Tx.Accounts(q) })
}

func (t *faultyTx) AddSession(s *vitrine.Session) error {
	return t.do(func() error { return t.Tx.AddSession(s) })
}

func (t *faultyTx) SessionByHash(hash [32]byte) (*vitrine.Session, error) {
	return value(t.do, func() (*vitrine.Session, error) { return t.Tx.SessionByHash(hash) })
}

func (t *faultyTx) PutSession(s *vitrine.Session) error {
	return t.do(func() error { return t.Tx.PutSession(s) })
}

func (t *faultyTx) AddChange(c *vitrine.Change) error {
	return t.do(func() error { return t.Tx.AddChange(c) })
}

func (t *faultyTx) Changes(q vitrine.ChangeQuery) ([]*vitrine.Change, error) {
	return value(t.do, func() ([]*vitrine.Change, error) { return t.Tx.Changes(q) })
}

func (t *faultyTx) LinksBySHA256(sum string, n int) ([]*vitrine.Link, error) {
	return value(t.do, func() ([]*vitrine.Link, error) { return t.Tx.LinksBySHA256(sum, n) })
}

func (t *faultyTx) ScanDue(state vitrine.LinkState, signatures string, after vitrine.LinkID, n int) ([]*vitrine.Link, error) {
	return value(t.do, func() ([]*vitrine.Link, error) { return t.Tx.ScanDue(state, signatures, after, n) })
}

func (t *faultyTx) AddKey(k *vitrine.APIKey) error {
	return t.do(func() error { return t.Tx.AddKey(k) })
}

func (t *faultyTx) KeyByHash(hash [32]byte) (*vitrine.APIKey, error) {
	return value(t.do, func() (*vitrine.APIKey, error) { return t.Tx.KeyByHash(hash) })
}

func (t *faultyTx) Keys(a vitrine.AccountID) ([]*vitrine.APIKey, error) {
	return value(t.do, func() ([]*vitrine.APIKey, error) { return t.Tx.Keys(a) })
}

func (t *faultyTx) PutKey(k *vitrine.APIKey) error {
	return t.do(func() error { return t.Tx.PutKey(k) })
}

func (t *faultyTx) AddLink(l *vitrine.Link) error {
	return t.do(func() error { return t.Tx.AddLink(l) })
}

func (t *faultyTx) Link(id vitrine.LinkID) (*vitrine.Link, error) {
	return value(t.do, func() (*vitrine.Link, error) { return t.Tx.Link(id) })
}

func (t *faultyTx) LinkBySlug(s vitrine.Slug) (*vitrine.Link, error) {
	return value(t.do, func() (*vitrine.Link, error) { return t.Tx.LinkBySlug(s) })
}

func (t *faultyTx) PutLink(l *vitrine.Link) error {
	return t.do(func() error { return t.Tx.PutLink(l) })
}

func (t *faultyTx) Links(q vitrine.LinkQuery) ([]*vitrine.Link, error) {
	return value(t.do, func() ([]*vitrine.Link, error) { return t.Tx.Links(q) })
}

func (t *faultyTx) LinkIDs(q vitrine.LinkQuery) ([]vitrine.LinkID, error) {
	return value(t.do, func() ([]vitrine.LinkID, error) { return t.Tx.LinkIDs(q) })
}

func (t *faultyTx) PutOldSlug(o *vitrine.OldSlug) error {
	return t.do(func() error { return t.Tx.PutOldSlug(o) })
}

func (t *faultyTx) OldSlug(s vitrine.Slug, now time.Time) (*vitrine.OldSlug, error) {
	return value(t.do, func() (*vitrine.OldSlug, error) { return t.Tx.OldSlug(s, now) })
}

func (t *faultyTx) OldSlugs(l vitrine.LinkID, now time.Time) ([]*vitrine.OldSlug, error) {
	return value(t.do, func() ([]*vitrine.OldSlug, error) { return t.Tx.OldSlugs(l, now) })
}

func (t *faultyTx) DeleteOldSlug(s vitrine.Slug) error {
	return t.do(func() error { return t.Tx.DeleteOldSlug(s) })
}

func (t *faultyTx) ExpireOldSlugs(now time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireOldSlugs(now) })
}

func (t *faultyTx) LinkFacts(a vitrine.AccountID) ([]vitrine.LinkFacts, error) {
	return value(t.do, func() ([]vitrine.LinkFacts, error) { return t.Tx.LinkFacts(a) })
}

func (t *faultyTx) CountLinks(a vitrine.AccountID) (n, bytes int64, err error) {
	err = t.do(func() error { n, bytes, err = t.Tx.CountLinks(a); return err })
	return n, bytes, err
}

func (t *faultyTx) ReleaseSlugs(deletedBefore time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ReleaseSlugs(deletedBefore) })
}

func (t *faultyTx) AddAbuseReport(r *vitrine.AbuseReport) error {
	return t.do(func() error { return t.Tx.AddAbuseReport(r) })
}

func (t *faultyTx) AbuseReports(l vitrine.LinkID, since time.Time) ([]*vitrine.AbuseReport, error) {
	return value(t.do, func() ([]*vitrine.AbuseReport, error) { return t.Tx.AbuseReports(l, since) })
}

func (t *faultyTx) CountAbuseReports(by vitrine.ReporterID, since time.Time) (n int64, oldest time.Time, err error) {
	err = t.do(func() error { n, oldest, err = t.Tx.CountAbuseReports(by, since); return err })
	return n, oldest, err
}

func (t *faultyTx) DeleteAbuseReports(l vitrine.LinkID) error {
	return t.do(func() error { return t.Tx.DeleteAbuseReports(l) })
}

func (t *faultyTx) ExpireAbuseReports(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireAbuseReports(before) })
}

func (t *faultyTx) ReserveIDs(a vitrine.AccountID, l vitrine.LinkID) (bool, error) {
	return value(t.do, func() (bool, error) { return t.Tx.ReserveIDs(a, l) })
}

func (t *faultyTx) Secret(name string) ([]byte, error) {
	return value(t.do, func() ([]byte, error) { return t.Tx.Secret(name) })
}

func (t *faultyTx) PutSecret(name string, v []byte) error {
	return t.do(func() error { return t.Tx.PutSecret(name, v) })
}

type faultyLog struct {
	log   vitrine.ViewLog
	fault *Fault
}

func (l faultyLog) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	return value(l.fault.do, func() (vitrine.Outcome, error) { return l.log.Append(ctx, b) })
}

func (l faultyLog) Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	if l.fault.strike() {
		return nil, false, failure()
	}
	return l.log.Tally(ctx, q)
}

func (l faultyLog) DailyViews(ctx context.Context, a vitrine.AccountID, links []vitrine.LinkID, from, to report.Day) (map[vitrine.LinkID][]int64, error) {
	return value(l.fault.do, func() (map[vitrine.LinkID][]int64, error) { return l.log.DailyViews(ctx, a, links, from, to) })
}

func (l faultyLog) RollUp(ctx context.Context, before report.Day) error {
	return l.fault.do(func() error { return l.log.RollUp(ctx, before) })
}

func (l faultyLog) Expire(ctx context.Context, before report.Day) error {
	return l.fault.do(func() error { return l.log.Expire(ctx, before) })
}

func (l faultyLog) RetainedFrom(ctx context.Context, a vitrine.AccountID) (report.Day, error) {
	return value(l.fault.do, func() (report.Day, error) { return l.log.RetainedFrom(ctx, a) })
}

func (l faultyLog) Recent(ctx context.Context, link vitrine.LinkID, from, to report.Day, n int) ([]report.Open, error) {
	return value(l.fault.do, func() ([]report.Open, error) { return l.log.Recent(ctx, link, from, to, n) })
}

func (l faultyLog) Opens(ctx context.Context, link vitrine.LinkID, from, to report.Day, f func(*report.Open) error) error {
	return l.fault.do(func() error { return l.log.Opens(ctx, link, from, to, f) })
}

func (l faultyLog) AccountCounts(ctx context.Context, a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	return value(l.fault.do, func() (map[vitrine.LinkID]vitrine.LinkCounts, error) { return l.log.AccountCounts(ctx, a) })
}

func (l faultyLog) Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	return value(l.fault.do, func() (map[vitrine.LinkID]vitrine.LinkCounts, error) { return l.log.Counts(ctx, links) })
}

func (l faultyLog) Import(ctx context.Context, receipt vitrine.ImportReceipt, opens []vitrine.OpenRecord) error {
	return l.fault.do(func() error { return l.log.Import(ctx, receipt, opens) })
}

func (l faultyLog) Imported(ctx context.Context, file [32]byte) (int64, error) {
	return value(l.fault.do, func() (int64, error) { return l.log.Imported(ctx, file) })
}

func (l faultyLog) DeleteLink(ctx context.Context, link vitrine.LinkID) error {
	return l.fault.do(func() error { return l.log.DeleteLink(ctx, link) })
}

func (l faultyLog) HighestIDs(ctx context.Context) (a vitrine.AccountID, link vitrine.LinkID, err error) {
	err = l.fault.do(func() error { a, link, err = l.log.HighestIDs(ctx); return err })
	return a, link, err
}

func (l faultyLog) EachScope(ctx context.Context, f func(vitrine.Scope) error) error {
	return l.fault.do(func() error { return l.log.EachScope(ctx, f) })
}

func (l faultyLog) Position(ctx context.Context) (vitrine.LogPosition, error) {
	return value(l.fault.do, func() (vitrine.LogPosition, error) { return l.log.Position(ctx) })
}

func (l faultyLog) SetMark(ctx context.Context, old, mark int64) error {
	return l.fault.do(func() error { return l.log.SetMark(ctx, old, mark) })
}

func (l faultyLog) Audit(ctx context.Context, all bool, fault func(string, bool)) error {
	return l.fault.do(func() error { return l.log.Audit(ctx, all, fault) })
}

func (l faultyLog) Rebuild(ctx context.Context, rebuilt func(vitrine.AccountID, report.Day)) error {
	return l.fault.do(func() error { return l.log.Rebuild(ctx, rebuilt) })
}

type faultyBlobs struct {
	blobs vitrine.Blobs
	fault *Fault
}

func (b faultyBlobs) SignPut(ctx context.Context, g vitrine.PutGrant) (string, error) {
	return value(b.fault.do, func() (string, error) { return b.blobs.SignPut(ctx, g) })
}

func (b faultyBlobs) Stat(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error) {
	return value(b.fault.do, func() (vitrine.BlobInfo, error) { return b.blobs.Stat(ctx, key) })
}

func (b faultyBlobs) Seal(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error) {
	return value(b.fault.do, func() (vitrine.BlobInfo, error) { return b.blobs.Seal(ctx, key) })
}

func (b faultyBlobs) Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error) {
	if b.fault.strike() {
		return nil, failure()
	}
	blob, err := b.blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return faultyBlob{blob, b.fault}, nil
}

func (b faultyBlobs) PutPart(ctx context.Context, key vitrine.UploadID, p vitrine.Part, body io.Reader) error {
	return b.fault.do(func() error { return b.blobs.PutPart(ctx, key, p, faultyReader{body, b.fault}) })
}

func (b faultyBlobs) OpenPart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) (vitrine.Blob, error) {
	return value(b.fault.do, func() (vitrine.Blob, error) { return b.blobs.OpenPart(ctx, key, p) })
}

func (b faultyBlobs) DeletePart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) error {
	return b.fault.do(func() error { return b.blobs.DeletePart(ctx, key, p) })
}

func (b faultyBlobs) Delete(ctx context.Context, key vitrine.UploadID) error {
	return b.fault.do(func() error { return b.blobs.Delete(ctx, key) })
}

func (b faultyBlobs) Sweep(ctx context.Context, before time.Time, keep func(vitrine.UploadID) (bool, error)) error {
	return b.fault.do(func() error { return b.blobs.Sweep(ctx, before, keep) })
}

func (b faultyBlobs) Mark(ctx context.Context) (string, error) {
	return value(b.fault.do, func() (string, error) { return b.blobs.Mark(ctx) })
}

func (b faultyBlobs) PutMark(ctx context.Context, mark string) error {
	return b.fault.do(func() error { return b.blobs.PutMark(ctx, mark) })
}

func (b faultyBlobs) Each(ctx context.Context, f func(vitrine.UploadID, vitrine.BlobInfo) error) error {
	return b.fault.do(func() error { return b.blobs.Each(ctx, f) })
}

type faultyReceiver struct {
	faultyBlobs
	receiver vitrine.Receiver
}

func (r faultyReceiver) Receive(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	return value(r.fault.do, func() (string, error) { return r.receiver.Receive(ctx, g, faultyReader{body, r.fault}) })
}

type faultyReader struct {
	r     io.Reader
	fault *Fault
}

func (r faultyReader) Read(p []byte) (int, error) {
	if r.fault.strike() {
		return 0, ErrFault
	}
	return r.r.Read(p)
}

type faultyBlob struct {
	vitrine.Blob
	fault *Fault
}

func (b faultyBlob) Read(p []byte) (int, error) {
	if b.fault.strike() {
		return 0, ErrFault
	}
	return b.Blob.Read(p)
}

func (b faultyBlob) ReadAt(p []byte, off int64) (int, error) {
	if b.fault.strike() {
		return 0, ErrFault
	}
	return b.Blob.ReadAt(p, off)
}

func (b faultyBlob) Seek(offset int64, whence int) (int64, error) {
	return value(b.fault.do, func() (int64, error) { return b.Blob.Seek(offset, whence) })
}
