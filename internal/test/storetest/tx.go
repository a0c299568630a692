package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) secret(name string) (v []byte) {
	t.Helper()
	t.read(func(tx vitrine.Tx) (err error) {
		if v, err = tx.Secret(name); errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		return err
	})
	return v
}

func (t storeTest) rollback() {
	a := t.account("ann@example.org")
	err := t.store.Update(ctx, func(tx vitrine.Tx) error {
		a := *a
		a.Banned = true
		err := errors.Join(tx.PutAccount(&a), tx.PutSecret("s", []byte("v")), tx.AddLink(link(&a, "slug", 0)),
			tx.AddUpload(upload(&a, "u")))
		if err != nil {
			t.Error(err)
		}
		return vitrinetest.ErrAbandoned
	})
	if err != vitrinetest.ErrAbandoned {
		t.Errorf("Update whose function fails = %v, want the same error value", err)
	}
	err = t.store.Read(ctx, func(vitrine.Tx) error { return vitrinetest.ErrAbandoned })
	if err != vitrinetest.ErrAbandoned {
		t.Errorf("Read whose function fails = %v, want the same error value", err)
	}
	vitrinetest.Equal(t, "secret of an abandoned transaction", t.secret("s"), nil)
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.Account(a.ID)
		vitrinetest.Equal(t, "account that an abandoned transaction changed", got, a)
		n, _, err2 := tx.CountLinks(a.ID)
		vitrinetest.Equal(t, "links of an abandoned transaction", n, 0)
		return errors.Join(err, err2)
	})
}

func (t storeTest) panics() {
	for i := range 10 { // more than a connection pool has
		for _, run := range []func(context.Context, func(vitrine.Tx) error) error{t.store.Update, t.store.Read} {
			func() {
				defer func() { vitrinetest.Equal(t, "panic", recover(), any("oh")) }()
				_ = run(ctx, func(tx vitrine.Tx) error {
					if i%2 == 0 {
						_ = tx.PutSecret("s", []byte("v"))
					}
					panic("oh")
				})
			}()
		}
	}
	vitrinetest.Equal(t, "secret of a transaction that panicked", t.secret("s"), nil)
	t.update(func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("w")) })
	vitrinetest.Equal(t, "secret", t.secret("s"), []byte("w"))
}

// refusals tests that a transaction can continue after an error about an
// existing or missing row.
func (t storeTest) refusals() {
	a := t.account("ann@example.org")
	l, u := link(a, "slug", 0), upload(a, "u")
	u.IdempotencyKey = "123e4567-e89b-12d3-a456-426614174000"
	k := &vitrine.APIKey{Account: a.ID, Hash: [32]byte{1}, CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.AddLink(l), tx.AddUpload(u), tx.AddKey(k)) })
	t.update(func(tx vitrine.Tx) error {
		if err := tx.PutSecret("before", []byte("1")); err != nil {
			return err
		}
		second := upload(a, "v")
		second.IdempotencyKey = u.IdempotencyKey
		t.is("account", tx.AddAccount(&vitrine.Account{Email: a.Email, ViewerKey: []byte("k"),
			CreatedAt: vitrinetest.Epoch}), vitrine.ErrExists)
		t.is("link", tx.AddLink(link(a, "slug", 0)), vitrine.ErrExists)
		t.is("upload", tx.AddUpload(second), vitrine.ErrExists)
		t.is("key", tx.AddKey(&vitrine.APIKey{Account: a.ID, Hash: k.Hash, CreatedAt: vitrinetest.Epoch}),
			vitrine.ErrExists)
		t.is("absent", tx.PutLink(&vitrine.Link{ID: 999, Account: a.ID, Slug: "none", CreatedAt: vitrinetest.Epoch}),
			vitrine.ErrNotFound)
		_, err := tx.Link(999)
		t.is("absent", err, vitrine.ErrNotFound)
		return errors.Join(tx.AddLink(link(a, "slug-2", 0)), tx.PutSecret("after", []byte("2")))
	})
	vitrinetest.Equal(t, "secrets", [2]string{string(t.secret("before")), string(t.secret("after"))},
		[2]string{"1", "2"})
	t.read(func(tx vitrine.Tx) error {
		n, _, err := tx.CountLinks(a.ID)
		vitrinetest.Equal(t, "links", n, 2)
		return err
	})
}

func (t storeTest) dead() {
	var kept vitrine.Tx
	t.update(func(tx vitrine.Tx) error { kept = tx; return nil })
	if err := kept.PutSecret("s", []byte("v")); err == nil {
		t.Error("a transaction can write after its end")
	}
	t.read(func(tx vitrine.Tx) error { kept = tx; return nil })
	if _, err := kept.HasAccounts(); err == nil {
		t.Error("a transaction can read after its end")
	}
	vitrinetest.Equal(t, "secret", t.secret("s"), nil)
}

func (t storeTest) cancelled() {
	gone, cancel := context.WithCancel(ctx)
	cancel()
	ran := false
	f := func(tx vitrine.Tx) error { ran = true; return nil }
	t.is("Update without a caller", t.store.Update(gone, f), context.Canceled)
	t.is("Read without a caller", t.store.Read(gone, f), context.Canceled)
	_, err := t.store.Version(gone)
	t.is("Version without a caller", err, context.Canceled)
	if ran {
		t.Error("a transaction ran although its context had ended")
	}
}

func (t storeTest) snapshot() {
	t.update(func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("old")) })
	t.read(func(tx vitrine.Tx) error {
		before, err := tx.Secret("s")
		if err != nil {
			return err
		}
		t.update(func(tx vitrine.Tx) error {
			return errors.Join(tx.PutSecret("s", []byte("new")), tx.PutSecret("other", []byte("new")))
		})
		after, err := tx.Secret("s")
		vitrinetest.Equal(t, "secret, read again over the same snapshot", after, before)
		_, other := tx.Secret("other")
		t.is("secret that is newer than the snapshot", other, vitrine.ErrNotFound)
		return err
	})
	vitrinetest.Equal(t, "secret after an Update that returned", t.secret("s"), []byte("new"))
}

// limit runs a hundred transactions that compete for the last free slot.
func (t storeTest) limit() {
	const slots = 10
	a := t.account("ann@example.org")
	for i := range slots - 1 {
		t.addLinks(link(a, vitrine.Slug(fmt.Sprintf("link-%d", i)), 0))
	}
	errFull := errors.New("full")
	var passed atomic.Int64
	vitrinetest.Race(vitrinetest.Racers, func(i int) {
		err := t.store.Update(ctx, func(tx vitrine.Tx) error {
			n, _, err := tx.CountLinks(a.ID)
			if err != nil {
				return err
			}
			if n >= slots {
				return errFull
			}
			return tx.AddLink(link(a, vitrine.Slug(fmt.Sprintf("racer-%d", i)), 0))
		})
		if err == nil {
			passed.Add(1)
		} else if err != errFull {
			t.Errorf("racer %d: %v", i, err)
		}
	})
	vitrinetest.Equal(t, "transactions that passed the limit", passed.Load(), 1)
	t.read(func(tx vitrine.Tx) error {
		n, _, err := tx.CountLinks(a.ID)
		vitrinetest.Equal(t, "links", n, slots)
		return err
	})
}

func (t storeTest) increments() {
	t.update(func(tx vitrine.Tx) error { return tx.PutSecret("n", make([]byte, 8)) })
	vitrinetest.Race(vitrinetest.Racers, func(int) {
		err := t.store.Update(ctx, func(tx vitrine.Tx) error {
			v, err := tx.Secret("n")
			if err != nil {
				return err
			}
			return tx.PutSecret("n", binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(v)+1))
		})
		if err != nil {
			t.Error(err)
		}
	})
	vitrinetest.Equal(t, "sum of increments", binary.BigEndian.Uint64(t.secret("n")), vitrinetest.Racers)
}

// writeSkew runs two transactions that each read what the other writes. One of
// two accounts must remain.
func (t storeTest) writeSkew() {
	for range 20 {
		t.update(func(tx vitrine.Tx) error {
			return errors.Join(tx.PutSecret("0", []byte("on")), tx.PutSecret("1", []byte("on")))
		})
		vitrinetest.Race(2, func(i int) {
			err := t.store.Update(ctx, func(tx vitrine.Tx) error {
				other, err := tx.Secret(fmt.Sprint(1 - i))
				if err != nil || string(other) == "off" {
					return err
				}
				return tx.PutSecret(fmt.Sprint(i), []byte("off"))
			})
			if err != nil {
				t.Error(err)
			}
		})
		if string(t.secret("0"))+string(t.secret("1")) == "offoff" {
			t.Fatal("both transactions succeeded without seeing each other's change")
		}
	}
}

// idempotency runs a hundred transactions that start an upload with the same
// key.
func (t storeTest) idempotency() {
	a := t.account("ann@example.org")
	const key = "123e4567-e89b-12d3-a456-426614174000"
	var made atomic.Int64
	ids := make([]vitrine.UploadID, vitrinetest.Racers)
	vitrinetest.Race(vitrinetest.Racers, func(i int) {
		added := false
		err := t.store.Update(ctx, func(tx vitrine.Tx) error {
			added = false
			u, err := tx.UploadByKey(a.ID, key)
			if errors.Is(err, vitrine.ErrNotFound) {
				u = upload(a, "u")
				u.IdempotencyKey = key
				err = tx.AddUpload(u)
				added = err == nil
			}
			if err == nil {
				ids[i] = u.ID
			}
			return err
		})
		if err != nil {
			t.Errorf("racer %d: %v", i, err)
		}
		if added {
			made.Add(1)
		}
	})
	vitrinetest.Equal(t, "uploads made", made.Load(), 1)
	for _, id := range ids {
		vitrinetest.Equal(t, "upload of the key", id, ids[0])
	}
}

// whole moves amounts between two rows while others read. Readers must never
// see half of a transfer.
func (t storeTest) whole() {
	put := func(tx vitrine.Tx, a, b byte) error {
		return errors.Join(tx.PutSecret("a", []byte{a}), tx.PutSecret("b", []byte{b}))
	}
	t.update(func(tx vitrine.Tx) error { return put(tx, 0, 200) })
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				err := t.store.Read(ctx, func(tx vitrine.Tx) error {
					a, err1 := tx.Secret("a")
					b, err2 := tx.Secret("b")
					if err1 == nil && err2 == nil && a[0]+b[0] != 200 {
						t.Errorf("a reader saw %d and %d, want a sum of 200", a[0], b[0])
					}
					return errors.Join(err1, err2)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range byte(100) {
		t.update(func(tx vitrine.Tx) error { return put(tx, i+1, 199-i) })
	}
	done.Store(true)
	readers.Wait()
}
