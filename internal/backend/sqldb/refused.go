package sqldb

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// refusedError is the driver's error for an address that nothing listens at, in
// one sentence.
type refusedError struct {
	address string
	error
}

func (e *refusedError) Error() string { return "nothing listens at " + e.address }

func (e *refusedError) Unwrap() error { return e.error }

// explainRefused shortens the error of a refused connection to a single server.
// It returns other errors unchanged.
func explainRefused(config *pgx.ConnConfig, err error) error {
	other := func(f *pgconn.FallbackConfig) bool { return f.Host != config.Host || f.Port != config.Port }
	if !errors.Is(err, syscall.ECONNREFUSED) || slices.ContainsFunc(config.Fallbacks, other) {
		return err
	}
	return &refusedError{fmt.Sprintf("%s:%d", config.Host, config.Port), err}
}
