package serve

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestNotListening checks that the error of a server that cannot listen says
// what to do.
func TestNotListening(t *testing.T) {
	other := errors.New("other")
	for _, test := range []struct {
		address string
		err     error
		want    string
	}{
		{"127.0.0.1:8080", &os.SyscallError{Syscall: "bind", Err: syscall.EADDRINUSE}, "--listen 127.0.0.1:8081"},
		{":80", syscall.EACCES, "port 80"},
		{":8080", other, "other"},
		{"nonsense", other, "other"},
	} {
		if got := cannotListen(test.address, test.err).Error(); !strings.Contains(got, test.want) {
			t.Errorf("cannotListen(%s, %v) = %s", test.address, test.err, got)
		}
	}
}
