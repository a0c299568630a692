package vitrinetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FontsVariable is the environment variable that names the set of fonts of the
// browsers in tests: "dejavu", the default, or "noto". A page must be right
// with both, which differ in width and height.
const FontsVariable = "VITRINE_TEST_FONTS"

// fontSets are the directories of each set. Debian's fonts-dejavu-core,
// fonts-noto-core and fonts-liberation bring them.
var fontSets = map[string][]string{
	"dejavu": {"/usr/share/fonts/truetype/dejavu"},
	"noto":   {"/usr/share/fonts/truetype/noto", "/usr/share/fonts/truetype/liberation"},
}

// Profile returns a directory for a browser of one test. Processes of a browser
// can outlive its first one for a moment and write there, which may leave files
// behind but does not fail the test.
func Profile(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Fonts returns the setting of the environment with which a program sees only
// the fonts of the run's set, whatever else the machine has. Its configuration
// is a file in dir.
func Fonts(t testing.TB, dir string) string {
	t.Helper()
	set := os.Getenv(FontsVariable)
	if set == "" {
		set = "dejavu"
	}
	folders, ok := fontSets[set]
	if !ok {
		t.Fatalf("%s=%s: want dejavu or noto", FontsVariable, set)
	}
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"urn:fontconfig:fonts.dtd\">\n<fontconfig>\n")
	for _, folder := range folders {
		if _, err := os.Stat(folder); err != nil {
			Missing(t, "the font directory "+folder)
		}
		fmt.Fprintf(&b, "<dir>%s</dir>\n", folder)
	}
	b.WriteString("<include ignore_missing=\"yes\">/etc/fonts/conf.d</include>\n" +
		"<cachedir>/var/cache/fontconfig</cachedir>\n<cachedir prefix=\"xdg\">fontconfig</cachedir>\n</fontconfig>\n")
	path := filepath.Join(dir, "fonts.conf")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "FONTCONFIG_FILE=" + path
}
