// Package storetest tests the contract of [vitrine.Store].
package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// Run tests a store. open returns an empty one and closes it with the test.
func Run(t *testing.T, open func(t *testing.T) vitrine.Store) {
	for _, test := range []struct {
		name string
		run  func(storeTest)
	}{
		{"Accounts", storeTest.accounts},
		{"AccountLists", storeTest.accountLists},
		{"Keys", storeTest.keys},
		{"AccountsClosed", storeTest.accountsClosed},
		{"Sessions", storeTest.sessions},
		{"Identities", storeTest.identities},
		{"OneTimeTokens", storeTest.oneTimeTokens},
		{"Logins", storeTest.logins},
		{"SharedReports", storeTest.sharedReports},
		{"Places", storeTest.places},
		{"KnownReaders", storeTest.knownReaders},
		{"LeftByReaders", storeTest.leftByReaders},
		{"Gates", storeTest.gates},
		{"SitePages", storeTest.sitePages},
		{"Attempts", storeTest.attempts},
		{"Excess", storeTest.excess},
		{"Leases", storeTest.leases},
		{"Letters", storeTest.letters},
		{"Secrets", storeTest.secrets},
		{"Uploads", storeTest.uploads},
		{"UploadKeys", storeTest.uploadKeys},
		{"UploadCounts", storeTest.uploadCounts},
		{"UploadSlugs", storeTest.uploadSlugs},
		{"SpareFiles", storeTest.spareFiles},
		{"Trash", storeTest.trash},
		{"Labels", storeTest.labels},
		{"StaleUploads", storeTest.staleUploads},
		{"Links", storeTest.links},
		{"LinkSlugs", storeTest.linkSlugs},
		{"ExpiringLinks", storeTest.expiringLinks},
		{"LinkLists", storeTest.linkLists},
		{"LinkSearch", storeTest.linkSearch},
		{"OldSlugs", storeTest.oldSlugs},
		{"Recipients", storeTest.recipients},
		{"LinkCounts", storeTest.linkCounts},
		{"LinkCountsModel", storeTest.linkCountsModel},
		{"Sites", storeTest.sites},
		{"SiteVersions", storeTest.siteVersions},
		{"LinkVersions", storeTest.linkVersions},
		{"Albums", storeTest.albums},
		{"AlbumsWith", storeTest.albumsWith},
		{"AlbumLinks", storeTest.albumLinks},
		{"Changes", storeTest.changes},
		{"Events", storeTest.events}, {"EndedViews", storeTest.endedViews},
		{"Webhooks", storeTest.webhooks},
		{"Deliveries", storeTest.deliveries},
		{"Review", storeTest.review},
		{"Scans", storeTest.scans},
		{"AbuseReports", storeTest.abuseReports},
		{"AbuseReportsForgotten", storeTest.abuseReportsForgotten},
		{"Rollback", storeTest.rollback},
		{"Panic", storeTest.panics},
		{"Refusals", storeTest.refusals},
		{"Dead", storeTest.dead},
		{"Cancelled", storeTest.cancelled},
		{"Snapshot", storeTest.snapshot},
		{"Limit", storeTest.limit},
		{"Increments", storeTest.increments},
		{"ReserveIDs", storeTest.reserveIDs},
		{"ReserveIDsRace", storeTest.reserveIDsRace},
		{"WriteSkew", storeTest.writeSkew},
		{"Idempotency", storeTest.idempotency},
		{"Whole", storeTest.whole},
		{"Version", func(t storeTest) { t.versions(t, 0) }},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(storeTest{t, open(t)}) })
	}
}

type storeTest struct {
	*testing.T
	store vitrine.Store
}

var ctx = context.Background()

func (t storeTest) read(f func(tx vitrine.Tx) error) {
	t.Helper()
	if err := t.store.Read(ctx, f); err != nil {
		t.Fatalf("Read: %v", err)
	}
}

func (t storeTest) update(f func(tx vitrine.Tx) error) {
	t.Helper()
	if err := t.store.Update(ctx, f); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// is checks that err is want.
func (t storeTest) is(what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// account adds a new account.
func (t storeTest) account(email string) *vitrine.Account {
	t.Helper()
	a := &vitrine.Account{Email: email, Plan: vitrine.PlanFree, ViewerKey: []byte("key of " + email),
		ViewerKeyAt: vitrinetest.Epoch, CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return tx.AddAccount(a) })
	return a
}

func (t storeTest) accounts() {
	a := &vitrine.Account{Email: "ann@example.org", Plan: vitrine.PlanPro, ViewerKey: []byte{0, 1, 255},
		Factor:      []byte(`{"secret":"AAE=","passkeys":[{"id":"AQI=","name":"Ann’s phone"}]}`),
		ViewerKeyAt: vitrinetest.Epoch,
		CreatedAt:   vitrinetest.Epoch.Add(time.Millisecond)}
	b := &vitrine.Account{Email: "bob@example.org", Plan: vitrine.PlanFree, Role: vitrine.RoleModerator, Banned: true,
		ViewerKey: []byte("k"), CreatedAt: vitrinetest.Epoch,
		Limits: &vitrine.Limits{Links: 3, FileBytes: 1 << 40, StorageBytes: 5, HourlyUploads: 7, Versions: 9}}
	t.update(func(tx vitrine.Tx) error {
		has, err := tx.HasAccounts()
		vitrinetest.Equal(t, "accounts in an empty store", has, false)
		return errors.Join(err, tx.AddAccount(a), tx.AddAccount(b))
	})
	if a.ID < 1 || b.ID < 1 || a.ID == b.ID {
		t.Fatalf("IDs %d and %d, want two from 1 up", a.ID, b.ID)
	}
	same := *a
	t.update(func(tx vitrine.Tx) error {
		t.is("a second account of an address", tx.AddAccount(&same), vitrine.ErrExists)
		return nil
	})
	check := func(want *vitrine.Account) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			byID, err1 := tx.Account(want.ID)
			byEmail, err2 := tx.AccountByEmail(want.Email)
			vitrinetest.Equal(t, "account by ID", byID, want)
			vitrinetest.Equal(t, "account by address", byEmail, want)
			return errors.Join(err1, err2)
		})
	}
	check(a)
	check(b)
	a.Email, a.Plan, a.Banned, a.Limits = "anna@example.org", vitrine.PlanLifetime, true, &vitrine.Limits{Links: 1}
	a.ViewerKey, a.ViewerKeyAt = []byte("new"), vitrinetest.Epoch.Add(time.Hour)
	a.Role, b.Role = vitrine.RoleOwner, vitrine.RoleMember
	a.Password = "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$c3Vt"
	b.Limits, b.Banned = nil, false
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.PutAccount(a), tx.PutAccount(b)) })
	check(a)
	check(b)
	t.update(func(tx vitrine.Tx) error {
		t.is("Put of no account", tx.PutAccount(&vitrine.Account{ID: 999, Email: "nobody@example.org"}),
			vitrine.ErrNotFound)
		_, err := tx.Account(999)
		t.is("no account by ID", err, vitrine.ErrNotFound)
		_, err = tx.AccountByEmail("ann@example.org")
		t.is("no account by address", err, vitrine.ErrNotFound)
		has, err := tx.HasAccounts()
		vitrinetest.Equal(t, "accounts", has, true)
		return err
	})
	t.update(func(tx vitrine.Tx) error {
		taken := *b
		taken.Email = a.Email
		t.is("Put of an address that another has", tx.PutAccount(&taken), vitrine.ErrExists)
		return nil
	})
	check(b)
	// The caller may modify returned values.
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.Account(a.ID)
		if err == nil {
			got.Email, got.ViewerKey[0], got.Limits.Links = "changed", 'x', 99
		}
		return err
	})
	check(a)
}

func (t storeTest) keys() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	older := &vitrine.APIKey{Account: ann.ID, Name: "older", Hash: [32]byte{1, 255}, Last4: "abcd",
		CreatedAt: vitrinetest.Epoch}
	newer := &vitrine.APIKey{Account: ann.ID, Name: "näher ✓", Hash: [32]byte{2}, Last4: "wxyz",
		CreatedAt: vitrinetest.Epoch.Add(time.Second), UsedAt: vitrinetest.Epoch.Add(time.Minute),
		ExpiresAt: vitrinetest.Epoch.Add(time.Hour),
		Scope:     vitrine.ScopePublish, LinkLife: 36 * time.Hour, Replaced: true, Code: "c"}
	other := &vitrine.APIKey{Account: bob.ID, Name: "other", Hash: [32]byte{3}, CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.AddKey(newer), tx.AddKey(older), tx.AddKey(other)) })
	if older.ID < 1 || older.ID == newer.ID {
		t.Fatalf("IDs %d and %d, want two from 1 up", older.ID, newer.ID)
	}
	t.update(func(tx vitrine.Tx) error {
		t.is("a hash again", tx.AddKey(&vitrine.APIKey{Account: bob.ID, Hash: older.Hash,
			CreatedAt: vitrinetest.Epoch}), vitrine.ErrExists)
		t.is("a code again", tx.AddKey(&vitrine.APIKey{Account: bob.ID, Hash: [32]byte{4}, Code: "c",
			CreatedAt: vitrinetest.Epoch}), vitrine.ErrExists)
		return nil
	})
	older.Scope, older.LinkLife = vitrine.ScopeRead, time.Millisecond
	older.Name, older.RevokedAt, older.ExpiresAt = "revoked", vitrinetest.Epoch.Add(time.Hour),
		vitrinetest.Epoch.Add(2*time.Hour)
	t.update(func(tx vitrine.Tx) error {
		t.is("Put of no key", tx.PutKey(&vitrine.APIKey{ID: 999, Account: ann.ID, CreatedAt: vitrinetest.Epoch}),
			vitrine.ErrNotFound)
		return tx.PutKey(older)
	})
	t.read(func(tx vitrine.Tx) error {
		got, err1 := tx.Keys(ann.ID)
		vitrinetest.Equal(t, "keys, oldest first, revoked ones too", got, []*vitrine.APIKey{older, newer})
		one, err2 := tx.KeyByHash(newer.Hash)
		vitrinetest.Equal(t, "key by hash", one, newer)
		byID, err := tx.Key(newer.ID)
		vitrinetest.Equal(t, "key by ID", byID, newer)
		_, none999 := tx.Key(999)
		t.is("no key by ID", none999, vitrine.ErrNotFound)
		_, err3 := tx.KeyByHash([32]byte{9})
		t.is("no key by hash", err3, vitrine.ErrNotFound)
		none, err4 := tx.Keys(999)
		vitrinetest.Equal(t, "keys of no account", len(none), 0)
		return errors.Join(err, err1, err2, err4)
	})
	t.endedKeys()
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.DeleteKeys(ann.ID), tx.DeleteKeys(999)) })
	t.read(func(tx vitrine.Tx) error {
		none, err1 := tx.Keys(ann.ID)
		vitrinetest.Equal(t, "keys that were deleted", len(none), 0)
		_, err := tx.KeyByHash(newer.Hash)
		t.is("a deleted key by hash", err, vitrine.ErrNotFound)
		got, err2 := tx.Keys(bob.ID)
		vitrinetest.Equal(t, "keys of another", got, []*vitrine.APIKey{other})
		return errors.Join(err1, err2)
	})
}

func (t storeTest) secrets() {
	t.update(func(tx vitrine.Tx) error {
		_, err := tx.Secret("master")
		t.is("no secret", err, vitrine.ErrNotFound)
		return errors.Join(tx.PutSecret("master", []byte{0, 1, 2}), tx.PutSecret("other", []byte("o")))
	})
	t.update(func(tx vitrine.Tx) error {
		v, err := tx.Secret("master")
		vitrinetest.Equal(t, "secret", v, []byte{0, 1, 2})
		return errors.Join(err, tx.PutSecret("master", []byte("new")))
	})
	t.read(func(tx vitrine.Tx) error {
		v, err := tx.Secret("master")
		vitrinetest.Equal(t, "secret that was written again", v, []byte("new"))
		o, err2 := tx.Secret("other")
		vitrinetest.Equal(t, "other secret", o, []byte("o"))
		return errors.Join(err, err2)
	})
}

// upload returns an open upload without conflicts.
func upload(a *vitrine.Account, name string) *vitrine.Upload {
	return &vitrine.Upload{ID: vitrine.NewUploadID(), Account: a.ID, Name: name, Type: "application/pdf", Size: 10,
		State:     vitrine.UploadOpen,
		CreatedAt: vitrinetest.Epoch, HoldUntil: vitrinetest.Epoch.Add(vitrine.UploadHold)}
}

func (t storeTest) add(uploads ...*vitrine.Upload) {
	t.Helper()
	t.update(func(tx vitrine.Tx) error {
		for _, u := range uploads {
			if err := tx.AddUpload(u); err != nil {
				return fmt.Errorf("add %s: %w", u.Name, err)
			}
		}
		return nil
	})
}

func (t storeTest) addLinks(links ...*vitrine.Link) {
	t.Helper()
	t.update(func(tx vitrine.Tx) error {
		for _, l := range links {
			if err := tx.AddLink(l); err != nil {
				return fmt.Errorf("add %s: %w", l.Slug, err)
			}
		}
		return nil
	})
}
