package user

import (
	"strings"
	"testing"
)

// TestHostileNames checks that a name of a hostile server becomes no file: no
// hidden one, no option of a command, nothing that a terminal would obey.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"", ".", "..", ".bashrc", ".ssh/config", "-rf", "--help", "a\x1b[2J.txt", "a\u202etxt.pdf",
		"../a.txt", "/etc/passwd", `C:\a.txt`, "a\n.txt", "run.sh", "a.exe", "a.txt\x00", "a.txt ", strings.Repeat("a", 300) + ".txt"} {
		for _, output := range []string{"", dir} {
			if path, _, err := (&getCmd{Output: output}).path(name); err == nil {
				t.Errorf("the name %q becomes the file %q", name, path)
			} else if strings.ContainsAny(err.Error(), "\x1b\u202e\x00") {
				t.Errorf("the error of %q has what a terminal obeys: %q", name, err)
			}
		}
		if _, _, err := (&getCmd{Output: "mine.txt"}).path(name); err != nil {
			t.Errorf("with --output: %v", err)
		}
	}
	for _, name := range []string{"report.pdf", "Größe (2).txt", "a.tar.gz"} {
		if path, _, err := (&getCmd{}).path(name); err != nil || path != name {
			t.Errorf("the name %q becomes the file %q, %v", name, path, err)
		}
	}
}
