package web_test

import (
	"bytes"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/webtest"
)

// begun begins an upload of a note, or of a website's version, and sends the
// bytes if stored.
func (c *costSite) begun(website string, stored bool) (path, to string) {
	content := []byte(costNote)
	r := publish.UploadRequest{Name: "note.txt", Type: "text/plain"}
	if website != "" {
		content = webtest.Packed(c.T, "index.html=<h1>Spring</h1>"+c.address())
		r = publish.UploadRequest{Name: "site.zip", Type: "application/zip", Website: website}
	}
	r.Size = int64(len(content))
	b, err := c.Server.Uploads.Create(c.T.Context(), c.Pro, r)
	c.Check(err)
	if stored {
		_, err = c.Server.Receiver.Receive(c.T.Context(), vitrine.PutGrant{Key: b.Path, Size: r.Size, Type: r.Type,
			Expires: c.Server.Now().Add(time.Minute)}, bytes.NewReader(content))
		c.Check(err)
	}
	return string(b.Path), b.SignedURL
}

// chunkAddress begins an upload of a note in chunks.
func (c *costSite) chunkAddress() string {
	path, _ := c.begun("", false)
	return "/storage/" + path + "?" + c.Server.Signer.SignChunks(vitrine.UploadID(path)).Encode()
}

// replaced returns a link with two versions.
func (c *costSite) replaced() *vitrine.Link {
	return c.SendReplacement(c.note(), "note.txt", "text/plain", []byte(costNote+"And more.\n"))
}
