package sqldb

import "context"

type hookKey struct{}

// WithHook returns a context for [DB.Read] and [DB.Update]. Before each
// statement of their transactions hook is called with its text. If hook returns
// an error, the statement is not run and the transaction fails with that error.
//
// It lets tests fail any statement.
func WithHook(ctx context.Context, hook func(query string) error) context.Context {
	return context.WithValue(ctx, hookKey{}, hook)
}

// ready returns the first failure of the transaction, or the failure that a
// hook makes of the next statement.
func (t *Tx) ready(query string) error {
	if t.Err == nil && t.hook != nil {
		if err := t.hook(query); err != nil {
			t.Err = err
		}
	}
	return t.Err
}
