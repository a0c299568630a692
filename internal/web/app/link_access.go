package app

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/app/access"
)

// accessChange reads the form of what readers need.
func accessChange(f url.Values) *access.Change {
	c := &access.Change{}
	switch {
	case f.Get("remove") == "password":
		c.Password = new(string)
	case f.Get("password") != "":
		c.Password = new(f.Get("password"))
	}
	if f.Has("readers") {
		n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(f.Get("readers")), "0"))
		if err != nil {
			n = -1 // which is refused
		}
		c.Readers = &n
	}
	return c
}
