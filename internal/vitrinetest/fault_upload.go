package vitrinetest

import (
	"time"

	"vitrine"
)

func (t *faultyTx) AddUpload(u *vitrine.Upload) error {
	return t.do(func() error { return t.Tx.AddUpload(u) })
}

func (t *faultyTx) Upload(id vitrine.UploadID) (*vitrine.Upload, error) {
	return value(t.do, func() (*vitrine.Upload, error) { return t.Tx.Upload(id) })
}

func (t *faultyTx) UploadByKey(a vitrine.AccountID, key string) (*vitrine.Upload, error) {
	return value(t.do, func() (*vitrine.Upload, error) { return t.Tx.UploadByKey(a, key) })
}

func (t *faultyTx) PutUpload(u *vitrine.Upload) error {
	return t.do(func() error { return t.Tx.PutUpload(u) })
}

func (t *faultyTx) DeleteUpload(id vitrine.UploadID) error {
	return t.do(func() error { return t.Tx.DeleteUpload(id) })
}

func (t *faultyTx) CountUploads(a vitrine.AccountID, since time.Time) (n int64, oldest time.Time, err error) {
	err = t.do(func() error { n, oldest, err = t.Tx.CountUploads(a, since); return err })
	return n, oldest, err
}

func (t *faultyTx) Held(a vitrine.AccountID, now time.Time, except vitrine.UploadID) (n, bytes int64, err error) {
	err = t.do(func() error { n, bytes, err = t.Tx.Held(a, now, except); return err })
	return n, bytes, err
}

func (t *faultyTx) HeldUntil(a vitrine.AccountID, now time.Time, except vitrine.UploadID, what vitrine.Holding, n int64) (time.Time, error) {
	return value(t.do, func() (time.Time, error) { return t.Tx.HeldUntil(a, now, except, what, n) })
}

func (t *faultyTx) Lapsed(a vitrine.AccountID, now time.Time) (bytes int64, oldest *vitrine.Upload, err error) {
	err = t.do(func() error { bytes, oldest, err = t.Tx.Lapsed(a, now); return err })
	return bytes, oldest, err
}

func (t *faultyTx) SlugHolder(s vitrine.Slug, now time.Time) (*vitrine.Upload, error) {
	return value(t.do, func() (*vitrine.Upload, error) { return t.Tx.SlugHolder(s, now) })
}

func (t *faultyTx) StaleUploads(s vitrine.UploadState, before time.Time, n int) ([]*vitrine.Upload, error) {
	return value(t.do, func() ([]*vitrine.Upload, error) { return t.Tx.StaleUploads(s, before, n) })
}
