package terminal

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"

	"vitrine"
	"vitrine/client"
)

// TestRefusedNamesTheFlag checks that errors of the API name what was typed.
func TestRefusedNamesTheFlag(t *testing.T) {
	to := &Target{Server: "https://share.example", Key: "x", Link: "nope"}
	for _, c := range []struct {
		err  client.Error
		want string
	}{
		{client.Error{Status: 400, Code: "bad_range", Field: "from", Message: "from is wrong: x."},
			"--from is wrong: x (bad_range)"},
		{client.Error{Status: 400, Code: "invalid_request", Field: "expiresAt", Message: "Choose a later time."},
			"--expires: choose a later time (invalid_request)"},
		{client.Error{Status: 400, Code: "invalid_request", Field: "name", Message: "The name is too long."},
			"the name is too long (invalid_request)"},
		{client.Error{Status: 404, Code: "not_found", Message: "Link not found."},
			`there is no link "nope" at share.example (not_found)`},
	} {
		if got := (&Terminal{Asked: to}).Sentence(&c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestUnreachableStorage checks that the message names both addresses.
func TestUnreachableStorage(t *testing.T) {
	to := &Target{Server: "http://localhost:8080", Key: "x"}
	err := &client.StorageError{Address: "https://share.example", Err: &net.OpError{Op: "dial",
		Err: &net.DNSError{Name: "share.example", IsNotFound: true}}}
	const want = "cannot reach https://share.example, which http://localhost:8080 names for uploads: " +
		"there is no host share.example. Check --public-url and --files of the server"
	if got := (&Terminal{Asked: to}).Sentence(err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSentence checks the case of the first letter and the end of messages.
func TestSentence(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("disk full"), "disk full"},
		{errors.New("Bad.exe.pdf is a directory."), "Bad.exe.pdf is a directory"},
		{&NamedError{"Bad exe.pdf", vitrine.Errorf(vitrine.CodeNotFound, "Files are missing.")},
			"Bad exe.pdf: files are missing"},
		{&NamedError{"Report", &client.Error{Code: "invalid_name", Message: "Rename it."}},
			"Report: rename it (invalid_name)"},
		{vitrine.Errorf(vitrine.CodeNotFound, "There is no such key."), "there is no such key"},
		{&vitrine.Error{Message: "The log is full.", Err: errors.New("ENOSPC")}, "the log is full (ENOSPC)"},
		{errors.New("PostgreSQL 12 is too old. Use 14 or newer."), "PostgreSQL 12 is too old. Use 14 or newer"},
		{errors.New("Vitrine needs a directory."), "Vitrine needs a directory"},
		{errors.New("A link needs a title."), "a link needs a title"},
		{errors.New("Écrit"), "Écrit"},
		{errors.New(""), ""},
		{fmt.Errorf("a.md: %w", &client.Error{Message: "Macros are refused.", Code: "unsafe_file"}),
			"a.md: macros are refused (unsafe_file)"},
	} {
		if got := new(Terminal).Sentence(c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAdvice checks the lines after a message.
func TestAdvice(t *testing.T) {
	with := &Terminal{Asked: &Target{Server: "https://share.example", Link: "nope"}}
	missing := &client.Error{Status: 404, Code: "not_found", Message: "Link not found."}
	for _, c := range []struct {
		err  error
		want []string
	}{
		{errors.New("disk full"), nil},
		{Usage("name a link"), []string{"Try: vitrine rm --help"}},
		{missing, []string{"Try: " + Self() + " ls"}},
		{&AdvisedError{Err: Usage("bad"), Lines: []string{"Not tried: b"}}, []string{"Not tried: b", "Try: vitrine rm --help"}},
	} {
		if got := with.Advice(c.err, "vitrine rm --help"); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
