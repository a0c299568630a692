package s3

import (
	"errors"
	"fmt"
	"net/http"

	"vitrine"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// codeOf returns the error code of the response, or "" without one.
func codeOf(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// statusOf returns the HTTP status of the response, or 0 without one.
func statusOf(err error) int {
	var e *smithyhttp.ResponseError
	if errors.As(err, &e) {
		return e.HTTPStatusCode()
	}
	return 0
}

// errIncompleteResponse is returned for a response without a required field.
// Such a response usually comes from a proxy.
var errIncompleteResponse = errors.New("the response lacks a required field; a proxy may have changed it")

func isNotFound(err error) bool { return errors.Is(err, vitrine.ErrNotFound) }

// orNotFound returns err, or ErrNotFound if err is nil.
func orNotFound(err error) error {
	if err == nil {
		return vitrine.ErrNotFound
	}
	return err
}

// refusedToReplace reports whether the condition of a request failed or a
// concurrent request conflicted with it.
func refusedToReplace(err error) bool {
	return statusOf(err) == http.StatusPreconditionFailed || statusOf(err) == http.StatusConflict
}

// fault returns ErrNotFound if the object is missing, otherwise an error with
// CodeUnavailable. A missing bucket is also CodeUnavailable, so that its files
// are not treated as lost.
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
