package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// RunShared tests a vitrine.Store that several processes use. open returns an
// empty one and a second handle as another process would open it, and closes
// both with the test. Changes of one process must become visible to the other
// within a time. 0 means immediately.
func RunShared(t *testing.T, within time.Duration, open func(t *testing.T) (one, other vitrine.Store)) {
	for _, test := range []struct {
		name string
		run  func(one, other storeTest)
		late bool // also tested on stores that see changes with a delay
	}{
		{"Version", func(one, other storeTest) { one.versions(other, within) }, true},
		{"VersionOfOther", func(one, other storeTest) { other.versions(one, within) }, true},
		{"VersionRace", func(one, other storeTest) { one.versionRace(other) }, false},
		{"VersionRaceOfOwn", func(one, _ storeTest) { one.versionRace(one) }, true},
		{"LoginRace", func(one, other storeTest) { one.loginRace(other) }, true},
		{"LeaseRace", func(one, other storeTest) { one.leaseRace(other) }, true},
	} {
		if within > 0 && !test.late {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			one, other := open(t)
			test.run(storeTest{t, one}, storeTest{t, other})
		})
	}
}

// version returns the current version and adds it to the set of earlier ones.
func (t storeTest) version(before map[int64]bool) int64 {
	t.Helper()
	v, err := t.store.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	before[v] = true
	return v
}

// versions changes a row of each kind, through this handle or another one. Each
// change must become visible within the time.
func (t storeTest) versions(by storeTest, within time.Duration) {
	a := t.account("ann@example.org")
	l, u := link(a, "slug", 0), upload(a, "u")
	k := &vitrine.APIKey{Account: a.ID, CreatedAt: vitrinetest.Epoch}
	seen := map[int64]bool{}
	t.version(seen)
	for _, change := range []struct {
		what string
		f    func(vitrine.Tx) error
	}{
		{"AddLink", func(tx vitrine.Tx) error { return tx.AddLink(l) }},
		{"PutLink", func(tx vitrine.Tx) error { l.State = vitrine.StateDisabled; return tx.PutLink(l) }},
		{"PutLink of a deleted one", func(tx vitrine.Tx) error {
			l.DeletedAt = vitrinetest.Epoch
			return tx.PutLink(l)
		}},
		{"ReleaseSlugs", func(tx vitrine.Tx) error {
			_,
				err := tx.ReleaseSlugs(vitrinetest.Epoch.Add(time.Second))
			return err
		}},
		{"AddAccount", func(tx vitrine.Tx) error {
			return tx.AddAccount(&vitrine.Account{Email: "bob@example.org", ViewerKey: []byte("k"),
				CreatedAt: vitrinetest.Epoch})
		}},
		{"PutAccount", func(tx vitrine.Tx) error { a.Banned = true; return tx.PutAccount(a) }},
		{"AddKey", func(tx vitrine.Tx) error { return tx.AddKey(k) }},
		{"PutKey", func(tx vitrine.Tx) error { k.RevokedAt = vitrinetest.Epoch; return tx.PutKey(k) }},
		{"AddUpload", func(tx vitrine.Tx) error { return tx.AddUpload(u) }},
		{"PutUpload", func(tx vitrine.Tx) error { u.State = vitrine.UploadDone; return tx.PutUpload(u) }},
		{"DeleteUpload", func(tx vitrine.Tx) error { return tx.DeleteUpload(u.ID) }},
		{"AddOneTimeToken", func(tx vitrine.Tx) error {
			return tx.AddOneTimeToken(&vitrine.OneTimeToken{Purpose: vitrine.TokenSetup, CreatedAt: vitrinetest.Epoch})
		}},
		{"AddLogin", func(tx vitrine.Tx) error {
			return tx.AddLogin(&vitrine.Login{Code: "BBBBBBBB", CreatedAt: vitrinetest.Epoch,
				ExpiresAt: vitrinetest.Epoch})
		}},
		{"PutOldSlug", func(tx vitrine.Tx) error {
			return tx.PutOldSlug(&vitrine.OldSlug{Slug: "before", Link: l.ID, Until: vitrinetest.Epoch})
		}},
		{"DeleteOldSlug", func(tx vitrine.Tx) error { return tx.DeleteOldSlug("before") }},
		{"PutSecret", func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("v")) }},
	} {
		by.update(change.f)
		was, changed := len(seen), time.Now()
		v := t.version(seen)
		for ticker := time.NewTicker(time.Millisecond); len(seen) == was &&
			time.Since(changed) < within; v = t.version(seen) {
			<-ticker.C
		}
		if len(seen) == was {
			t.Errorf("version after %s = %d, which is an earlier one", change.what, v)
		}
	}
}

// versionRace tests that data read under one version stays valid while the
// version is unchanged.
func (t storeTest) versionRace(other storeTest) {
	const changes = 200
	t.update(func(tx vitrine.Tx) error { return tx.PutSecret("n", []byte{0}) })
	var done atomic.Int64 // number of completed changes
	vitrinetest.Race(4, func(i int) {
		if i == 0 {
			for n := range changes {
				err := other.store.Update(ctx, func(tx vitrine.Tx) error {
					return tx.PutSecret("n", []byte{byte(n + 1)})
				})
				if err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
			return
		}
		version, value := int64(-1), byte(0)
		for done.Load() < changes {
			least := done.Load()
			now, err := t.store.Version(ctx)
			if err == nil && now != version {
				version = now
				err = t.store.Read(ctx, func(tx vitrine.Tx) error {
					v, err := tx.Secret("n")
					if err == nil {
						value = v[0]
					}
					return err
				})
			}
			if err != nil {
				t.Error(err)
				return
			}
			if int64(value) < least {
				t.Errorf("change %d has returned, but at version %d the value is still %d", least, version, value)
			}
		}
	})
}
