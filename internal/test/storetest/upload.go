package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) uploads() {
	ann := t.account("ann@example.org")
	u := upload(ann, "räport \x01 <b>.pdf")
	u.Slug, u.IdempotencyKey, u.Size = "report", "123e4567-e89b-12d3-a456-426614174000", 1<<41
	t.add(u)
	t.update(func(tx vitrine.Tx) error {
		again := upload(ann, "another")
		again.ID = u.ID
		t.is("an upload with an ID that is taken", tx.AddUpload(again), vitrine.ErrExists)
		got, err := tx.Upload(u.ID)
		vitrinetest.Equal(t, "upload", got, u)
		return err
	})
	u.State, u.Link, u.Replaced = vitrine.UploadFailed, 7, true
	u.Failure = &vitrine.Error{Code: vitrine.CodeLinkLimit, Message: "found it", Field: "path", Limit: &u.Size,
		Upgrade: true}
	u.HoldUntil = time.Time{}
	t.update(func(tx vitrine.Tx) error { return tx.PutUpload(u) })
	t.update(func(tx vitrine.Tx) error {
		got, err := tx.Upload(u.ID)
		vitrinetest.Equal(t, "upload that was changed", got, u)
		t.is("Put of no upload", tx.PutUpload(upload(ann, "none")), vitrine.ErrNotFound)
		return errors.Join(err, tx.DeleteUpload(u.ID))
	})
	t.read(func(tx vitrine.Tx) error {
		_, err := tx.Upload(u.ID)
		t.is("upload that was deleted", err, vitrine.ErrNotFound)
		return nil
	})
}

func (t storeTest) uploadKeys() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	const key = "123e4567-e89b-12d3-a456-426614174000"
	with := func(a *vitrine.Account, name, key string) *vitrine.Upload {
		u := upload(a, name)
		u.IdempotencyKey = key
		return u
	}
	first, second, bobs := with(ann, "first", key), with(ann, "second", key), with(bob, "bob's", key)
	t.add(first, bobs, with(ann, "no key", ""), with(ann, "no key either", ""))
	t.update(func(tx vitrine.Tx) error {
		t.is("a key again", tx.AddUpload(second), vitrine.ErrExists)
		first.Replaced = true
		return errors.Join(tx.PutUpload(first), tx.AddUpload(second))
	})
	t.read(func(tx vitrine.Tx) error {
		got, err1 := tx.UploadByKey(ann.ID, key)
		vitrinetest.Equal(t, "upload by key", got, second)
		other, err2 := tx.UploadByKey(bob.ID, key)
		vitrinetest.Equal(t, "another account's upload by the same key", other, bobs)
		_, err := tx.UploadByKey(ann.ID, "")
		t.is("upload by no key", err, vitrine.ErrNotFound)
		return errors.Join(err1, err2)
	})
	second.Replaced = true
	third := with(ann, "third", key)
	t.update(func(tx vitrine.Tx) error {
		if err := tx.PutUpload(second); err != nil {
			return err
		}
		_, err := tx.UploadByKey(ann.ID, key)
		t.is("upload by a key whose uploads are replaced", err, vitrine.ErrNotFound)
		return tx.AddUpload(third)
	})
}

func (t storeTest) uploadCounts() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	at := func(a *vitrine.Account, s vitrine.UploadState, created, hold time.Duration, size int64) *vitrine.Upload {
		u := upload(a, "u")
		u.State, u.CreatedAt, u.HoldUntil, u.Size = s, vitrinetest.Epoch.Add(created), vitrinetest.Epoch.Add(hold), size
		return u
	}
	held := at(ann, vitrine.UploadOpen, 10*time.Minute, 20*time.Minute, 100)
	t.add(
		at(ann, vitrine.UploadDone, 0, 20*time.Minute, 1),
		at(ann, vitrine.UploadFailed, 5*time.Minute, 20*time.Minute, 2),
		held,
		at(ann, vitrine.UploadOpen, 15*time.Minute, 25*time.Minute, 1000),
		at(bob, vitrine.UploadOpen, 12*time.Minute, 30*time.Minute, 50),
	)
	t.read(func(tx vitrine.Tx) error {
		for _, c := range []struct {
			a      *vitrine.Account
			since  time.Duration
			n      int64
			oldest time.Time
		}{
			{ann, 0, 4, vitrinetest.Epoch},
			{ann, time.Millisecond, 3, vitrinetest.Epoch.Add(5 * time.Minute)},
			{ann, 15 * time.Minute, 1, vitrinetest.Epoch.Add(15 * time.Minute)},
			{ann, 15*time.Minute + time.Millisecond, 0, time.Time{}},
			{bob, 0, 1, vitrinetest.Epoch.Add(12 * time.Minute)},
		} {
			n, oldest, err := tx.CountUploads(c.a.ID, vitrinetest.Epoch.Add(c.since))
			if err != nil {
				return err
			}
			if n != c.n || !oldest.Equal(c.oldest) {
				t.Errorf("uploads of %s since %v = %d, oldest %v, want %d, %v", c.a.Email, c.since, n, oldest, c.n,
					c.oldest)
			}
		}
		for _, c := range []struct {
			now      time.Duration
			except   vitrine.UploadID
			n, bytes int64
		}{
			{0, "", 2, 1100},
			{0, held.ID, 1, 1000},
			{20*time.Minute - time.Millisecond, "", 2, 1100},
			{20 * time.Minute, "", 1, 1000},
			{25 * time.Minute, "", 0, 0},
		} {
			n, bytes, err := tx.Held(ann.ID, vitrinetest.Epoch.Add(c.now), c.except)
			if err != nil {
				return err
			}
			if n != c.n || bytes != c.bytes {
				t.Errorf("held after %v without %q = %d with %d bytes, want %d with %d", c.now, c.except, n, bytes, c.n,
					c.bytes)
			}
		}
		for _, c := range []struct {
			now    time.Duration
			except vitrine.UploadID
			what   vitrine.Holding
			n      int64
			want   time.Duration // 0 if they hold less
		}{
			{0, "", vitrine.Slots, 1, 20 * time.Minute},
			{0, "", vitrine.Slots, 2, 25 * time.Minute},
			{0, "", vitrine.Slots, 3, 0},
			{0, held.ID, vitrine.Slots, 1, 25 * time.Minute},
			{0, "", vitrine.Bytes, 100, 20 * time.Minute},
			{0, "", vitrine.Bytes, 101, 25 * time.Minute},
			{0, "", vitrine.Bytes, 1100, 25 * time.Minute},
			{0, "", vitrine.Bytes, 1101, 0},
			{20 * time.Minute, "", vitrine.Slots, 1, 25 * time.Minute},
			{25 * time.Minute, "", vitrine.Slots, 1, 0},
		} {
			want := time.Time{}
			if c.want != 0 {
				want = vitrinetest.Epoch.Add(c.want)
			}
			got, err := tx.HeldUntil(ann.ID, vitrinetest.Epoch.Add(c.now), c.except, c.what, c.n)
			if err != nil {
				return err
			}
			if !got.Equal(want) {
				t.Errorf("%d of holding %d are released at %v, as of %v without %q, want %v", c.n, c.what, got, c.now,
					c.except, want)
			}
		}
		return nil
	})
}

func (t storeTest) uploadSlugs() {
	ann := t.account("ann@example.org")
	holder, done, none := upload(ann, "holder"), upload(ann, "done"), upload(ann, "none")
	holder.Slug, done.Slug, done.State = "mine", "used", vitrine.UploadDone
	t.add(holder, done, none)
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.SlugHolder("mine", holder.HoldUntil.Add(-time.Millisecond))
		vitrinetest.Equal(t, "holder of a slug", got, holder)
		for _, c := range []struct {
			why  string
			slug vitrine.Slug
			at   time.Time
		}{
			{"whose hold has ended", "mine", holder.HoldUntil},
			{"whose upload is done", "used", vitrinetest.Epoch},
			{"nobody asked for", "free", vitrinetest.Epoch},
			{"that is none", "", vitrinetest.Epoch},
		} {
			_, err := tx.SlugHolder(c.slug, c.at)
			t.is("holder of a slug "+c.why, err, vitrine.ErrNotFound)
		}
		return err
	})
}

func (t storeTest) staleUploads() {
	ann := t.account("ann@example.org")
	var all []*vitrine.Upload
	for i := range 4 {
		u := upload(ann, "u")
		u.CreatedAt = vitrinetest.Epoch.Add(time.Duration(4-i) * time.Hour)
		all = append(all, u)
	}
	all[1].State = vitrine.UploadFailed
	t.add(all...)
	t.read(func(tx vitrine.Tx) error {
		for _, c := range []struct {
			state  vitrine.UploadState
			before time.Duration
			n      int
			want   []*vitrine.Upload
		}{
			{vitrine.UploadOpen, 100 * time.Hour, 10, []*vitrine.Upload{all[3], all[2], all[0]}},
			{vitrine.UploadOpen, 100 * time.Hour, 2, []*vitrine.Upload{all[3], all[2]}},
			{vitrine.UploadOpen, 2 * time.Hour, 10, []*vitrine.Upload{all[3]}},
			{vitrine.UploadFailed, 100 * time.Hour, 10, []*vitrine.Upload{all[1]}},
			{vitrine.UploadDone, 100 * time.Hour, 10, nil},
		} {
			got, err := tx.StaleUploads(c.state, vitrinetest.Epoch.Add(c.before), c.n)
			if err != nil {
				return err
			}
			vitrinetest.Equal(t, "stale uploads", got, c.want)
		}
		return nil
	})
}
