package publish

import "vitrine"

// UploadStep is what became of an upload.
type UploadStep string

// The steps of an upload.
const (
	UploadBegun     UploadStep = "begun"
	UploadCompleted UploadStep = "completed"
	UploadRefused   UploadStep = "refused" // before or after its bytes came
)

func (s *Uploads) count(step UploadStep) {
	if s.Counted != nil {
		s.Counted(step)
	}
}

// refused counts an upload that ended with err, and returns err. A failure of
// the server is no refusal.
func (s *Uploads) refused(err error) error {
	switch vitrine.CodeOf(err) {
	case "", vitrine.CodeInternal, vitrine.CodeUnavailable:
	default:
		s.count(UploadRefused)
	}
	return err
}
