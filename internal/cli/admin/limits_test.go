package admin

import (
	"testing"

	"vitrine"
)

func TestBounds(t *testing.T) {
	free := vitrine.DefaultPlans()[vitrine.PlanFree]
	for in, want := range map[string]vitrine.Limits{
		"links=3": {Links: 3, FileBytes: 25 * vitrine.MB, StorageBytes: 250 * vitrine.MB,
			HourlyUploads: 20, Versions: 1, Recipients: 500},
		"file=1MiB, storage=2GB": {Links: 10, FileBytes: 1 << 20, StorageBytes: 2 * vitrine.GB,
			HourlyUploads: 20, Versions: 1, Recipients: 500},
		"links=0,uploads=0": {FileBytes: 25 * vitrine.MB, StorageBytes: 250 * vitrine.MB, Versions: 1, Recipients: 500},
		"file=1234": {Links: 10, FileBytes: 1234, StorageBytes: 250 * vitrine.MB, HourlyUploads: 20,
			Versions: 1, Recipients: 500},
		Format(vitrine.Limits{}): {},
		Format(free):             free,
	} {
		var b Bounds
		if err := b.UnmarshalText([]byte(in)); err != nil {
			t.Errorf("UnmarshalText(%q) = %v, want nil", in, err)
		} else if got := b.Over(free); got != want {
			t.Errorf("limits of %q = %+v, want %+v", in, got, want)
		}
	}
	for _, in := range []string{"", "links", "links=", "links=-1", "links=1.5", "links=x", "files=3", "Links=3",
		"file=25XB", "links=1,links=2",
		"links=1,", "file=99999999EB", "links=99999999999999999999"} {
		if err := new(Bounds).UnmarshalText([]byte(in)); err == nil {
			t.Errorf("UnmarshalText(%q) = nil, want an error", in)
		}
	}
}

func FuzzBounds(f *testing.F) {
	f.Add("links=10,file=25MB,storage=250MB,uploads=20")
	f.Fuzz(func(t *testing.T, s string) {
		var b Bounds
		if b.UnmarshalText([]byte(s)) != nil {
			return
		}
		if l := b.Over(vitrine.Limits{}); l.Links < 0 || l.FileBytes < 0 || l.StorageBytes < 0 || l.HourlyUploads < 0 {
			t.Errorf("limits of %q = %+v, want none below 0", s, l)
		}
	})
}
