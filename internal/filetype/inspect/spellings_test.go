package inspect

import (
	"testing"

	"vitrine/internal/filetype"
)

// TestSpellings checks that a good file is accepted under every spelling of its
// format, with the type that its own extension declares.
func TestSpellings(t *testing.T) {
	tried := map[string]bool{}
	for _, f := range goodFiles() {
		typ, _ := filetype.ByExt("." + f.ext)
		for _, spelling := range typ.Spellings() {
			tried[spelling] = true
			named, err := filetype.ByName("a."+spelling, typ.MIME)
			if err != nil || named.Ext != typ.Ext {
				t.Errorf("%s under the name .%s: %s, %v", f.what, spelling, named.Ext, err)
			}
			if facts, err := inspectBytes(t, spelling, f.data); verdict(facts, err) != "ok" {
				t.Errorf("%s under the name .%s: %s", f.what, spelling, verdict(facts, err))
			}
		}
	}
	for _, s := range goodArchives() {
		typ, _ := filetype.ByExt("." + s.ext)
		for _, spelling := range typ.Spellings() {
			tried[spelling] = true
		}
	}
	for _, ext := range filetype.Extensions() {
		if !tried[ext] {
			t.Errorf("no sample for %s", ext)
		}
	}
}
