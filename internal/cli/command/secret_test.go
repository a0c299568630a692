package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/cli/terminal"
)

// TestSecretFiles checks that a secret setting can be given as a file, and that
// a file that cannot be the value is an error that names it.
func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const name = "VITRINE_SAMPLE_SECRET"
	missing := filepath.Join(dir, "missing")
	for what, c := range map[string]struct{ variable, file, argument, want, err string }{
		"a file":          {file: path("plain", "hush"), want: "hush"},
		"a line":          {file: path("line", "hush\n"), want: "hush"},
		"a Windows line":  {file: path("crlf", "hush\r\n"), want: "hush"},
		"one line break":  {file: path("two", "hush\n\n"), want: "hush\n"},
		"spaces stay":     {file: path("spaces", " hush "), want: " hush "},
		"a variable":      {variable: "open", want: "open"},
		"an empty one":    {variable: "", file: "", want: ""},
		"the flag wins":   {file: missing, argument: "own", want: "own"},
		"both":            {variable: "open", file: path("both", "hush"), err: name + "_FILE: " + name + " is also set: remove one of the two"},
		"no file":         {file: missing, err: name + "_FILE: open " + missing + ": no such file or directory"},
		"a directory":     {file: dir, err: name + "_FILE: read " + dir + ": is a directory"},
		"an empty file":   {file: path("empty", ""), err: name + "_FILE: " + filepath.Join(dir, "empty") + " is empty"},
		"only a line end": {file: path("blank", "\n"), err: name + "_FILE: " + filepath.Join(dir, "blank") + " is empty"},
		"too large": {file: path("large", strings.Repeat("x", mostSecret+1)),
			err: name + "_FILE: " + filepath.Join(dir, "large") + " has more than 64 KiB, so it is not a setting"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Setenv(name, c.variable)
			t.Setenv(name+fileSuffix, c.file)
			secret := ""
			do := New("do", "Do something.", func(context.Context, *terminal.Terminal) error { return nil })
			do.String(&secret, "secret", "KEY", "The key.").Env(name).Secret()
			p := NewProgram("A program.", "It does something.", "v1")
			p.Add("Commands", do)
			args := []string{"do"}
			if c.argument != "" {
				args = append(args, "--secret", c.argument)
			}
			_, err := p.Parse(args, io.Discard)
			if c.err == "" && (err != nil || secret != c.want) || c.err != "" && (err == nil || err.Error() != c.err) {
				t.Errorf("value %q, error %v; want %q, %q", secret, err, c.want, c.err)
			}
			if unknown := p.UnknownVariables([]string{"VITRINE_X=1", name + "_FILE=x"}); len(unknown) != 1 {
				t.Errorf("unknown variables: %v", unknown)
			}
		})
	}
}
