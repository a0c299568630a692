package s3

import (
	"errors"
	"fmt"
	"net/http"

	"vitrine"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// codeOf returns the error code of the server, or "" if it gave none.
func codeOf(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// statusOf returns the HTTP status of the answer, or 0 if there was none.
func statusOf(err error) int {
	var e *smithyhttp.ResponseError
	if errors.As(err, &e) {
		return e.HTTPStatusCode()
	}
	return 0
}

// errNothingSaid is the error for an answer that lacks what each such answer
// has. Something between here and the server made it up.
var errNothingSaid = errors.New("the answer says nothing of what was asked")

func isNotFound(err error) bool { return errors.Is(err, vitrine.ErrNotFound) }

// orNotFound returns err, or ErrNotFound if err is nil.
func orNotFound(err error) error {
	if err == nil {
		return vitrine.ErrNotFound
	}
	return err
}

// refusedToReplace reports whether the condition of a request did not hold, or
// a concurrent request conflicted with it.
func refusedToReplace(err error) bool {
	return statusOf(err) == http.StatusPreconditionFailed || statusOf(err) == http.StatusConflict
}

// fault returns the error for callers: ErrNotFound if the object is missing,
// otherwise one that says that storage is unavailable. A missing bucket is also
// unavailable storage, so that nobody takes its files for lost.
func (b *Blobs) fault(what, key string, err error) error {
	if codeOf(err) == "NoSuchKey" {
		return vitrine.ErrNotFound
	}
	var e *vitrine.Error
	if errors.As(err, &e) {
		return err
	}
	return vitrine.Unavailable(fmt.Errorf("bucket %s: %s %s: %w", b.bucket, what, key, err))
}
