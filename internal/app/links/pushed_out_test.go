package links_test

import (
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/publish"
)

// TestPushedOutByKey checks that versions that were sent with a key without the
// scope full push out no other one for thirty days, so that such a key
// deletes nothing by replacing a file often.
func TestPushedOutByKey(t *testing.T) {
	v := newVersioned(t)
	v.Versions.Plans = vitrine.Plans{v.Account.Plan: {Versions: 2}}
	v.Uploads.Plans = v.Versions.Plans
	keys := &auth.Keys{Store: v.Store, Now: v.Clock.Now}
	key := func(scope vitrine.KeyScope) vitrine.KeyID {
		k, err := keys.CreateFor(t.Context(), v.Account.Email, auth.KeyRequest{Name: string(scope), Scope: scope})
		v.Must(err)
		return k.ID
	}
	byPublish, full := key(vitrine.ScopePublish), key(vitrine.ScopeFull)
	send := func(by vitrine.KeyID, text, want string) {
		t.Helper()
		v.Clock.Advance(4 * time.Minute)
		b, err := v.Uploads.Create(t.Context(), v.Account, publish.UploadRequest{Name: "note.txt", Type: "text/plain",
			Size: int64(len(text)), Replaces: string(v.link.Slug)})
		v.Must(err)
		v.put(b.Path, text)
		_, err = v.Uploads.Complete(t.Context(), v.Account, publish.CompleteRequest{Path: string(b.Path), Name: "note.txt",
			Type: "text/plain", Replaces: string(v.link.Slug), Key: by})
		v.Must(err)
		v.want(text, want)
	}
	send(0, "text 2", "2 live current; 1 live; ")
	send(full, "text 3", "3 live current; 2 live; 1 live; ")
	send(byPublish, "text 4", "4 live current; 3 live; 2 live; 1 live; ")
	send(byPublish, "text 5", "5 live current; 4 live; 3 live; 2 live; 1 live; ")
	_, err := v.Versions.Restore(t.Context(), v.Account, string(v.link.Slug), 4, nil)
	v.Must(err)
	v.want("text 4", "5 live; 4 live current; 3 live; 2 live; 1 live; ")
	send(full, "text 6", "6 live current; 5 live; 4 live; 3 live; 2 live; ")
	v.Clock.Advance(30 * 24 * time.Hour)
	send(byPublish, "text 7", "7 live current; 6 live; 5 live; 4 live; ")
}
