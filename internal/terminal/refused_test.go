package terminal

import (
	"testing"

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
			"--from is wrong: x. (bad_range)"},
		{client.Error{Status: 400, Code: "invalid_request", Field: "expiresAt", Message: "Choose a later time."},
			"--expires: Choose a later time. (invalid_request)"},
		{client.Error{Status: 400, Code: "invalid_request", Field: "name", Message: "The name is too long."},
			"The name is too long. (invalid_request)"},
		{client.Error{Status: 404, Code: "not_found", Message: "Link not found."},
			`There is no link "nope" at share.example. To list your links: ` + Self() + " ls (not_found)"},
	} {
		if got := (&Terminal{Asked: to}).Sentence(&c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
