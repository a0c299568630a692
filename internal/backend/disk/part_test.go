package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartsInAnyDirectory checks that parts are found in a directory with any
// name.
func TestPartsInAnyDirectory(t *testing.T) {
	for _, name := range []string{"plain", "data[1]", "data[1"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		b := newBlobs(t, dir)
		g := grant(5)
		if _, err := b.Receive(ctx, g, strings.NewReader("hello")); err != nil {
			t.Fatal(err)
		}
		if err := b.PutPart(ctx, g.Key, "picture", strings.NewReader("a picture")); err != nil {
			t.Fatal(err)
		}
		if err := b.Delete(ctx, g.Key); err != nil {
			t.Errorf("%s: Delete = %v, want nil", name, err)
		}
		if _, err := b.OpenPart(ctx, g.Key, "picture"); err == nil {
			t.Errorf("%s: the part exists after Delete", name)
		}
	}
}
