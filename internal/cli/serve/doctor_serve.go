package serve

import (
	"context"
	"errors"
	"net"
	"syscall"
)

// variables warns about variables that look like ours, but that nothing reads.
func (d *doctor) variables(context.Context) {
	for _, v := range d.unknown() {
		advice := "Correct or remove it."
		if v[1] != "" {
			advice = "Did you mean " + v[1] + "?"
		}
		d.report("environment", warning, "%s is set, but it is not a setting of Vitrine. %s", v[0], advice)
	}
}

// address reports whether a server can listen, unless one runs already.
func (d *doctor) address(context.Context) {
	if d.serving {
		return
	}
	l, err := net.Listen("tcp", d.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		d.report("address", wrong, "%s.", upperFirst(cannotListen(d.Listen, err).Error()))
	case err == nil:
		_ = l.Close()
	}
}
