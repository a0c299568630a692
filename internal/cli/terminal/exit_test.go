package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/terminal"
)

func TestExitCode(t *testing.T) {
	refused := func(code, field string) error { return &client.Error{Code: code, Field: field} }
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{refused("rate_limited", ""), 75},
		{&client.Error{Status: 503}, 75},
		{&vitrine.Error{Code: vitrine.CodeUnavailable}, 75},
		{errors.New("disk full"), 1},
		{terminal.Usage("name a link"), 2},
		{fmt.Errorf("a.txt: %w", terminal.Usage("bad")), 2},
		{terminal.NoAccess("there is no API key"), 4},
		{refused("unauthorized", ""), 4},
		{refused("forbidden", ""), 4},
		{refused("banned", ""), 4},
		{refused("not_found", ""), 3},
		{&vitrine.Error{Code: vitrine.CodeNotFound}, 3},
		{terminal.ErrDeclined, 1},
		{fmt.Errorf("a.txt: %w", context.Canceled), 130},
		{terminal.Failures("2 of 3", []error{refused("not_found", ""), refused("not_found", "")}), 3},
		{terminal.Failures("2 of 3", []error{refused("not_found", ""), errors.New("disk full")}), 1},
		{refused("invalid_request", "expiresAt"), 2},
		{refused("invalid_request", ""), 1},
		{refused("invalid_slug", ""), 2},
		{&vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email"}, 2},
		{&vitrine.Error{Code: vitrine.CodeInvalidRequest}, 1},
		{&vitrine.Error{Code: vitrine.CodeBanned}, 1}, // of a command of the administrator
		{errors.Join(terminal.Usage("bad"), terminal.NoAccess("none")), 4},
	} {
		if got := terminal.ExitCode(c.err); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}
